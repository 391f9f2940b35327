import type { NoteId, Seq, VaultId } from '@notevault/protocol/ids.ts';
import type { NotePassages } from '@notevault/search-index/analysis/passages.ts';
import { isSameTitle, packVectors, unpackVectors } from '@notevault/search-index/vectors/note-vectors.ts';
import { quantize } from '@notevault/search-index/vectors/quantize.ts';
import { ConstraintError, type WriteHandle } from '../../engines/database/database.ts';
import { EmbedderError, type Passage, type Space } from '../../engines/embedder/embedder.ts';
import type { SealedNote } from '../notes/notes.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { vectorsPlace } from './index-format.ts';
import { Parcel } from './parcel.ts';
import type { SearchParts } from './parts.ts';
import * as store from './vectors.store.ts';

/** Makes the vectors of notes, beside and behind everything else. */
export interface Embedding {
  /**
   * Embeds what was written since the last time, in all vaults, and tries again what failed long enough ago. Ends when
   * nothing is left, the signal is aborted, or the embedder cannot go on. Resolves to whether it stopped short.
   */
  run(signal: AbortSignal): Promise<{ readonly stopped: EmbedderError | null }>;
  /** Embeds all of a vault anew. */
  forget(vault: OpenVault): Promise<void>;
  /** Deletes a slice of a purged vault's vectors; true when more may be left. */
  eraseSlice(handle: WriteHandle, vaultId: VaultId): Promise<boolean>;
  /** How many notes' vectors are being made. */
  readonly notes: number;
  /** How far a vault is. */
  progress(vault: OpenVault): Promise<EmbeddingProgress>;
}

export interface EmbeddingProgress {
  readonly total: number;
  readonly pending: number;
  readonly failed: number;
}

/** Notes read at once: some of them hold many chunks. */
const page = { limit: 32, bytes: 256 * 1024 };
const vaultsAtOnce = 16;
const pagesInTurn = 8;
/** Passages embedded with one call: a note of thousands of chunks must not hold all of them at once. */
const passagesAtOnce = 128;
/** Others may take over what nobody has moved for so long; a page takes seconds, with a slow model perhaps a minute. */
const leaseMs = 5 * 60_000;
/** A note that failed is tried again after this, then after twice as long, up to a day. */
const firstRetryMs = 10 * 60_000;
const lastRetryMs = 24 * 60 * 60_000;
/** Rows that are deleted are overwritten: few at a time, for they may be large. */
const eraseRows = 64;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The lease was lost, or the vault is gone: somebody else goes on, or nobody. */
class LeaseLost extends Error {
  override readonly name = 'LeaseLost';
}

/** A claimed vault. */
interface Claimed {
  readonly vault: OpenVault;
  readonly lease: string;
  readonly space: Space;
  seq: number;
}

/** A note to embed. */
interface Fresh {
  readonly note: SealedNote;
  readonly ready: NotePassages;
}

type Stamps = ReadonlyMap<string, { readonly version: number; readonly failures: number }>;

interface Made {
  readonly note: SealedNote;
  /** Sealed; null when the embedder refuses this note's texts. */
  readonly data: Buffer | null;
}

export function createEmbedding(parts: SearchParts): Embedding {
  const { db, clock, vaults, notes, thread, embedder } = parts;
  const me = clock.uuid();
  /** The embedder's space, once it is known. */
  let model: string | null = null;
  let making = 0;

  async function claim(vaultId: VaultId, space: Space): Promise<Claimed | null> {
    const vault = await vaults.openForWork(vaultId);
    if (vault === null) return null;
    const now = clock.now();
    const wanted = { vault: vaultId, model: space.id, epoch: vault.feedEpoch, lease: me, now, until: now + leaseMs };
    return db.transact(async (handle) => {
      const row = await handle.get(store.claim, wanted);
      if (row === undefined) return null;
      const same = row.model === space.id && row.feed_epoch === vault.feedEpoch;
      if (!same) await handle.run(store.restart, wanted);
      return { vault, lease: me, space, seq: same ? row.seq : 0 };
    });
  }

  /** Embeds the next page of a vault; false when there is none. */
  async function step(own: Claimed, signal: AbortSignal): Promise<boolean> {
    const { vault } = own;
    const found = await db.read(async (handle) => {
      const { changeSeq } = await vaults.feed(handle, vault);
      if (changeSeq <= own.seq) return null;
      return { changeSeq, ...(await notes.sealedAfter(handle, vault, own.seq as Seq, page)) };
    });
    if (found === null) return false;
    const last = found.notes.at(-1)?.seq;
    const upTo = found.more && last !== undefined ? last : found.changeSeq;
    await embedNotes(own, found.notes, upTo, signal);
    own.seq = upTo;
    return true;
  }

  /** Makes and stores the vectors of some notes; the vault is then embedded up to a seq. */
  async function embedNotes(own: Claimed, page: readonly SealedNote[], upTo: number, signal: AbortSignal) {
    const live = page.filter(({ deleted }) => !deleted);
    const stamps = await stampsOf(own, live);
    const key = own.vault.key.share(0);
    const parcel = new Parcel();
    const prepared = await thread.ask('passages', { key, notes: live.map((note) => parcel.note(note)) }, parcel);
    const fresh: Fresh[] = [];
    const rows: Omit<store.NewVectors, 'vseq'>[] = [];
    for (const [at, note] of live.entries()) {
      const ready = prepared[at] ?? null;
      const sameText = stamps.get(note.id)?.version === note.version;
      if (ready === null) rows.push(failed(note, stamps));
      else if (!sameText || !(await isStillGood(own, note.id, ready.title))) fresh.push({ note, ready });
    }
    making += fresh.length;
    const made = await embedFresh(own, fresh, signal).finally(() => {
      making -= fresh.length;
    });
    for (const { note, data } of made) {
      const { id, version } = note;
      rows.push(data === null ? failed(note, stamps) : { note: id, version, data, failures: 0, retryAt: null });
    }
    const gone = page.filter(({ deleted }) => deleted).map(({ id }) => id);
    await put(own, rows, gone, upTo);
  }

  /** What is stored of a note that cannot be embedded. */
  function failed({ id, version }: SealedNote, stamps: Stamps): Omit<store.NewVectors, 'vseq'> {
    const failures = (stamps.get(id)?.failures ?? 0) + 1;
    const wait = Math.min(lastRetryMs, firstRetryMs * 2 ** (failures - 1));
    return { note: id, version, data: null, failures, retryAt: clock.now() + wait };
  }

  /** Embeds notes together; when the embedder refuses them, each alone, to find out which it means. */
  async function embedFresh(own: Claimed, fresh: readonly Fresh[], signal: AbortSignal): Promise<Made[]> {
    const passages = fresh.flatMap(({ ready }) => ready.passages);
    if (passages.length === 0) return [];
    try {
      const vectors: Float32Array[] = [];
      for (let from = 0; from < passages.length; from += passagesAtOnce) {
        vectors.push(...(await embedPaced(passages.slice(from, from + passagesAtOnce), signal)));
      }
      return fresh.map(({ note, ready }) => {
        const mine = vectors.splice(0, ready.passages.length);
        return { note, data: sealedVectors(own, note, ready, mine) };
      });
    } catch (error) {
      if (!(error instanceof EmbedderError) || error.code !== 'refused') throw error;
      const [only] = fresh;
      if (fresh.length === 1 && only !== undefined) return [{ note: only.note, data: null }];
      const each: Made[] = [];
      for (const one of fresh) each.push(...(await embedFresh(own, [one], signal)));
      return each;
    }
  }

  function sealedVectors(
    { vault, space }: Claimed,
    note: SealedNote,
    { title, chunks }: NotePassages,
    vectors: Float32Array[],
  ): Buffer {
    const packed = packVectors({ title, chunks, vectors: quantize(vectors, space.dimensions) });
    return vault.key.seal(vectorsPlace(note.id, note.version), packed);
  }

  async function put(
    own: Claimed,
    rows: readonly Omit<store.NewVectors, 'vseq'>[],
    gone: readonly string[],
    seq: number,
  ) {
    const { vault, lease, space } = own;
    const moved = db.transact(async (handle) => {
      const until = clock.now() + leaseMs;
      const now = await handle.get(store.advance, { vault: vault.id, lease, until, rows: rows.length, seq });
      if (now === undefined) throw new LeaseLost();
      const first = now.vseq - rows.length + 1;
      const stored = rows.map((row, at) => ({ ...row, vseq: first + at }));
      await handle.runIn(store.putVectors, { vault: vault.id, model: space.id }, stored);
      await handle.runIn(store.deleteVectors, { vault: vault.id }, gone);
    });
    await moved.catch((error: unknown) => {
      // A note that is not there any more: its vault is being purged, or it was a tombstone whose time was over.
      throw error instanceof ConstraintError && error.kind === 'foreign' ? new LeaseLost() : error;
    });
  }

  async function stampsOf({ vault, space }: Claimed, live: readonly SealedNote[]) {
    const ids = live.map(({ id }) => id as string);
    const rows = await db.allIn(store.findStamps, { vault: vault.id }, ids);
    return new Map(rows.filter(({ model }) => model === space.id).map((row) => [row.note_id, row]));
  }

  /** Whether a note, whose text is the same, has vectors that were made under this title. */
  async function isStillGood({ vault, space }: Claimed, id: string, title: string): Promise<boolean> {
    const [row] = await db.allIn(store.findVectorsOf, { vault: vault.id, model: space.id }, [id]);
    if (row === undefined || row.data === null) return false;
    try {
      return isSameTitle(unpackVectors(vault.key.open(vectorsPlace(id, row.version), row.data)).title, title);
    } catch {
      return false;
    }
  }

  /** Then rests for as long as that took: never more than half of a processor's time. */
  async function embedPaced(passages: readonly Passage[], signal: AbortSignal): Promise<Float32Array[]> {
    const started = performance.now();
    const vectors = await embedder.embedPassages(passages, signal);
    await parts.rest(performance.now() - started, signal);
    return vectors;
  }

  /** Tries failed notes again, without moving the vault's seq. */
  async function retry(space: Space, signal: AbortSignal): Promise<void> {
    const due = await db.all(store.findRetries, { now: clock.now(), limit: page.limit });
    for (const [vaultId, rows] of Map.groupBy(due, ({ vault_id }) => vault_id)) {
      const ids = rows.map(({ note_id }) => note_id as NoteId);
      const own = await claim(vaultId, space);
      if (own === null) {
        // A deleted vault, or one that another process is at: neither must keep others from their turn.
        const until = clock.now() + firstRetryMs;
        await db.transact((handle) => handle.runIn(store.postpone, { vault: vaultId, until }, ids));
        continue;
      }
      await working(own, async () => {
        const found = await db.read((handle) => notes.sealedOf(handle, own.vault, ids));
        await embedNotes(own, found, own.seq, signal);
      });
    }
  }

  /** Gives the lease back whatever comes; losing it, or the vault, is no fault. */
  async function working(own: Claimed, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof LeaseLost)) throw error;
    } finally {
      await db.transact((handle) => handle.run(store.release, { vault: own.vault.id, lease: own.lease }));
    }
  }

  /** Some pages of each vault in turn, so that a large one does not hold the others up. */
  async function round(space: Space, signal: AbortSignal): Promise<boolean> {
    let more = false;
    for (let after = FIRST_ID; !signal.aborted; ) {
      const due = await db.all(store.findDue, { model: space.id, now: clock.now(), after, limit: vaultsAtOnce });
      for (const { vault_id: vaultId } of due) {
        after = vaultId;
        const own = await claim(vaultId, space);
        if (own === null) continue;
        await working(own, async () => {
          for (let pages = 0; !signal.aborted && (await step(own, signal)); ) {
            more = ++pages === pagesInTurn;
            if (more) break;
          }
        });
      }
      if (due.length < vaultsAtOnce) break;
    }
    return more;
  }

  async function runAll(signal: AbortSignal): Promise<void> {
    const space = await embedder.space(signal);
    model = space.id;
    await retry(space, signal);
    while ((await round(space, signal)) && !signal.aborted);
  }

  return {
    get notes() {
      return making;
    },
    async run(signal) {
      try {
        await runAll(signal);
      } catch (error) {
        if (signal.aborted) return { stopped: null };
        if (error instanceof EmbedderError) return { stopped: error };
        throw error;
      }
      return { stopped: null };
    },
    async forget(vault) {
      await db.transact((handle) => handle.run(store.deleteEmbedding, { vault: vault.id }));
    },
    async eraseSlice(handle, vault) {
      await handle.run(store.deleteEmbedding, { vault });
      const rows = await handle.all(store.findSome, { vault, limit: eraseRows });
      await handle.runIn(
        store.deleteVectors,
        { vault },
        rows.map(({ note_id }) => note_id),
      );
      return rows.length === eraseRows;
    },
    async progress(vault) {
      const at = await db.get(store.findEmbedding, { vault: vault.id });
      // Of another model nothing is done; which one is wanted now may not be known yet.
      const other = at === undefined || at.feed_epoch !== vault.feedEpoch || (model !== null && at.model !== model);
      const seq = other ? 0 : at.seq;
      const counts = await db.get(store.countNotes, { vault: vault.id, seq });
      const { total = 0, pending, failed } = counts ?? {};
      return { total, pending: Number(pending ?? 0), failed: Number(failed ?? 0) };
    },
  };
}
