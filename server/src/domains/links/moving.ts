import type { NoteId } from '@notevault/protocol/ids.ts';
import type { ReadHandle, WriteHandle } from '../../engines/database/database.ts';
import type { LinkMove, MovedItem, MovingHooks, PreparedLinks, Rewritten } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type Change, createFates, keysOfEdge, namesAt, type Shift } from './fates.ts';
import * as store from './links.store.ts';
import { readableSource } from './opening.ts';
import { createResolving, type Target } from './resolving.ts';
import { type LinkText, sealTexts, textOf } from './texts.ts';

type Edge = store.StoredEdge;

/** How links fare when notes and attachments move; made by `planMove`, carried out by `applyMove`. */
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
  const { keysOf } = createResolving(attachmentExtensions);
  const fates = createFates(attachmentExtensions);

  /** Every edge the move may touch: to what moves, from a moved note, or asking for a name one had or will have. */
  async function touchedEdges(handle: ReadHandle, vault: OpenVault, moves: readonly MovedItem[]) {
    const idsOf = (kind: MovedItem['kind']) => moves.filter((move) => move.kind === kind).map(({ id }) => id);
    const [notes, files] = [idsOf('note'), idsOf('attachment')];
    const names = moves.flatMap((move) => [...namesAt(move, move.from), ...namesAt(move, move.to)]);
    const keys = [...new Set(names)].map((name) => vault.key.blind('name', name));
    const to = await handle.allIn(store.findEdgesTo, { vault: vault.id }, notes);
    const toFiles = await handle.allIn(store.findEdgesToFiles, { vault: vault.id }, files);
    const from = await handle.allIn(store.findEdgesFrom, { vault: vault.id }, notes);
    const asking = await handle.allIn(store.findAskers, { vault: vault.id }, keys);
    const edges = new Map<string, Edge>();
    for (const edge of [...to, ...toFiles, ...from, ...asking]) edges.set(`${edge.source_id} ${edge.ord}`, edge);
    return [...edges.values()];
  }

  async function planMove(
    handle: ReadHandle,
    vault: OpenVault,
    moves: readonly MovedItem[],
    yieldIfDue: () => Promise<void>,
  ): Promise<Plan> {
    const edges = await touchedEdges(handle, vault, moves);
    await yieldIfDue();
    const moveOf = new Map<string, MovedItem>(moves.map((move) => [move.id, move]));
    const weighing = fates.weighing(handle, vault, moves);
    const texts = new Map<string, readonly LinkText[]>();
    await weighing.fetch(edges.flatMap(keysOfEdge));
    const bySource = Map.groupBy(edges, ({ source_id }) => source_id);
    for (const row of await handle.allIn(store.findSources, { vault: vault.id }, [...bySource.keys()])) {
      await yieldIfDue();
      const source = readableSource(vault, row);
      if (source === null) continue;
      texts.set(row.id, source.texts);
      const path = { before: source.path, after: moveOf.get(row.id)?.to ?? source.path };
      for (const edge of bySource.get(row.id) ?? []) {
        const text = source.texts[edge.ord];
        if (text !== undefined && edge.target_key !== null) weighing.weigh(edge, text, path);
      }
    }
    const { changes, shifts } = await weighing.decide(yieldIfDue);
    const rewrites = new Map(
      [...changes].map(([id, list]) => [id, list.map(({ ord, text }) => ({ ord, target: text }))]),
    );
    const complete = await handle.allIn(store.findEdgesFrom, { vault: vault.id }, [...changes.keys()]);
    return { rewrites, changes, shifts, texts, edges: Map.groupBy(complete, ({ source_id }) => source_id) };
  }

  async function prepareMove(
    vault: OpenVault,
    move: LinkMove,
    rewritten: ReadonlyMap<NoteId, Rewritten>,
    yieldIfDue: () => Promise<void>,
  ): Promise<Prepared> {
    // Only this room makes plans.
    const plan = move as Plan;
    const shiftsOf = Map.groupBy(plan.shifts, ({ source }) => source);
    const prepared: Prepared = { links: 'prepared', shifts: plan.shifts, cleared: [], edges: [], texts: [] };
    for (const [source, { version, links }] of rewritten) {
      await yieldIfDue();
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
