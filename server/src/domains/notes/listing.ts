import { folderOf } from '@notevault/note-text/paths.ts';
import type { FolderId } from '@notevault/protocol/ids.ts';
import { isoTime } from '@notevault/protocol/time.ts';
import { createYield } from '../../concurrency/yield.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { type HotNote, hotNotes } from './hot.ts';
import type { NoteListed } from './notes.schema.ts';
import * as store from './notes.store.ts';
import type { NoteParts } from './parts.ts';
import { toListed } from './view.ts';

/**
 * The notes directly inside a folder (null: the root), by path: from memory when the vault is held open, else only these
 * rows are opened. Throws `note_unreadable`.
 */
export async function listIn(
  { db, hot }: Pick<NoteParts, 'db' | 'hot'>,
  vault: OpenVault,
  folder: FolderId | null,
): Promise<NoteListed[]> {
  if (hot.holds(vault, hotNotes)) {
    return hot.look(vault, async (look) => {
      const yieldIfDue = createYield();
      const notes: NoteListed[] = [];
      for (const note of await (await look.rows(hotNotes)).sorted()) {
        await yieldIfDue();
        if (note.folderId === folder) notes.push(hotListed(note));
      }
      return notes;
    });
  }
  const rows =
    folder === null
      ? await db.all(store.findRowsAtRoot, { vault: vault.id })
      : await db.allIn(store.findRowsIn, { vault: vault.id }, [folder]);
  const yieldIfDue = createYield();
  const notes: NoteListed[] = [];
  for (const row of rows) {
    await yieldIfDue();
    notes.push(toListed(vault, row));
  }
  return notes.sort((a, b) => (a.path < b.path ? -1 : 1));
}

function hotListed(note: HotNote): NoteListed {
  const { id, path, title, tags, version, hash, mtime } = note;
  return {
    ...{ id, path, title, folder: folderOf(path), tags: [...tags], version, content_hash: hash, mtime },
    ...{ created_at: isoTime(note.createdAt), updated_at: isoTime(note.updatedAt) },
  };
}
