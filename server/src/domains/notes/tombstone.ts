import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import { createYield } from '../../concurrency/yield.ts';
import type { Priority, WriteHandle } from '../../ports/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { RevisionConflict } from './commit.ts';
import { type NameKeys, nameKeysOf } from './name-keys.ts';
import type { NoteDeps } from './notes.deps.ts';
import type { StoredRow } from './notes.store.ts';
import { sealed } from './sealed-note.ts';
import * as store from './tombstone.store.ts';
import type { WriteContext } from './write-context.ts';

/** A note about to become a tombstone, sealed and ready. */
export interface PendingTombstone {
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

export async function priorityOf(
  { db, hooks }: NoteDeps,
  vault: OpenVault,
  pending: readonly PendingTombstone[],
  others = 0,
): Promise<Priority> {
  if (pending.length + others > SHORT_MAX) return 'bulk';
  const keys = pending.flatMap(({ movedKeys }) => movedKeys);
  return keys.length > 0 && (await hooks.hasManyLinksTo(db, vault, keys)) ? 'bulk' : 'normal';
}

/** Prepares and writes anew while somebody else was faster. */
export async function retryOnConflict<Result>(attempt: () => Promise<Result>): Promise<Result> {
  for (let round = 1; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RevisionConflict)) throw error;
      if (round === ROUNDS_MAX) throw new NotevaultError('unavailable', {}, error);
    }
  }
}

/**
 * Seals the tombstones of live notes, before the transaction. Throws `note_unreadable` when any part of a note is
 * damaged: such a note stays as it is. Throws Stale when one of them has changed since its row was read.
 */
export async function prepareTombstones(
  deps: NoteDeps,
  { vault, device }: Pick<WriteContext, 'vault' | 'device'>,
  rows: readonly StoredRow[],
): Promise<PendingTombstone[]> {
  const yieldIfDue = createYield();
  const pending: PendingTombstone[] = [];
  for (const slice of readSlices(rows)) {
    await checkReadable(deps, vault, slice, yieldIfDue);
    for (const row of slice) {
      await yieldIfDue();
      const id = row.id as NoteId;
      const meta = sealed.openMeta(vault, id, row.revision, row.meta);
      const tombstone = sealed.meta(vault, id, row.revision + 1, { ...meta, deletedBy: device });
      pending.push({ id, old: row, path: meta.path, tombstone, movedKeys: nameKeysOf(vault, meta) });
    }
  }
  return pending;
}

/** Opens everything that a write of other content would open. */
async function checkReadable(
  { db, hooks }: NoteDeps,
  vault: OpenVault,
  rows: readonly StoredRow[],
  yieldIfDue: () => Promise<void>,
): Promise<void> {
  const ids = rows.map(({ id }) => id as NoteId);
  const bodies = await db.allMany(store.findBodiesWithRevision, { vault: vault.id }, ids);
  const bodyOf = new Map(bodies.map((body) => [body.id, body]));
  for (const { id, revision, version } of rows) {
    await yieldIfDue();
    const body = bodyOf.get(id);
    if (body?.revision !== revision) throw new RevisionConflict();
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
export async function writeTombstones(
  { clock, vaults, hooks, live }: NoteDeps,
  handle: WriteHandle,
  vault: OpenVault,
  pending: readonly PendingTombstone[],
  first: Seq,
): Promise<void> {
  const now = clock.now();
  for (let at = 0; at < pending.length; at += WRITE_SLICE) {
    const slice = pending.slice(at, at + WRITE_SLICE);
    const rows = slice.map(({ old, tombstone, movedKeys: [name] }, index) => ({
      ...old,
      ...{ seq: first + at + index, revision: old.revision + 1, name_key: name, meta: tombstone },
    }));
    if ((await handle.runMany(store.insertTombstones, { vault: vault.id, now }, rows)) < rows.length)
      throw new RevisionConflict();
    const named = slice.filter(({ movedKeys }) => movedKeys.length > 1).map(({ id }) => id);
    await handle.runMany(store.deleteAliasesOf, { vault: vault.id }, named);
  }
  // Counted now that they are sure to have been there: the vault would count less than none.
  await vaults.advance(handle, vault, { seqs: 0, notes: -pending.length });
  await hooks.deleted(handle, vault, pending);
  handle.onCommit(() => {
    for (const { id } of pending) live.deleted(id);
  });
}
