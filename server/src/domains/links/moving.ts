import { aliasKey, type Candidate, noteNameKey } from '@notevault/note-text/resolve.ts';
import { targetChoices } from '@notevault/note-text/rewrite.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import type { ReadHandle, WriteHandle } from '../../engines/database/database.ts';
import type { LinkMove, MovedNote, MovingHooks, Rewritten } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './links.store.ts';
import { readableSource } from './opening.ts';
import { type CandidatesAt, createResolving, DANGLING, distinct, type Target } from './resolving.ts';
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

/** @param attachmentExtensions as for createLinks. */
export function createMoving(attachmentExtensions: ReadonlySet<string>): MovingHooks {
  const { keysOf, candidatesFor, targetOf } = createResolving(attachmentExtensions);

  /** Candidates as they will be: the moved notes under their new names, at their new paths. */
  async function candidatesAfter(handle: ReadHandle, vault: OpenVault, moves: readonly MovedNote[], keys: Buffer[]) {
    const before = await candidatesFor(handle, vault, keys);
    const moved = new Map<string, Candidate[]>();
    const ids = new Set<string>(moves.map(({ id }) => id));
    for (const { id, to, aliases } of moves) {
      const candidate: Candidate = { kind: 'note', id, path: to, aliases };
      for (const name of new Set([noteNameKey(to), ...aliases.map(aliasKey)])) {
        const key = vault.key.blind('name', name).toString('hex');
        moved.set(key, [...(moved.get(key) ?? []), candidate]);
      }
    }
    return (asked: readonly Buffer[]) => [
      ...before(asked).filter(({ id }) => !ids.has(id)),
      ...asked.flatMap((key) => moved.get(key.toString('hex')) ?? []),
    ];
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
    const newNames = moves.map(({ to }) => vault.key.blind('name', noteNameKey(to)));
    const asked = edges.flatMap((edge) => [edge.target_key, edge.other_key].filter((key) => key !== null));
    const candidates = await candidatesAfter(handle, vault, moves, distinct([...asked, ...newNames]));
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
        const fate =
          text === undefined || edge.target_key === null ? null : fateOf(vault, edge, text, path, candidates, moveOf);
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

  /** Null when the edge goes on as it is; a new text that keeps its target; or another target for the text it has. */
  function fateOf(
    vault: OpenVault,
    edge: Edge,
    text: LinkText,
    source: { before: string; after: string },
    candidates: CandidatesAt,
    moveOf: ReadonlyMap<string, MovedNote>,
  ): Omit<Change, 'ord'> | { target: Target } | null {
    const resolved = (target: string) => {
      const keys = keysOf(vault, { target, form: text.form });
      return keys === null ? DANGLING : targetOf({ target, form: text.form }, source.after, candidates(keys));
    };
    const now = resolved(text.target);
    const had = edge.target_note_id;
    const keys = [edge.target_key, edge.other_key].filter((key) => key !== null);
    const path = had === null ? undefined : pathsOf(had, moveOf, candidates(keys));
    const stays = now.note === had && now.attachment === edge.target_attachment_id;
    if (had === null || path === undefined) return stays ? null : { target: now };
    const kept = { note: had, attachment: null, path: path.after };
    const { origin } = text;
    if (origin !== undefined && origin.path === path.after && resolved(origin.target).note === had) {
      return { text: origin.target, kept, origin: undefined, else: now };
    }
    if (stays) return null;
    const link = {
      before: { source: source.before, target: path.before },
      after: { source: source.after, target: path.after },
      form: text.form,
      target: text.target,
    };
    const choice = targetChoices(link).find((target) => resolved(target).note === had);
    if (choice === undefined) return { target: now };
    return { text: choice, kept, origin: origin ?? { target: text.target, path: path.before }, else: now };
  }

  async function applyMove(
    handle: WriteHandle,
    vault: OpenVault,
    move: LinkMove,
    rewritten: ReadonlyMap<NoteId, Rewritten>,
    seqOf: (id: NoteId) => Seq,
  ): Promise<void> {
    // Only this room makes plans.
    const plan = move as Plan;
    for (const { source, ord, target } of plan.shifts) {
      await handle.runIn(
        store.retarget,
        { vault: vault.id, source, note: target.note, attachment: target.attachment },
        [ord],
      );
    }
    const shiftsOf = Map.groupBy(plan.shifts, ({ source }) => source);
    for (const [source, { version, links }] of rewritten) {
      const before = plan.texts.get(source) ?? [];
      const changes = new Map((plan.changes.get(source) ?? []).map((change) => [change.ord, change]));
      const texts = links.map((link, ord) => {
        const text = textOf(link);
        const change = changes.get(ord);
        const origin = change?.text === text.target ? change.origin : before[ord]?.origin;
        return origin === undefined ? text : { ...text, origin };
      });
      const shifts = new Map((shiftsOf.get(source) ?? []).map(({ ord, target }) => [ord, target]));
      const had = new Map(
        (plan.edges.get(source) ?? []).map((edge) => [edge.ord, { ...edge, ...shifted(shifts.get(edge.ord)) }]),
      );
      const edges = texts.map((text, ord) =>
        edgeAfter(vault, text, ord, had.get(ord), changes.get(ord), seqOf(source)),
      );
      await handle.run(store.deleteEdges, { vault: vault.id, source });
      await handle.runIn(store.insertEdges, { vault: vault.id, source }, edges);
      const sealed = sealTexts(vault, source, version, texts);
      await handle.run(store.putTexts, { vault: vault.id, source, version, texts: sealed });
    }
  }

  function edgeAfter(
    vault: OpenVault,
    text: LinkText,
    ord: number,
    had: Edge | undefined,
    change: Change | undefined,
    seq: Seq,
  ): store.NewEdge {
    const keys = keysOf(vault, text);
    const held = { note: had?.target_note_id ?? null, attachment: had?.target_attachment_id ?? null };
    const target = change === undefined ? held : text.target === change.text ? change.kept : change.else;
    const { note, attachment } = target;
    return { ord, age: had?.age ?? seq, targetKey: keys?.[0] ?? null, otherKey: keys?.[1] ?? null, note, attachment };
  }

  return { planMove, applyMove };
}

function shifted(target: Target | undefined) {
  return target === undefined ? {} : { target_note_id: target.note, target_attachment_id: target.attachment };
}

/** Where the note an edge points to was and will be; undefined when it cannot be opened. */
function pathsOf(id: string, moveOf: ReadonlyMap<string, MovedNote>, candidates: readonly Candidate[]) {
  const move = moveOf.get(id);
  if (move !== undefined) return { before: move.from, after: move.to };
  const still = candidates.find((candidate) => candidate.id === id);
  return still === undefined ? undefined : { before: still.path, after: still.path };
}
