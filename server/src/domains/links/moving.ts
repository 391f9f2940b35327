import { aliasKey, type Candidate, noteNameKey } from '@notevault/note-text/resolve.ts';
import { targetChoices } from '@notevault/note-text/rewrite.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import type { ReadHandle, WriteHandle } from '../../engines/database/database.ts';
import type { LinkMove, MovedNote, MovingHooks, PreparedLinks, Rewritten } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './links.store.ts';
import { readableSource } from './opening.ts';
import { type CandidatesAt, createResolving, DANGLING, type Target } from './resolving.ts';
import { type LinkText, type Origin, sealTexts, textOf } from './texts.ts';

type Edge = store.StoredEdge;

/** A link whose text changes so that it goes on pointing where it did. */
interface Change {
  readonly ord: number;
  /** The new target text. */
  readonly text: string;
  readonly kept: Target;
  /** What the link goes back to when its target does; none when it has just gone back. */
  readonly origin: Origin | undefined;
  /** Where it points if its form could not hold the new text. */
  readonly else: Target;
}

/** An edge that points elsewhere from now on, its text as it was: a dangling one that finds a target. */
interface Shift {
  readonly source: string;
  readonly ord: number;
  readonly target: Target;
}

/** How links fare when notes move; made by `planMove`, carried out by `applyMove`. */
export interface Plan extends LinkMove {
  readonly changes: ReadonlyMap<NoteId, readonly Change[]>;
  readonly edges: ReadonlyMap<string, readonly Edge[]>;
  readonly shifts: readonly Shift[];
  /** The link texts of the notes to be rewritten, as they were. */
  readonly texts: ReadonlyMap<string, readonly LinkText[]>;
}

/** What `applyMove` writes. */
interface Prepared extends PreparedLinks {
  readonly shifts: readonly Shift[];
  /** Notes whose edges are written anew, all of them. */
  readonly cleared: string[];
  readonly edges: store.SourcedEdge[];
  readonly texts: store.SourcedTexts[];
}

/** Rows written between two looks at the clock: a long transaction lets others run only between its calls. */
const SLICE = 512;

/** @param attachmentExtensions as for createLinks. */
export function createMoving(attachmentExtensions: ReadonlySet<string>): MovingHooks {
  const { keysOf, candidatesFor, targetOf } = createResolving(attachmentExtensions);

  /** Candidates as they will be: the moved notes under their new names, at their new paths; fetched by key as needed. */
  function candidatesAfter(handle: ReadHandle, vault: OpenVault, moves: readonly MovedNote[]) {
    const fetched = new Set<string>();
    const before: CandidatesAt[] = [];
    const moved = new Map<string, Candidate[]>();
    const ids = new Set<string>(moves.map(({ id }) => id));
    for (const { id, to, aliases } of moves) {
      const candidate: Candidate = { kind: 'note', id, path: to, aliases };
      for (const name of new Set([noteNameKey(to), ...aliases.map(aliasKey)])) {
        const key = vault.key.blind('name', name).toString('hex');
        moved.set(key, [...(moved.get(key) ?? []), candidate]);
      }
    }
    return {
      async fetch(keys: readonly Buffer[]): Promise<void> {
        const missing = keys.filter((key) => !fetched.has(key.toString('hex')));
        if (missing.length > 0) before.push(await candidatesFor(handle, vault, missing));
        for (const key of missing) fetched.add(key.toString('hex'));
      },
      at: (asked: readonly Buffer[]) => [
        ...before.flatMap((at) => at(asked)).filter(({ id }) => !ids.has(id)),
        ...asked.flatMap((key) => moved.get(key.toString('hex')) ?? []),
      ],
    };
  }

  /** Every edge the move may touch: to a moved note, from one, or asking for a name one had or will have. */
  async function touchedEdges(handle: ReadHandle, vault: OpenVault, moves: readonly MovedNote[]) {
    const ids = moves.map(({ id }) => id);
    const names = moves.flatMap(({ from, to, aliases }) => [
      noteNameKey(from),
      noteNameKey(to),
      ...aliases.map(aliasKey),
    ]);
    const keys = [...new Set(names)].map((name) => vault.key.blind('name', name));
    const to = await handle.allIn(store.findEdgesTo, { vault: vault.id }, ids);
    const from = await handle.allIn(store.findEdgesFrom, { vault: vault.id }, ids);
    const asking = await handle.allIn(store.findAskers, { vault: vault.id }, keys);
    const edges = new Map<string, Edge>();
    for (const edge of [...to, ...from, ...asking]) edges.set(`${edge.source_id} ${edge.ord}`, edge);
    return [...edges.values()];
  }

  async function planMove(
    handle: ReadHandle,
    vault: OpenVault,
    moves: readonly MovedNote[],
    breathe: () => Promise<void>,
  ): Promise<Plan> {
    const edges = await touchedEdges(handle, vault, moves);
    await breathe();
    const candidates = candidatesAfter(handle, vault, moves);
    await candidates.fetch(edges.flatMap(keysOfEdge));
    const bySource = Map.groupBy(edges, ({ source_id }) => source_id);
    const rows = await handle.allIn(store.findSources, { vault: vault.id }, [...bySource.keys()]);
    const moveOf = new Map<string, MovedNote>(moves.map((move) => [move.id, move]));
    const changes = new Map<NoteId, Change[]>();
    const shifts: Shift[] = [];
    const texts = new Map<string, readonly LinkText[]>();
    for (const row of rows) {
      await breathe();
      const source = readableSource(vault, row);
      if (source === null) continue;
      const path = { before: source.path, after: moveOf.get(row.id)?.to ?? source.path };
      const found: Change[] = [];
      for (const edge of bySource.get(row.id) ?? []) {
        const text = source.texts[edge.ord];
        if (text === undefined || edge.target_key === null) continue;
        const link = linkAfter(edge, text, path, candidates.at(keysOfEdge(edge)), moveOf);
        if (link !== null) await candidates.fetch([...link.choices, ...link.back].flatMap(keysFor(vault, text)));
        const fate = fateOf(vault, edge, text, path.after, link, candidates.at);
        if (fate === null) continue;
        if ('text' in fate) found.push({ ord: edge.ord, ...fate });
        else shifts.push({ source: row.id, ord: edge.ord, target: fate.target });
      }
      if (found.length === 0) continue;
      changes.set(row.id as NoteId, found);
      texts.set(row.id, source.texts);
    }
    const rewrites = new Map(
      [...changes].map(([id, list]) => [id, list.map(({ ord, text }) => ({ ord, target: text }))]),
    );
    const complete = await handle.allIn(store.findEdgesFrom, { vault: vault.id }, [...changes.keys()]);
    return { rewrites, changes, shifts, texts, edges: Map.groupBy(complete, ({ source_id }) => source_id) };
  }

  function keysFor(vault: OpenVault, { form }: LinkText) {
    return (target: string) => keysOf(vault, { target, form }) ?? [];
  }

  /** Null when the edge goes on as it is; a new text that keeps its target; or another target for the text it has. */
  function fateOf(
    vault: OpenVault,
    edge: Edge,
    text: LinkText,
    source: string,
    link: LinkAfter | null,
    candidates: CandidatesAt,
  ): Omit<Change, 'ord'> | { target: Target } | null {
    const { form, origin } = text;
    const resolved = (target: string) => {
      const keys = keysOf(vault, { target, form });
      return keys === null ? DANGLING : targetOf({ target, form }, source, candidates(keys));
    };
    const now = resolved(text.target);
    const had = edge.target_note_id;
    const stays = now.note === had && now.attachment === edge.target_attachment_id;
    if (link === null) return stays ? null : { target: now };
    const { before, after } = link.target;
    const kept = { note: had, attachment: null, path: after };
    const back = link.back.find((target) => resolved(target).note === had);
    if (back !== undefined) return { text: back, kept, origin: undefined, else: now };
    if (stays) return null;
    const choice = link.choices.find((target) => resolved(target).note === had);
    if (choice === undefined) return { target: now };
    return { text: choice, kept, origin: origin ?? { target: text.target, path: before }, else: now };
  }

  async function prepareMove(
    vault: OpenVault,
    move: LinkMove,
    rewritten: ReadonlyMap<NoteId, Rewritten>,
    breathe: () => Promise<void>,
  ): Promise<Prepared> {
    // Only this room makes plans.
    const plan = move as Plan;
    const shiftsOf = Map.groupBy(plan.shifts, ({ source }) => source);
    const prepared: Prepared = { links: 'prepared', shifts: plan.shifts, cleared: [], edges: [], texts: [] };
    for (const [source, { version, links }] of rewritten) {
      await breathe();
      const before = plan.texts.get(source) ?? [];
      const changes = new Map((plan.changes.get(source) ?? []).map((change) => [change.ord, change]));
      const texts = links.map((link, ord) => {
        const text = textOf(link);
        const change = changes.get(ord);
        const origin = change?.text === text.target ? change.origin : before[ord]?.origin;
        return origin === undefined ? text : { ...text, origin };
      });
      prepared.texts.push({ source, version, texts: sealTexts(vault, source, version, texts) });
      const shifts = new Map((shiftsOf.get(source) ?? []).map(({ ord, target }) => [ord, target]));
      const stored = plan.edges.get(source) ?? [];
      const had = new Map(stored.map((edge) => [edge.ord, { ...edge, ...shifted(shifts.get(edge.ord)) }]));
      const edges = texts.map((text, ord) => ({
        source,
        ...edgeAfter(vault, text, ord, had.get(ord), changes.get(ord)),
      }));
      // Moving a folder changes texts, but neither names nor targets: then the edges stand as they are.
      if (sameEdges(edges, stored)) continue;
      prepared.cleared.push(source);
      prepared.edges.push(...edges);
    }
    return prepared;
  }

  async function applyMove(handle: WriteHandle, vault: OpenVault, links: PreparedLinks): Promise<void> {
    // Only this room prepares moves.
    const { shifts, cleared, edges, texts } = links as Prepared;
    for (const { source, ord, target } of shifts) {
      const to = { vault: vault.id, source, note: target.note, attachment: target.attachment };
      await handle.runIn(store.retarget, to, [ord]);
    }
    await handle.runIn(store.deleteEdgesOf, { vault: vault.id }, cleared);
    for (const slice of slices(edges)) await handle.runIn(store.insertEdgesOf, { vault: vault.id }, slice);
    for (const slice of slices(texts)) await handle.runIn(store.putTextsOf, { vault: vault.id }, slice);
  }

  function edgeAfter(
    vault: OpenVault,
    text: LinkText,
    ord: number,
    had: Edge | undefined,
    change: Change | undefined,
  ): store.NewEdge {
    const keys = keysOf(vault, text);
    const held = { note: had?.target_note_id ?? null, attachment: had?.target_attachment_id ?? null };
    const target = change === undefined ? held : text.target === change.text ? change.kept : change.else;
    const { note, attachment } = target;
    return { ord, age: had?.age ?? 0, targetKey: keys?.[0] ?? null, otherKey: keys?.[1] ?? null, note, attachment };
  }

  return { planMove, prepareMove, applyMove };
}

function sameEdges(now: readonly store.NewEdge[], before: readonly Edge[]): boolean {
  if (now.length !== before.length) return false;
  const stored = new Map(before.map((edge) => [edge.ord, edge]));
  return now.every((edge) => {
    const was = stored.get(edge.ord);
    if (was === undefined || was.target_note_id !== edge.note || was.target_attachment_id !== edge.attachment)
      return false;
    return sameKey(was.target_key, edge.targetKey) && sameKey(was.other_key, edge.otherKey);
  });
}

function sameKey(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

function* slices<Item>(items: readonly Item[]): Generator<Item[]> {
  for (let at = 0; at < items.length; at += SLICE) yield items.slice(at, at + SLICE);
}

function shifted(target: Target | undefined) {
  return target === undefined ? {} : { target_note_id: target.note, target_attachment_id: target.attachment };
}

/** A link to a note: where its target was and will be, and the texts it may have then. */
interface LinkAfter {
  readonly target: { readonly before: string; readonly after: string };
  /** Texts that keep the link's form, best first. */
  readonly choices: readonly string[];
  /** What the link said when its target was there before: it says so again. At most one. */
  readonly back: readonly string[];
}

/** Null when the edge dangles, or its target cannot be opened. */
function linkAfter(
  edge: Edge,
  { form, target, origin }: LinkText,
  source: { before: string; after: string },
  candidates: readonly Candidate[],
  moveOf: ReadonlyMap<string, MovedNote>,
): LinkAfter | null {
  if (edge.target_note_id === null) return null;
  const path = pathsOf(edge.target_note_id, moveOf, candidates);
  if (path === undefined) return null;
  const before = { source: source.before, target: path.before };
  const choices = targetChoices({ before, after: { source: source.after, target: path.after }, form, target });
  return { target: path, choices, back: origin?.path === path.after ? [origin.target] : [] };
}

function keysOfEdge(edge: Edge): Buffer[] {
  return [edge.target_key, edge.other_key].filter((key) => key !== null);
}

/** Where the note an edge points to was and will be; undefined when it cannot be opened. */
function pathsOf(id: string, moveOf: ReadonlyMap<string, MovedNote>, candidates: readonly Candidate[]) {
  const move = moveOf.get(id);
  if (move !== undefined) return { before: move.from, after: move.to };
  const still = candidates.find((candidate) => candidate.id === id);
  return still === undefined ? undefined : { before: still.path, after: still.path };
}
