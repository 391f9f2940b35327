import { folderOf } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId, VaultId } from '@notevault/protocol/ids.ts';
import { parseQuery } from '@notevault/search-index/query/query-parser.ts';
import type { WriteHandle } from '../../engines/database/database.ts';
import type { Principal } from '../accounts/accounts.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { createAhead } from './ahead.ts';
import type { Found, FoundNote, IndexState } from './desk.ts';
import { createEmbedding } from './embedding.ts';
import { createFollowing } from './following.ts';
import { createKeeping } from './keeping.ts';
import { createNearnesses, type Nearness } from './nearness.ts';
import { Parcel } from './parcel.ts';
import type { SearchParts } from './parts.ts';
import { type SearchFor, searchFor } from './request.ts';
import type { SearchRequest, SearchResult, SearchStatus } from './search.schema.ts';
import { ThreadDied } from './thread.ts';

/** Search over a vault's notes, as they are at the moment of the question. */
export interface Search extends AsyncDisposable {
  /** The best notes, one result each (contract section 10). Throws a validation error, `cross_vault_plan`, `unavailable`. */
  find(principal: Principal, vault: OpenVault, request: SearchRequest): Promise<SearchResult[]>;
  status(vault: OpenVault): Promise<SearchStatus>;
  /** Makes the vault's index anew from its notes, and keeps it. Resolves to what it holds. */
  rebuild(vault: OpenVault, progress: (notes: number) => void): Promise<IndexState>;
  /**
   * Makes the vectors of what was written, when this process wrote something or has not looked for a minute, and tries
   * again what failed. Throws EmbedderError when the embedder cannot go on. Not to be called while it runs.
   */
  embed(signal: AbortSignal): Promise<void>;
  /**
   * Makes the indexes of vaults to which much was written that nobody has searched since, once they are quiet. Looks when
   * this process wrote something or has not looked for a minute. Not to be called while it runs.
   */
  indexAhead(signal: AbortSignal): Promise<void>;
  /** A note of the vault was written. */
  changed(vaultId: VaultId): void;
  /** Starts the search thread, so that the first search need not wait for it. */
  warm(): Promise<void>;
  /** Ends the search thread with all it holds in memory; the next search starts another. */
  letGo(): Promise<void>;
  /** Deletes a slice of a purged vault's index; true when more may be left. */
  eraseSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean>;
  /** What is held and waits, of this process: memory of indexes, questions to them, notes whose vectors are being made. */
  figures(): { bytes: number; questions: number; embedding: number };
  /** Resolves once no index is being written. */
  idle(): Promise<void>;
}

/** The index may be dropped from memory, or a note written, between two steps: then they are done again, so often. */
const attempts = 5;
/** A first search in a large vault waits for its index no longer; the index is made nevertheless. */
const patienceMs = 25_000;
const vaultsAtOnce = 4;
/** What other processes wrote to, and what is to be tried again, is looked for so often. */
const lookEveryMs = 60_000;
/** Between two tries of an embedder that does not work; each pause is twice the one before. */
const firstPauseMs = 10_000;
const longestPauseMs = 10 * 60_000;

/** @param failed hears of failures of background work. */
export function createSearch(parts: SearchParts, failed: (error: unknown) => void): Search {
  const { db, clock, vaults, notes, thread, embedder } = parts;
  const following = createFollowing(parts);
  const keeping = createKeeping(parts, failed);
  const nearnesses = createNearnesses(parts, failed);
  const embedding = createEmbedding(parts);
  const ahead = createAhead(parts, following, keeping, failed);
  let written = false;
  let lookAt = 0;
  let pausedUntil = 0;
  let pauses = 0;

  async function catchUp(vault: OpenVault): Promise<IndexState> {
    const state = await following.catchUp(vault);
    keeping.keepIfWorth(vault, state);
    return state;
  }

  /** Asks the thread, after bringing its index up to the vault's seq where it is behind. */
  async function found(vault: OpenVault, request: SearchFor): Promise<Found> {
    const { query, mode, filter, limit, diversity } = request;
    await notes.live.settle(vault);
    const { changeSeq: seq } = await vaults.feed(db, vault);
    const wish = { mode, filter, limit, diversity };
    for (let attempt = 0; attempt < attempts; attempt++) {
      const { near, model } = await nearnessFor(vault, request, seq);
      const ask = { vault: vault.id, epoch: vault.feedEpoch, seq, query, ...wish, vectorQuery: near, model };
      const answer = await thread.ask('search', ask);
      if (answer !== null) return answer;
      await catchUp(vault);
    }
    throw new NotevaultError('unavailable');
  }

  /** What vectors a question needs. Without any, hybrid is by words; by vectors alone there is then no answer. */
  async function nearnessFor(
    vault: OpenVault,
    { query, mode, diversity }: SearchFor,
    seq: number,
  ): Promise<{ near: Nearness['near'] | null; model: string | null }> {
    const { text } = parseQuery(query);
    const wanted = mode !== 'keyword' && text !== '';
    if (!wanted && diversity === 0) return { near: null, model: null };
    // How rare words are is asked of the index, and vectors are kept beside it.
    const state = await thread.ask('state', { vault: vault.id, epoch: vault.feedEpoch });
    if (state === null || state.seq < seq) await catchUp(vault);
    if (!wanted) return { near: null, model: await nearnesses.vectorsOf(vault) };
    const nearness = await nearnesses.of(vault, text);
    if (nearness === null && mode === 'vector') throw new NotevaultError('unavailable');
    return nearness ?? { near: null, model: null };
  }

  /** Embeds what is left to; after a failure that may pass, or that somebody must mend, not before its time. */
  async function embed(signal: AbortSignal): Promise<void> {
    const now = clock.now();
    if ((!written && now < lookAt) || now < pausedUntil) return;
    written = false;
    lookAt = now + lookEveryMs;
    const { stopped } = await embedding.run(signal);
    pauses = stopped === null ? 0 : pauses + 1;
    if (stopped === null) return;
    written = true;
    const wait = Math.min(longestPauseMs, firstPauseMs * 2 ** (pauses - 1));
    pausedUntil = clock.now() + Math.max(wait, stopped.retryAfterMs ?? 0);
    throw stopped;
  }

  /** The results of one vault; null when a note among them was written since the search. */
  async function results(vault: OpenVault, request: SearchFor, last: boolean): Promise<SearchResult[] | null> {
    const { hits, words } = await found(vault, request);
    const rows = await db.read((handle) =>
      notes.sealedOf(
        handle,
        vault,
        hits.map(({ id }) => id as NoteId),
      ),
    );
    const stored = new Map(rows.map((row) => [row.id as string, row]));
    const current = hits.flatMap((hit) => {
      const note = stored.get(hit.id);
      return note === undefined || note.seq !== hit.seq ? [] : [{ hit, note }];
    });
    if (current.length < hits.length && !last) return null;
    const parcel = new Parcel();
    const pieces = current.map(({ hit: { start, end }, note: { id, version, content } }) => ({
      ...{ id, version, content: content === null ? null : parcel.bytes(content), start, end },
    }));
    const excerpts = await thread.ask('excerpts', { key: vault.key.share(0), words, pieces }, parcel);
    return current.map(({ hit }, at) => resultOf(hit, excerpts[at] ?? { snippet: '', highlights: [] }));
  }

  async function findIn(vault: OpenVault, request: SearchFor): Promise<SearchResult[]> {
    for (let attempt = 1; ; attempt++) {
      try {
        const answer = await results(vault, request, attempt >= attempts);
        if (answer !== null) return answer;
      } catch (error) {
        if (!(error instanceof ThreadDied)) throw error;
        if (attempt >= attempts) throw new NotevaultError('unavailable', {}, error);
      }
    }
  }

  async function findEverywhere(principal: Principal, request: SearchFor): Promise<SearchResult[]> {
    const reached = await vaults.list(principal, { deleted: false });
    const all: SearchResult[] = [];
    for (let at = 0; at < reached.length; at += vaultsAtOnce) {
      const some = reached.slice(at, at + vaultsAtOnce).map(async ({ id, name }) => {
        const vault = await vaults.openVault(principal, id, 'read');
        return (await findIn(vault, request)).map((result) => ({ ...result, vault_id: id, vault_name: name }));
      });
      all.push(...(await Promise.all(some)).flat());
    }
    return all.sort((a, b) => b.score - a.score || (a.id < b.id ? 1 : -1)).slice(0, request.limit);
  }

  return {
    async find(principal, vault, sent) {
      const request = searchFor(sent);
      if (!request.crossVault) return inTime(findIn(vault, request));
      if (!vault.plan.cross_vault_search) throw new NotevaultError('cross_vault_plan');
      return inTime(findEverywhere(principal, request));
    },
    async status(vault) {
      await notes.live.settle(vault);
      const { total, pending, failed } = await embedding.progress(vault);
      return { total, indexed: Math.max(0, total - pending - failed), pending, failed, model: embedder.name };
    },
    async rebuild(vault, progress) {
      await embedding.forget(vault);
      written = true;
      await keeping.forget(vault);
      const state = await following.catchUp(vault, ({ notes }) => progress(notes));
      await keeping.keep(vault);
      return state;
    },
    embed,
    indexAhead: (signal) => ahead.run(signal),
    changed: () => {
      written = true;
      ahead.changed();
    },
    async warm() {
      await thread.ask('state', { vault: '', epoch: 0 });
    },
    letGo: () => thread.kill(),
    eraseSlice: async (handle, vaultId) =>
      (await embedding.eraseSlice(handle, vaultId)) || keeping.eraseSlice(handle, vaultId),
    figures: () => ({ bytes: thread.bytes, questions: thread.questions, embedding: embedding.notes }),
    idle: () => keeping.idle(),
    [Symbol.asyncDispose]: () => thread[Symbol.asyncDispose](),
  };
}

function resultOf(
  hit: FoundNote,
  { snippet, highlights }: Pick<SearchResult, 'snippet'> & { highlights: readonly (readonly [number, number])[] },
): SearchResult {
  const { id, path, title, heading, matches, score } = hit;
  return {
    ...{ id, path, title, folder: folderOf(path), heading_path: heading, snippet },
    ...{ highlights: highlights.map(([start, end]) => [start, end]), match_count: matches, score },
  };
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NotevaultError('unavailable')), patienceMs).unref();
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}
