import { aliasKey, noteNameKey } from '@notevault/note-text/resolve.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId, Seq } from '@notevault/protocol/ids.ts';
import type { ReadHandle, WriteHandle } from '../../engines/database/database.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { breather } from './breather.ts';
import { type NoteMeta, sealed } from './meta.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing } from './parts.ts';
import { openNote } from './view.ts';

/** Deletions of more notes than this take the writer for themselves, in slices. */
const SHORT_MAX = 50;
/** As for writes: each round but the last meets a writer that was faster. */
const ROUNDS_MAX = 50;

/** Every blind key a note is found under: its name's and its aliases'. */
export function nameKeysOf(vault: OpenVault, note: Pick<NoteMeta, 'path' | 'aliases'>): Buffer[] {
  return [noteNameKey(note.path), ...note.aliases.map(aliasKey)].map((name) => vault.key.blind('name', name));
}

/** A note about to become a tombstone, sealed and ready. */
interface Burial {
  readonly id: NoteId;
  readonly was: number;
  readonly path: string;
  readonly tombstone: Buffer;
  readonly movedKeys: readonly Buffer[];
}

type LiveRow = Pick<store.StoredRow, 'id' | 'stamp' | 'meta'>;

function burialOf({ vault, device }: Writing, row: LiveRow): Burial {
  const id = row.id as NoteId;
  const meta = sealed.openMeta(vault, id, row.stamp, row.meta);
  const tombstone = sealed.meta(vault, id, row.stamp + 1, { ...meta, deletedBy: device });
  return { id, was: row.stamp, path: meta.path, tombstone, movedKeys: nameKeysOf(vault, meta) };
}

/** False when the note changed since it was prepared. The document stays: a revival goes on from it. */
async function bury(
  { tree, clock, hooks }: NoteParts,
  handle: WriteHandle,
  { vault }: Writing,
  { id, was, path, tombstone, movedKeys }: Burial,
  seq: Seq,
): Promise<boolean> {
  const row = { vault: vault.id, id, was, stamp: was + 1, seq, now: clock.now(), meta: tombstone };
  if ((await handle.run(store.buryNote, row)) === 0) return false;
  await handle.run(store.deleteAliases, { vault: vault.id, id });
  await tree.release(handle, vault, path, 'note', id);
  await hooks.deleted(handle, vault, { id, seq, movedKeys });
  return true;
}

/**
 * Turns the note found into a tombstone; false when there is none. Throws `note_unreadable` when any part of the note is
 * damaged, which then stays as it is.
 */
export async function deleteNote(
  parts: NoteParts,
  writing: Writing,
  find: (handle: ReadHandle) => Promise<store.StoredNote | undefined>,
): Promise<boolean> {
  const { db, vaults } = parts;
  const live = await db.read(async (handle) => {
    const row = await find(handle);
    await checkReadable(parts, handle, writing.vault, row);
    return isLive(row);
  });
  if (!live) return false;
  return db
    .transact(async (handle) => {
      const seq = await vaults.advance(handle, writing.vault, { seqs: 1, notes: 0 });
      // Read again: only from here on does no other writer of the vault come between.
      const row = await find(handle);
      if (!isLive(row)) throw new Outdated();
      // Counted now that it is sure to be there: the vault would count less than none.
      await vaults.advance(handle, writing.vault, { seqs: 0, notes: -1 });
      return bury(parts, handle, writing, burialOf(writing, row), seq);
    })
    .catch((error) => orOutdated(error) ?? false);
}

/** Opens everything a write of other content would open; outside the transaction, for a document may be large. */
async function checkReadable(
  { hooks }: NoteParts,
  handle: ReadHandle,
  vault: OpenVault,
  row: store.StoredNote | undefined,
): Promise<void> {
  if (!isLive(row)) return;
  const note = openNote(vault, row);
  const id = note.id as NoteId;
  const doc = (await handle.get(store.findDoc, { vault: vault.id, id }))?.doc ?? null;
  if (doc !== null) sealed.openDoc(vault, id, note.version, doc);
  await hooks.linksOf(handle, vault, id);
}

function isLive(row: store.StoredNote | undefined): row is store.StoredNote {
  return row !== undefined && row.deleted_at === null;
}

/** Turns all of these notes into tombstones or, when one is not there, none. Throws `item_not_found`. */
export async function deleteNotes(parts: NoteParts, writing: Writing<number>, ids: readonly NoteId[]): Promise<number> {
  const { vault } = writing;
  for (let round = 1; round <= ROUNDS_MAX; round++) {
    const burials = await prepareBurials(parts, writing, ids);
    const deleted = await parts.db
      .transact(
        async (handle) => {
          const first = await parts.vaults.advance(handle, vault, { seqs: ids.length, notes: 0 });
          for (const [index, burial] of burials.entries()) {
            if (!(await bury(parts, handle, writing, burial, (first + index) as Seq))) throw new Outdated();
          }
          // Counted now that they are sure to have been there: the vault would count less than none.
          await parts.vaults.advance(handle, vault, { seqs: 0, notes: -ids.length });
          await writing.finish?.(handle, ids.length);
          return ids.length;
        },
        ids.length > SHORT_MAX ? 'long' : 'short',
      )
      .catch(orOutdated);
    if (deleted !== null) return deleted;
  }
  throw new NotevaultError('unavailable');
}

/** A note changed between its preparation and the transaction. */
class Outdated extends Error {}

function orOutdated(error: unknown): null {
  if (error instanceof Outdated) return null;
  throw error;
}

async function prepareBurials(parts: NoteParts, writing: Writing, ids: readonly NoteId[]): Promise<Burial[]> {
  const { vault } = writing;
  const breathe = breather();
  const burials: Burial[] = [];
  for (const id of ids) {
    await breathe();
    const row = await parts.db.read(async (handle) => {
      const found = await handle.get(store.findById, { vault: vault.id, id });
      await checkReadable(parts, handle, vault, found);
      return found;
    });
    if (!isLive(row)) throw new NotevaultError('item_not_found', { item_id: id });
    burials.push(burialOf(writing, row));
  }
  return burials;
}
