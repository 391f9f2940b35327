import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { YieldIfDue } from '../../../concurrency/yield.ts';
import type { ReadHandle } from '../../../ports/database/database.ts';
import type { LinkMove, LinkPlanner, MovedItem, PreparedLinks, RewrittenNote } from '../../notes/notes.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import { findReferringNotes } from '../edges/referring-notes.ts';
import { keysOfEdge } from '../edges/stored-edge.ts';
import { distinct, type LinkResolver } from '../link-resolver.ts';
import type { LinkText } from '../link-texts.ts';
import * as store from '../links.store.ts';
import { readableSource } from '../unseal.ts';
import { EdgeEvaluation, type PathChange, type TouchedEdge } from './edge-evaluation.ts';
import { indexMoves, type MoveIndex } from './move-index.ts';
import { type MoveLinksPlan, prepareEdges } from './prepare-edges.ts';
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
    return prepareEdges(this.#resolver, this.#vault, plan as MoveLinksPlan, rewritten, this.#yieldIfDue);
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
