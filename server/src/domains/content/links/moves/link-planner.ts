import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { slicesOf } from '../../../../concurrency/slices.ts';
import type { YieldIfDue } from '../../../../concurrency/yield.ts';
import type { ReadHandle, WriteHandle } from '../../../../ports/database/database.ts';
import type { MovingEntry } from '../../entries/entries.ts';
import type { LinkPlanner, PreparedLinks, RewrittenNote } from '../../notes/notes.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { WaitingNames } from '../edges/pending-resolutions.ts';
import { findReferringNotes } from '../edges/referring-notes.ts';
import { type EdgeDeps, RESOLVED_AT_ONCE } from '../edges/resolve-again.ts';
import { keysOfEdge, withTarget } from '../edges/stored-links.ts';
import { distinct, keysOf, SLICE } from '../link-resolver.ts';
import { type LinkText, readableSource, sealTexts, textOf } from '../link-texts.ts';
import type { StoredEdge } from '../links.store.ts';
import * as store from '../links.store.ts';
import {
  evaluateEdges,
  type LinkRewrite,
  type LinkRewritePlan,
  type PathChange,
  type TouchedEdge,
} from './edge-evaluation.ts';
import { indexMoves, type Move, type MoveIndex } from './move-index.ts';
import { readEdges } from './read-edges.ts';

export async function planMove(
  { extensions, pending }: EdgeDeps,
  handle: ReadHandle,
  vault: OpenVault,
  moving: readonly MovingEntry[],
  yieldIfDue: YieldIfDue,
): Promise<LinkPlanner> {
  const index = await indexMoves(vault, moving, yieldIfDue);
  const move: Move = { extensions, handle, vault, index, yieldIfDue };
  // Read only when names wait. The move is planned again if the vault has another seq by then.
  const names: MovedNames = { since: () => pending.nextSeq(handle, vault), retargets: 0, waiting: new Set() };
  return {
    sources: [...(await findReferringNotes(handle, vault, index.keys, yieldIfDue))] as NoteId[],
    plan: (ids) => planLinks(move, ids),
    // Only this domain makes plans.
    prepare: (plan, rewritten) => prepareEdges(move, names, plan as MoveLinksPlan, rewritten),
  };
}

async function planLinks(move: Move, ids: readonly NoteId[]): Promise<MoveLinksPlan> {
  const { handle, vault, index, yieldIfDue } = move;
  const texts = new Map<string, readonly LinkText[]>();
  const paths = new Map<string, PathChange>();
  for (const row of await handle.allMany(store.findSources, { vault: vault.id }, ids)) {
    await yieldIfDue();
    const source = readableSource(vault, row);
    if (source === null) continue;
    texts.set(row.id, source.texts);
    paths.set(row.id, { before: source.path, after: index.moveOf.get(row.id)?.to ?? source.path });
  }
  const edges = await readEdges(move, new Map([...texts].map(([source, { length }]) => [source, length])));
  return { ...(await evaluateEdges(move, touchedEdges(index, edges, { texts, paths }))), texts, paths, edges };
}

/** The readable ones among some notes: their link texts, and their paths before and after the move. */
interface Sources {
  readonly texts: ReadonlyMap<string, readonly LinkText[]>;
  readonly paths: ReadonlyMap<string, PathChange>;
}

/** Returns the edges whose target or text the move may change: those of moving notes, and those to moving names. */
function touchedEdges(
  { moveOf, names }: MoveIndex,
  edges: ReadonlyMap<string, readonly StoredEdge[]>,
  { texts, paths }: Sources,
): TouchedEdge[] {
  const touched: TouchedEdge[] = [];
  for (const [id, own] of edges) {
    const source = paths.get(id);
    const moves = moveOf.has(id);
    for (const edge of own) {
      const text = texts.get(id)?.[edge.ord];
      if (text === undefined || source === undefined || edge.target_key === null) continue;
      const isTouched = moves || keysOfEdge(edge).some((key) => names.has(key.toString('hex')));
      if (isTouched) touched.push({ edge, text, source });
    }
  }
  return touched;
}

interface MoveLinksPlan extends LinkRewritePlan, Sources {
  /** The former edges of the notes to be rewritten. */
  readonly edges: ReadonlyMap<string, readonly StoredEdge[]>;
}

/** The names whose links a move resolves again, over all batches of notes. */
interface MovedNames {
  /** Reads the first seq that the move's entries get. */
  readonly since: () => Promise<number>;
  /** Number of links with another target and the same text. */
  retargets: number;
  /** The names left to PendingResolutions, in hex. */
  readonly waiting: Set<string>;
}

/** Returns the retargets to write in the move's transaction, or, if there are too many, the further names that wait. */
async function retargetsWithin(
  names: MovedNames,
  plan: MoveLinksPlan,
): Promise<Pick<EdgeWrites, 'retargets' | 'waiting'>> {
  names.retargets += plan.retargets.length;
  const retargets = plan.retargets.map(({ edge, target }) => withTarget(edge, target));
  if (names.retargets <= RESOLVED_AT_ONCE) return { retargets, waiting: null };
  const keys = distinct(retargets.flatMap(keysOfEdge)).filter((key) => {
    const before = names.waiting.size;
    return names.waiting.add(key.toString('hex')).size > before;
  });
  return { retargets: [], waiting: keys.length === 0 ? null : { keys, since: await names.since() } };
}

async function prepareEdges(
  { extensions, vault, index, yieldIfDue }: Move,
  names: MovedNames,
  plan: MoveLinksPlan,
  rewritten: ReadonlyMap<NoteId, RewrittenNote>,
): Promise<PreparedEdges> {
  const within = await retargetsWithin(names, plan);
  const retargetsOf = Map.groupBy(within.retargets, ({ source_id }) => source_id);
  const prepared: EdgeWrites = { ...within, changed: [], cleared: [], edges: [], texts: [] };
  const left = new Map(plan.left);
  for (const [source, note] of rewritten) {
    await yieldIfDue();
    const rewrites = new Map((plan.rewrites.get(source) ?? []).map((rewrite) => [rewrite.ord, rewrite]));
    const links = placedLinks(note, plan.texts.get(source) ?? [], rewrites);
    await yieldIfDue();
    const written = links.filter(({ text, rewrite }) => rewrite !== undefined && !isLeft(rewrite, text)).length;
    if (written < rewrites.size) left.set(source, rewrites.size - written + (left.get(source) ?? 0));
    const { version } = note;
    const texts = links.map(({ text }) => text);
    prepared.texts.push({ source, version, texts: sealTexts(vault, source, version, texts) });
    const former = new Map((plan.edges.get(source) ?? []).map((edge) => [edge.ord, edge]));
    const now = new Map([...former.values(), ...(retargetsOf.get(source) ?? [])].map((edge) => [edge.ord, edge]));
    const edges: StoredEdge[] = [];
    for (const [ord, { was, text, rewrite }] of links.entries()) {
      await yieldIfDue();
      const keys = keysOf(extensions, index.keyOf, text);
      edges.push(edgeAfter({ source_id: source, ord }, keys, text, now.get(was), rewrite));
    }
    addEdges(prepared, source, former, edges);
  }
  const linksLeft = [...left].map(([id, count]) => ({ path: plan.paths.get(id)?.after ?? '', count }));
  return { links: 'prepared', ...prepared, linksLeft };
}

/** Whether a link has the target that a rewrite gives it. */
function isWritten(rewrite: LinkRewrite, text: LinkText | undefined): boolean {
  return rewrite.target === text?.target && rewrite.form === text.form;
}

/** Whether a link no longer leads to its target, because its new text could not be written. */
function isLeft(rewrite: LinkRewrite, text: LinkText | undefined): boolean {
  const { newTarget, fallback } = rewrite;
  const leads = fallback.note === newTarget.note && fallback.attachment === newTarget.attachment;
  return !isWritten(rewrite, text) && !leads;
}

/** A link of a rewritten note, with its index among the stored ones; -1 if an older parser did not read it. */
interface PlacedLink {
  readonly was: number;
  readonly text: LinkText;
  readonly rewrite: LinkRewrite | undefined;
}

/** Returns the links of a rewritten note, with the origins of rewritten ones. */
function placedLinks(
  { links }: RewrittenNote,
  before: readonly LinkText[],
  rewrites: ReadonlyMap<number, LinkRewrite>,
): PlacedLink[] {
  let next = 0;
  return links.map((link) => {
    const text = textOf(link);
    const [stored, rewrite] = [before[next], rewrites.get(next)];
    const isWrittenNow = rewrite !== undefined && isWritten(rewrite, text);
    const isStored = isWrittenNow || (stored?.target === text.target && stored.form === text.form);
    if (!isStored && links.length !== before.length) return { was: -1, text, rewrite: undefined };
    const origin = isWrittenNow ? rewrite.origin : stored?.origin;
    return { was: next++, text: origin === undefined ? text : { ...text, origin }, rewrite };
  });
}

/** Adds the edges of a rewritten note: those that change, or all when the stored ones are not of the same links. */
function addEdges(
  prepared: EdgeWrites,
  source: string,
  former: ReadonlyMap<number, StoredEdge>,
  edges: readonly StoredEdge[],
): void {
  // The links are the stored ones in the same order, unless an older parser read the text differently.
  const areSame = former.size === edges.length;
  if (!areSame) prepared.cleared.push(source);
  for (const edge of edges) {
    const was = former.get(edge.ord);
    if (!areSame) prepared.edges.push(edge);
    else if (was !== undefined && !isSame(edge, was)) prepared.changed.push(edge);
  }
}

function edgeAfter(
  at: Pick<StoredEdge, 'source_id' | 'ord'>,
  keys: readonly Buffer[] | null,
  text: LinkText,
  before: StoredEdge | undefined,
  rewrite: LinkRewrite | undefined,
): StoredEdge {
  const former = { note: before?.target_note_id ?? null, attachment: before?.target_attachment_id ?? null };
  const rewritten = rewrite && (isWritten(rewrite, text) ? rewrite.newTarget : rewrite.fallback);
  const { note, attachment } = rewritten ?? former;
  return {
    ...at,
    age: before?.age ?? 0,
    target_key: keys?.[0] ?? null,
    other_key: keys?.[1] ?? null,
    target_note_id: note,
    target_attachment_id: attachment,
  };
}

function isSame(edge: StoredEdge, was: StoredEdge): boolean {
  if (was.target_note_id !== edge.target_note_id || was.target_attachment_id !== edge.target_attachment_id)
    return false;
  return isSameKey(was.target_key, edge.target_key) && isSameKey(was.other_key, edge.other_key);
}

function isSameKey(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

/** The writes of `applyMove`: plain data, because they may be spooled to disk. */
interface EdgeWrites {
  /** Edges that get another target under the same keys. */
  readonly retargets: readonly store.StoredEdge[];
  /** Names of links that get another target after the move; null if there are none. */
  readonly waiting: WaitingNames | null;
  /** Edges that get other keys or another target. */
  readonly changed: store.StoredEdge[];
  /** Notes whose edges are all replaced. */
  readonly cleared: string[];
  readonly edges: store.StoredEdge[];
  readonly texts: store.SourcedTexts[];
}

type PreparedEdges = PreparedLinks & EdgeWrites;

export async function applyMove(
  { pending }: EdgeDeps,
  handle: WriteHandle,
  vault: OpenVault,
  links: PreparedLinks,
): Promise<void> {
  // Only this domain prepares moves.
  const { waiting, retargets, changed, cleared, edges, texts } = links as PreparedEdges;
  if (waiting !== null) await pending.addSince(handle, vault, waiting);
  for (const slice of slicesOf(retargets, SLICE))
    await handle.runMany(store.overwriteTargets, { vault: vault.id }, slice);
  for (const slice of slicesOf(changed, SLICE)) await handle.runMany(store.overwriteEdges, { vault: vault.id }, slice);
  await handle.runMany(store.deleteEdgesOf, { vault_id: vault.id }, cleared);
  for (const slice of slicesOf(edges, SLICE)) await handle.runMany(store.insertEdgesOf, { vault_id: vault.id }, slice);
  for (const slice of slicesOf(texts, SLICE)) await handle.runMany(store.putTextsOf, { vault: vault.id }, slice);
}
