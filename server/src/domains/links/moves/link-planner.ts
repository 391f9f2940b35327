import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { YieldIfDue } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { LinkMove, LinkPlanner, MovedItem, PreparedLinks, RewrittenNote } from '../../notes/notes.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { findReferringNotes } from '../edges/referring-notes.ts';
import { keysOfEdge, withTarget } from '../edges/stored-edge.ts';
import { distinct, type LinkResolver, type Target } from '../link-resolver.ts';
import { type LinkText, readableSource, sealTexts, textOf } from '../link-texts.ts';
import type { NewEdge, SourcedEdge, StoredEdge } from '../links.store.ts';
import * as store from '../links.store.ts';
import type { PreparedEdges } from './apply-move.ts';
import {
  EdgeEvaluation,
  type EdgeRetarget,
  type LinkRewrite,
  type PathChange,
  type TouchedEdge,
} from './edge-evaluation.ts';
import { indexMoves, type MoveIndex } from './move-index.ts';
import { readEdges } from './read-edges.ts';

/** Determines which notes' links a move may touch. */
export async function planMove(
  resolver: LinkResolver,
  handle: ReadHandle,
  vault: OpenVault,
  moves: readonly MovedItem[],
  yieldIfDue: YieldIfDue,
): Promise<LinkPlanner> {
  const index = await indexMoves(vault, moves, yieldIfDue);
  const sources = await findReferringNotes(handle, vault, index.keys, yieldIfDue);
  return new MovePlanner(resolver, handle, vault, index, [...sources] as NoteId[], yieldIfDue);
}

/** The readable ones among some notes: their link texts, and their paths before and after the move. */
interface Sources {
  readonly texts: ReadonlyMap<string, readonly LinkText[]>;
  readonly paths: ReadonlyMap<string, PathChange>;
}

class MovePlanner implements LinkPlanner {
  readonly sources: readonly NoteId[];
  readonly #resolver: LinkResolver;
  readonly #handle: ReadHandle;
  readonly #vault: OpenVault;
  readonly #index: MoveIndex;
  /** The keys of the index, in hex. */
  readonly #names: ReadonlySet<string>;
  readonly #yieldIfDue: YieldIfDue;

  constructor(
    resolver: LinkResolver,
    handle: ReadHandle,
    vault: OpenVault,
    index: MoveIndex,
    sources: readonly NoteId[],
    yieldIfDue: YieldIfDue,
  ) {
    this.#resolver = resolver;
    this.#handle = handle;
    this.#vault = vault;
    this.#index = index;
    this.#names = new Set(index.keys.map((key) => key.toString('hex')));
    this.sources = sources;
    this.#yieldIfDue = yieldIfDue;
  }

  async plan(ids: readonly NoteId[]): Promise<MoveLinksPlan> {
    const { texts, paths } = await this.#readSources(ids);
    const counts = new Map([...texts].map(([source, { length }]) => [source, length]));
    const edges = await readEdges(this.#handle, this.#vault, counts, this.#yieldIfDue);
    const touched = this.#touchedEdges(edges, { texts, paths });
    const evaluation = new EdgeEvaluation(this.#resolver, this.#handle, this.#vault, this.#index);
    await evaluation.fetch(distinct(touched.flatMap(({ edge }) => keysOfEdge(edge))));
    for (const each of touched) {
      await this.#yieldIfDue();
      evaluation.evaluate(each);
    }
    const { rewrites: rewritesOf, retargets } = await evaluation.decide(this.#yieldIfDue);
    const rewrites = new Map(
      [...rewritesOf].map(([id, list]) => [id, list.map(({ ord, text }) => ({ ord, target: text }))]),
    );
    return { rewrites, rewritesOf, retargets, texts, edges };
  }

  prepare(plan: LinkMove, rewritten: ReadonlyMap<NoteId, RewrittenNote>): Promise<PreparedLinks> {
    // Only this domain makes plans.
    const keysOf = (text: LinkText) => this.#resolver.keysOf(this.#index.keyOf, text);
    return prepareEdges(keysOf, this.#vault, plan as MoveLinksPlan, rewritten, this.#yieldIfDue);
  }

  async #readSources(ids: readonly NoteId[]): Promise<Sources> {
    const texts = new Map<string, readonly LinkText[]>();
    const paths = new Map<string, PathChange>();
    for (const row of await this.#handle.allMany(store.findSources, { vault: this.#vault.id }, ids)) {
      await this.#yieldIfDue();
      const source = readableSource(this.#vault, row);
      if (source === null) continue;
      texts.set(row.id, source.texts);
      paths.set(row.id, { before: source.path, after: this.#index.moveOf.get(row.id)?.to ?? source.path });
    }
    return { texts, paths };
  }

  /** Returns the edges whose target or text the move may change: those of moving notes, and those to moving names. */
  #touchedEdges(edges: ReadonlyMap<string, readonly store.StoredEdge[]>, { texts, paths }: Sources): TouchedEdge[] {
    const touched: TouchedEdge[] = [];
    for (const [id, own] of edges) {
      const source = paths.get(id);
      const moves = this.#index.moveOf.has(id);
      for (const edge of own) {
        const text = texts.get(id)?.[edge.ord];
        if (text === undefined || source === undefined || edge.target_key === null) continue;
        const isTouched = moves || keysOfEdge(edge).some((key) => this.#names.has(key.toString('hex')));
        if (isTouched) touched.push({ edge, text, source });
      }
    }
    return touched;
  }
}

/** Returns the keys under which a link is looked up; null for one within its own note. */
type KeysOf = (text: LinkText) => readonly Buffer[] | null;

/** The plan of how the links of some notes change in a move. */
interface MoveLinksPlan extends LinkMove {
  readonly rewritesOf: ReadonlyMap<NoteId, readonly LinkRewrite[]>;
  readonly retargets: readonly EdgeRetarget[];
  /** The former edges and link texts of the notes to be rewritten. */
  readonly edges: ReadonlyMap<string, readonly StoredEdge[]>;
  readonly texts: ReadonlyMap<string, readonly LinkText[]>;
}

/** A note with rewritten links, and how its edges change. */
interface RewrittenEdges {
  readonly source: string;
  /** Its former edges, and its new link texts. */
  readonly former: readonly StoredEdge[];
  readonly texts: readonly LinkText[];
  /** By position among its links. */
  readonly rewrites: ReadonlyMap<number, LinkRewrite>;
  readonly retargets: ReadonlyMap<number, Target>;
}

/** Prepares what a move writes for the links of the notes in a plan; `rewritten` are those with new text. */
async function prepareEdges(
  keysOf: KeysOf,
  vault: OpenVault,
  plan: MoveLinksPlan,
  rewritten: ReadonlyMap<NoteId, RewrittenNote>,
  yieldIfDue: YieldIfDue,
): Promise<PreparedEdges> {
  const retargetsOf = Map.groupBy(plan.retargets, ({ edge }) => edge.source_id);
  const retargets = plan.retargets.map(({ edge, target }) => withTarget(edge, target));
  const prepared: PreparedEdges = { links: 'prepared', retargets, changed: [], cleared: [], edges: [], texts: [] };
  for (const [source, note] of rewritten) {
    await yieldIfDue();
    const rewrites = new Map((plan.rewritesOf.get(source) ?? []).map((rewrite) => [rewrite.ord, rewrite]));
    const texts = textsAfter(note, plan.texts.get(source) ?? [], rewrites);
    await yieldIfDue();
    const { version } = note;
    prepared.texts.push({ source, version, texts: sealTexts(vault, source, version, texts) });
    const own = new Map((retargetsOf.get(source) ?? []).map(({ edge, target }) => [edge.ord, target]));
    const former = plan.edges.get(source) ?? [];
    await addEdges(keysOf, prepared, { source, former, texts, rewrites, retargets: own }, yieldIfDue);
  }
  return prepared;
}

/** Returns the link texts of a rewritten note, with the origins of rewritten links. */
function textsAfter(
  { links }: RewrittenNote,
  before: readonly LinkText[],
  rewrites: ReadonlyMap<number, LinkRewrite>,
): LinkText[] {
  return links.map((link, ord) => {
    const text = textOf(link);
    const rewrite = rewrites.get(ord);
    const origin = rewrite?.text === text.target ? rewrite.origin : before[ord]?.origin;
    return origin === undefined ? text : { ...text, origin };
  });
}

/** Adds the edges of a rewritten note: those that change, or all when the stored ones are not of the same links. */
async function addEdges(
  keysOf: KeysOf,
  prepared: PreparedEdges,
  { source, former, texts, rewrites, retargets }: RewrittenEdges,
  yieldIfDue: YieldIfDue,
): Promise<void> {
  const formerAt = new Map(former.map((edge) => [edge.ord, edge]));
  const edges: SourcedEdge[] = [];
  const changed: SourcedEdge[] = [];
  for (const [ord, text] of texts.entries()) {
    await yieldIfDue();
    const was = formerAt.get(ord);
    const before = was === undefined ? undefined : { ...was, ...retargeted(retargets.get(ord)) };
    const edge = { source, ...edgeAfter(keysOf(text), text, ord, before, rewrites.get(ord)) };
    edges.push(edge);
    if (was !== undefined && !isSame(edge, was)) changed.push(edge);
  }
  // The links are the stored ones in the same order, unless an older parser read the text differently.
  if (former.length === texts.length && formerAt.size === texts.length) {
    for (const edge of changed) prepared.changed.push(edge);
    return;
  }
  prepared.cleared.push(source);
  for (const edge of edges) prepared.edges.push(edge);
}

function edgeAfter(
  keys: readonly Buffer[] | null,
  text: LinkText,
  ord: number,
  before: StoredEdge | undefined,
  rewrite: LinkRewrite | undefined,
): NewEdge {
  const former = { note: before?.target_note_id ?? null, attachment: before?.target_attachment_id ?? null };
  const rewritten = text.target === rewrite?.text ? rewrite.newTarget : rewrite?.fallback;
  const { note, attachment } = rewritten ?? former;
  return { ord, age: before?.age ?? 0, targetKey: keys?.[0] ?? null, otherKey: keys?.[1] ?? null, note, attachment };
}

function isSame(edge: NewEdge, was: StoredEdge): boolean {
  if (was.target_note_id !== edge.note || was.target_attachment_id !== edge.attachment) return false;
  return isSameKey(was.target_key, edge.targetKey) && isSameKey(was.other_key, edge.otherKey);
}

function isSameKey(a: Buffer | null, b: Buffer | null): boolean {
  return a === null || b === null ? a === b : a.equals(b);
}

function retargeted(target: Target | undefined) {
  return target === undefined ? {} : { target_note_id: target.note, target_attachment_id: target.attachment };
}
