import type { VectorQuery } from '@notevault/search-index/ranking/hybrid.ts';
import type { Space } from '../../engines/embedder/embedder.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { SealedVectors } from './desk.ts';
import { Parcel } from './parcel.ts';
import type { SearchParts } from './parts.ts';
import * as store from './vectors.store.ts';

/** What a question is given to compare vectors with. */
export interface Nearness {
  readonly model: string;
  readonly near: VectorQuery;
}

export interface Nearnesses {
  /** The vector of a text for a vault whose index is in memory, and the vault's vectors beside it; null when it cannot be made now. */
  of(vault: OpenVault, text: string): Promise<Nearness | null>;
  /** Brings the vault's vectors into memory, without a question: to tell how alike notes are. Null as above. */
  vectorsOf(vault: OpenVault): Promise<string | null>;
}

/** Rows read and posted at once, about a megabyte. */
const page = 256;
/** A reader does not wait longer for what words may find too. */
const patienceMs = 5000;
/** After a failure, questions do without vectors for so long: each would wait as long as the one before. */
const pauseMs = 15_000;

/** @param failed hears why vectors could not be had. */
export function createNearnesses(parts: SearchParts, failed: (error: unknown) => void): Nearnesses {
  const { db, clock, thread, embedder } = parts;
  let pausedUntil = 0;
  const loading = new Map<string, Promise<void>>();

  async function load(vault: OpenVault, model: string): Promise<void> {
    const state = await thread.ask('vectorState', { vault: vault.id, epoch: vault.feedEpoch, model });
    if (state === null) return;
    let after = state.vseq;
    const at = await db.get(store.findEmbedding, { vault: vault.id });
    if (at === undefined || at.vseq <= after) return;
    for (let more = true; more; ) {
      const rows = await db.all(store.findVectorsAfter, { vault: vault.id, model, after, limit: page });
      more = rows.length === page;
      after = Math.max(rows.at(-1)?.vseq ?? 0, more ? 0 : at.vseq);
      const key = vault.key.share(0);
      const parcel = new Parcel();
      const there = rows.map(({ note_id: id, version, vseq, data }): SealedVectors => {
        return { id, version, vseq, data: data === null ? null : parcel.bytes(data) };
      });
      await thread.ask('feedVectors', { vault: vault.id, key, model, rows: there, upTo: after }, parcel);
    }
  }

  /** One at a time for a vault: whoever comes meanwhile looks again after it. */
  function loadInTurn(vault: OpenVault, model: string): Promise<void> {
    const own = (loading.get(vault.id) ?? Promise.resolve()).catch(() => undefined).then(() => load(vault, model));
    loading.set(vault.id, own);
    return own.finally(() => {
      if (loading.get(vault.id) === own) loading.delete(vault.id);
    });
  }

  /** What `ask` gives, or null when the embedder cannot give it now. */
  async function attempt<T extends object>(ask: (signal: AbortSignal) => Promise<T>): Promise<T | null> {
    if (clock.now() < pausedUntil) return null;
    try {
      return await ask(AbortSignal.timeout(patienceMs));
    } catch (error) {
      pausedUntil = clock.now() + pauseMs;
      failed(error);
      return null;
    }
  }

  function nearOf(vault: OpenVault, text: string, space: Space): Promise<VectorQuery | null> {
    return attempt(async (signal): Promise<VectorQuery> => {
      const rarity = (words: readonly string[]) => thread.ask('rarity', { vault: vault.id, words });
      const vector = await embedder.embedQuery(text, { signal, rarity });
      return { vector, weight: space.trust, minCosine: space.noise };
    });
  }

  return {
    async of(vault, text) {
      if (text.trim() === '') return null;
      const space = await attempt((signal) => embedder.space(signal));
      if (space === null) return null;
      const [near] = await Promise.all([nearOf(vault, text, space), loadInTurn(vault, space.id)]);
      return near === null ? null : { model: space.id, near };
    },
    async vectorsOf(vault) {
      const space = await attempt((signal) => embedder.space(signal));
      if (space === null) return null;
      await loadInTurn(vault, space.id);
      return space.id;
    },
  };
}
