import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Seq } from '@notevault/protocol/ids.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import type { IndexState, KeptIndex, KeptSegments } from './desk.ts';
import { indexFormat } from './index-format.ts';
import { Parcel } from './parcel.ts';
import type { SearchParts } from './parts.ts';
import * as store from './search.store.ts';
import { ThreadDied } from './thread.ts';

/** What the thread is given at once: some 20 ms of work, so that other vaults' searches come between. */
const page = { limit: 64, bytes: 256 * 1024 };

/** Keeps the thread's indexes up with their vaults. */
export interface Following {
  /** Brings the vault's index into memory and up to the vault's seq as it is now. `progress` hears how far it is. */
  catchUp(vault: OpenVault, progress?: (state: IndexState) => void): Promise<IndexState>;
  /**
   * As catchUp, for work that nobody waits for: after each page `rest` is told how long that took, and may leave the
   * machine to others. Once somebody waits for the index it does not rest any more. Rejects when the signal is aborted.
   */
  catchUpBeside(vault: OpenVault, rest: (ms: number) => Promise<void>, signal: AbortSignal): Promise<IndexState>;
}

/** What a catching up does between two pages. */
type Between = (state: IndexState, tookMs: number) => void | Promise<void>;

export function createFollowing(parts: SearchParts): Following {
  const { db, vaults, notes, thread } = parts;
  const running = new Map<string, Promise<IndexState>>();

  async function bring(vault: OpenVault, between: Between): Promise<IndexState> {
    let state = (await thread.ask('state', { vault: vault.id, epoch: vault.feedEpoch })) ?? (await load(vault));
    for (let more = true; more; ) {
      const started = performance.now();
      const after = state.seq as Seq;
      const { floor } = state;
      const found = await db.read(async (handle) => {
        const { changeSeq, floorSeq } = await vaults.feed(handle, vault);
        if (floorSeq > Math.max(after, floor)) return { floorSeq };
        return changeSeq <= after ? null : { changeSeq, ...(await notes.sealedAfter(handle, vault, after, page)) };
      });
      if (found === null) return state;
      if ('floorSeq' in found) {
        // Deletions were forgotten that the index has not seen.
        state = await begin(vault, null, found.floorSeq);
        continue;
      }
      more = found.more;
      const last = found.notes.at(-1)?.seq;
      // Seqs that no note has belong to other changes: past them once no note is left.
      const upTo = more && last !== undefined ? last : found.changeSeq;
      const parcel = new Parcel();
      const notesThere = found.notes.map((note) => parcel.note(note));
      const ask = { vault: vault.id, key: vault.key.share(0), notes: notesThere, upTo };
      state = await thread.ask('feed', ask, parcel);
      await between(state, performance.now() - started);
    }
    return state;
  }

  function begin(vault: OpenVault, kept: KeptIndex | null, floor = 0): Promise<IndexState> {
    const { id, feedEpoch: epoch } = vault;
    const parcel = new Parcel();
    const there = kept === null ? null : { ...kept, segments: parcel.bytes(kept.segments) };
    return thread.ask('start', { vault: id, key: vault.key.share(0), epoch, floor, kept: there }, parcel);
  }

  /** From the segments at rest, or from nothing when there are none that can be used. */
  async function load(vault: OpenVault): Promise<IndexState> {
    const anew = async () => begin(vault, null, (await vaults.feed(db, vault)).floorSeq);
    const row = await db.get(store.findIndex, { vault: vault.id });
    if (row === undefined || row.format !== indexFormat || row.feed_epoch !== vault.feedEpoch) return anew();
    const named = openSegments(vault, row);
    if (named === null || !(await loadParts(vault, named))) return anew();
    return begin(vault, { seq: row.seq, segments: row.segments }).catch((error) => {
      if (isTransient(error)) throw error;
      // Not what was written there: whatever happened to it, the notes are the truth.
      return anew();
    });
  }

  async function loadParts(vault: OpenVault, { segments }: KeptSegments): Promise<boolean> {
    for (const { id: segment, parts: count } of segments) {
      for (let part = 0; part < count; part++) {
        const row = await db.get(store.findPart, { vault: vault.id, segment, part });
        if (row === undefined) return false;
        const parcel = new Parcel();
        const data = parcel.bytes(row.data);
        const ask = { vault: vault.id, key: vault.key.share(0), segment, part, data };
        const loaded = await thread.ask('load', ask, parcel).then(
          () => true,
          (error) => {
            if (isTransient(error)) throw error;
            return false;
          },
        );
        if (!loaded) return false;
      }
    }
    return true;
  }

  /** One after the other for a vault. `between` hears whether somebody waits. */
  function inTurn(
    vault: OpenVault,
    between: (state: IndexState, tookMs: number, awaited: boolean) => void | Promise<void>,
  ): Promise<IndexState> {
    const key = `${vault.id} ${vault.feedEpoch}`;
    const begun = running.get(key);
    // Who comes while one runs needs what that one has not seen yet.
    const own: Promise<IndexState> = (begun ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => bring(vault, (state, tookMs) => between(state, tookMs, running.get(key) !== own)));
    const done = own.finally(() => {
      if (running.get(key) === own) running.delete(key);
    });
    running.set(key, own);
    return done;
  }

  return {
    catchUp: (vault, progress = () => undefined) => inTurn(vault, progress),
    catchUpBeside: (vault, rest, signal) =>
      inTurn(vault, async (_, tookMs, awaited) => {
        signal.throwIfAborted();
        if (!awaited) await rest(tookMs);
      }),
  };
}

/** Whether an error says nothing of what was asked: there was no time, or no thread. */
function isTransient(error: unknown): boolean {
  return error instanceof NotevaultError || error instanceof ThreadDied;
}

/** Which segments an index row names; null when it cannot be opened. */
export function openSegments(vault: OpenVault, row: { seq: number; segments: Buffer }): KeptSegments | null {
  try {
    const place = { kind: 'search_indexes.segments', row: vault.id, version: row.seq };
    return JSON.parse(vault.key.open(place, row.segments).toString('utf8')) as KeptSegments;
  } catch {
    return null;
  }
}
