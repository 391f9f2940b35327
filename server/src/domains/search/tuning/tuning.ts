import { invalid, NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { type ChosenWeight, chooseWeight, type TuningQuery } from '@notevault/search-index/tuning/choose-weight.ts';
import { EmbedderError, type Space } from '../../../ports/embedder/embedder.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { Embedding } from '../embedding/embedding.ts';
import { VectorCatchUp } from '../embedding/vector-catch-up.ts';
import type { IndexCatchUp } from '../index/index-catch-up.ts';
import type { SearchDeps } from '../search.deps.ts';
import { TransferList } from '../worker/transfer-list.ts';
import * as store from './tuning.store.ts';

/** Weights to choose from, beside the default of the embedder. */
const WEIGHTS = [0, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1];
/** At most so many notes are made queries of, about seven each. */
const MAX_NOTES = 120;
/** With fewer notes that queries can be made of, chance decides. */
export const MIN_NOTES = 20;
/** Notes that are read and posted at once. */
const PAGE_SIZE = 16;

/** What `tune` found and did. */
export interface TuningReport extends ChosenWeight {
  /** The embedder’s space. */
  readonly model: string;
  readonly defaultWeight: number;
  /** The weight that counted before. */
  readonly previousWeight: number;
  readonly notes: number;
  readonly queries: number;
  readonly saved: boolean;
}

export interface TuningProgress {
  /** What is under way: embedding notes that have no vectors yet, or searching. */
  readonly step: 'vectors' | 'queries';
  readonly done: number;
  readonly total: number;
}

/** A query, with the note that it was made of. */
interface NoteQuery {
  readonly note: string;
  readonly query: string;
  readonly half: TuningQuery['half'];
}

/** Chooses how much vectors count in the searches of a vault, by queries that are made of its own notes. */
export class Tuning {
  readonly #deps: SearchDeps;
  readonly #catchUp: IndexCatchUp;
  readonly #embedding: Embedding;
  readonly #vectorCatchUp: VectorCatchUp;

  constructor(deps: SearchDeps, catchUp: IndexCatchUp, embedding: Embedding) {
    this.#deps = deps;
    this.#catchUp = catchUp;
    this.#embedding = embedding;
    this.#vectorCatchUp = new VectorCatchUp(deps);
  }

  /** The weight of a model in a vault: the chosen one, else the default of the embedder. */
  async weightOf(vault: OpenVault, space: Space): Promise<number> {
    const row = await this.#deps.db.get(store.findWeight, { vault: vault.id, model: space.id });
    return row?.weight ?? space.trust;
  }

  /**
   * Embeds what has no vectors yet, and chooses the weight of the embedder. Throws a validation error when there are too
   * few notes or the embedder fails, and `unavailable` when the index cannot be kept in memory.
   */
  async tune(
    vault: OpenVault,
    { dryRun }: { readonly dryRun: boolean },
    onProgress: (progress: TuningProgress) => void,
  ): Promise<TuningReport> {
    try {
      return await this.#tune(vault, dryRun, onProgress);
    } catch (error) {
      if (error instanceof EmbedderError) throw invalid({ embedder: [`failed: ${error.message}`] });
      throw error;
    }
  }

  async #tune(
    vault: OpenVault,
    dryRun: boolean,
    onProgress: (progress: TuningProgress) => void,
  ): Promise<TuningReport> {
    const space = await this.#deps.embedder.space(NEVER);
    await this.#deps.notes.live.flush(vault);
    await this.#embedding.embedVault(vault, space, NEVER, ({ total, pending }) =>
      onProgress({ step: 'vectors', done: Math.max(0, total - pending), total }),
    );
    await this.#catchUp.catchUp(vault);
    await this.#vectorCatchUp.catchUp(vault, space.id);
    const queries = await this.#queriesOf(vault, space);
    const notes = new Set(queries.map(({ note }) => note)).size;
    if (notes < MIN_NOTES) {
      throw invalid({ vault: [`has ${notes} notes that queries can be made of; at least ${MIN_NOTES} are needed`] });
    }
    const weights = [...new Set([...WEIGHTS, space.trust])].sort((a, b) => a - b);
    const results: TuningQuery[] = [];
    for (const [at, query] of queries.entries()) {
      onProgress({ step: 'queries', done: at, total: queries.length });
      results.push({ half: query.half, ranks: await this.#ranksOf(vault, space, query, weights) });
    }
    onProgress({ step: 'queries', done: queries.length, total: queries.length });
    const previousWeight = await this.weightOf(vault, space);
    const chosen = chooseWeight(weights, space.trust, results);
    if (!dryRun) await this.#save(vault, space, chosen.weight);
    const counts = { notes, queries: queries.length };
    return { ...chosen, ...counts, model: space.id, defaultWeight: space.trust, previousWeight, saved: !dryRun };
  }

  async #queriesOf(vault: OpenVault, space: Space): Promise<NoteQuery[]> {
    const { db, notes, worker } = this.#deps;
    const params = { vault: vault.id, epoch: vault.feedEpoch, model: space.id, limit: MAX_NOTES };
    const ids = await worker.request('sampleNotes', params);
    if (ids === null) throw new NotevaultError('unavailable');
    const queries: NoteQuery[] = [];
    for (let from = 0; from < ids.length; from += PAGE_SIZE) {
      const page = ids.slice(from, from + PAGE_SIZE) as NoteId[];
      const rows = await db.read((handle) => notes.sealedOf(handle, vault, page));
      const transfer = new TransferList();
      const posted = rows.map((row) => transfer.addNote(row));
      const items = await worker.request('knownItems', { key: vault.key.share(0), notes: posted }, transfer);
      rows.forEach(({ id }, at) => {
        const half = ids.indexOf(id) % 2 === 0 ? 'choose' : 'check';
        for (const { query } of items[at] ?? []) queries.push({ note: id, query, half });
      });
    }
    return queries;
  }

  async #ranksOf(
    vault: OpenVault,
    space: Space,
    { note, query }: NoteQuery,
    weights: readonly number[],
  ): Promise<number[]> {
    const { embedder, worker } = this.#deps;
    const idf = (words: readonly string[]) => worker.request('idf', { vault: vault.id, words });
    const vector = await embedder.embedQuery(query, { signal: NEVER, idf });
    const vectorQuery = { vector, minCosine: space.noise };
    const params = { vault: vault.id, epoch: vault.feedEpoch, model: space.id, query, vectorQuery, weights, note };
    const ranks = await worker.request('ranksByWeight', params);
    if (ranks === null) throw new NotevaultError('unavailable');
    return ranks;
  }

  async #save(vault: OpenVault, { id: model, trust }: Space, weight: number): Promise<void> {
    await this.#deps.db.transact((handle) =>
      weight === trust
        ? handle.run(store.deleteWeight, { vault: vault.id, model })
        : handle.run(store.putWeight, { vault: vault.id, model, weight }),
    );
  }
}

const NEVER = new AbortController().signal;
