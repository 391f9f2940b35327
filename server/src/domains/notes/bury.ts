import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import { createYield } from '../../concurrency/yield.ts';
import type { Pace, WriteHandle } from '../../engines/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import * as store from './bury.store.ts';
import { Stale } from './commit.ts';
import { sealed } from './meta.ts';
import { type NameKeys, nameKeysOf } from './name-keys.ts';
import type { StoredRow } from './notes.store.ts';
import type { NoteParts, Writing } from './parts.ts';

/** A note about to become a tombstone, sealed and ready. */
export interface Burial {
  readonly id: NoteId;
  readonly old: StoredRow;
  readonly path: string;
  readonly tombstone: Buffer;
  readonly movedKeys: Readonly<NameKeys>;
}

/** Deletions of more notes than this take the writer for themselves, in slices. */
const SHORT_MAX = 50;
/** Each round but the last meets a writer that was faster. */
const ROUNDS_MAX = 50;
/** Rows written between two looks at the clock: a long transaction lets others run only between its calls. */
const WRITE_SLICE = 256;
/** What is held in memory while it is looked through: a note can be 10 MB. */
const READ_SLICE = 100;
const READ_SLICE_BYTES = 16 * 1024 * 1024;

export async function paceOf(
  { db, hooks }: NoteParts,
  vault: OpenVault,
  burials: readonly Burial[],
  others = 0,
): Promise<Pace> {
  if (burials.length + others > SHORT_MAX) return 'long';
  const keys = burials.flatMap(({ movedKeys }) => movedKeys);
  return keys.length > 0 && (await hooks.hasManyLinksTo(db, vault, keys)) ? 'long' : 'short';
}

/** Prepares and writes anew while somebody else was faster. */
export async function whileStale<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let round = 1; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof Stale)) throw error;
      if (round === ROUNDS_MAX) throw new NotevaultError('unavailable', {}, error);
    }
  }
}

/**
 * Seals the tombstones of live notes, before the transaction. Throws `note_unreadable` when any part of a note is
 * damaged: such a note stays as it is. Throws Stale when one of them has changed since its row was read.
 */
export async function prepareBurials(
  parts: NoteParts,
  { vault, device }: Pick<Writing, 'vault' | 'device'>,
  rows: readonly StoredRow[],
): Promise<Burial[]> {
  const yieldIfDue = createYield();
  const burials: Burial[] = [];
  for (const slice of readSlices(rows)) {
    await checkReadable(parts, vault, slice, yieldIfDue);
    for (const row of slice) {
      await yieldIfDue();
      const id = row.id as NoteId;
      const meta = sealed.openMeta(vault, id, row.stamp, row.meta);
      const tombstone = sealed.meta(vault, id, row.stamp + 1, { ...meta, deletedBy: device });
      burials.push({ id, old: row, path: meta.path, tombstone, movedKeys: nameKeysOf(vault, meta) });
    }
  }
  return burials;
}

/** Opens everything that a write of other content would open. */
async function checkReadable(
  { db, hooks }: NoteParts,
  vault: OpenVault,
  rows: readonly StoredRow[],
  yieldIfDue: () => Promise<void>,
): Promise<void> {
  const ids = rows.map(({ id }) => id as NoteId);
  const bodies = await db.allIn(store.findStampedBodies, { vault: vault.id }, ids);
  const bodyOf = new Map(bodies.map((body) => [body.id, body]));
  for (const { id, stamp, version } of rows) {
    await yieldIfDue();
    const body = bodyOf.get(id);
    if (body?.stamp !== stamp) throw new Stale();
    sealed.openContent(vault, id, version, body.content);
    if (body.doc !== null) sealed.openDoc(vault, id, version, body.doc);
  }
  await hooks.checkReadable(db, vault, ids);
}

function* readSlices(rows: readonly StoredRow[]): Generator<StoredRow[]> {
  let slice: StoredRow[] = [];
  let bytes = 0;
  for (const row of rows) {
    if (slice.length === READ_SLICE || (slice.length > 0 && bytes + row.size_bytes > READ_SLICE_BYTES)) {
      yield slice;
      [slice, bytes] = [[], 0];
    }
    slice.push(row);
    bytes += row.size_bytes;
  }
  if (slice.length > 0) yield slice;
}

/**
 * Writes tombstones over the rows they were prepared from, under the vault's lock; the notes' names are the caller's to
 * give back. The documents stay: a revival goes on from them. Throws Stale when a note has changed.
 *
 * @param first the seq of the first tombstone; the others follow in order.
 */
export async function writeBurials(
  { clock, vaults, hooks, live }: NoteParts,
  handle: WriteHandle,
  vault: OpenVault,
  burials: readonly Burial[],
  first: Seq,
): Promise<void> {
  const now = clock.now();
  for (let at = 0; at < burials.length; at += WRITE_SLICE) {
    const slice = burials.slice(at, at + WRITE_SLICE);
    const rows = slice.map(({ old, tombstone, movedKeys: [name] }, index) => ({
      ...old,
      ...{ seq: first + at + index, stamp: old.stamp + 1, name_key: name, meta: tombstone },
    }));
    if ((await handle.runIn(store.buryNotes, { vault: vault.id, now }, rows)) < rows.length) throw new Stale();
    const named = slice.filter(({ movedKeys }) => movedKeys.length > 1).map(({ id }) => id);
    await handle.runIn(store.deleteAliasesOf, { vault: vault.id }, named);
  }
  // Counted now that they are sure to have been there: the vault would count less than none.
  await vaults.advance(handle, vault, { seqs: 0, notes: -burials.length });
  await hooks.deleted(handle, vault, burials);
  handle.onCommit(() => {
    for (const { id } of burials) live.deleted(id);
  });
}
