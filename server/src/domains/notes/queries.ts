import type { NoteListed } from '@notevault/protocol/notes.ts';
import type { FolderId } from '@notevault/protocol/values/ids.ts';
import { createYield } from '../../concurrency/yield.ts';
import type { OpenVault } from '../vaults/vaults.ts';
import { cachedNotes } from './note-cache.ts';
import type { NoteDeps } from './notes.deps.ts';
import { cachedToListed, toListed } from './notes.mapper.ts';

/**
 * Returns the notes directly inside a folder (null: the root), ordered by path: from memory when the vault is cached,
 * else by unsealing only these rows. Throws `note_unreadable`.
 */
export async function listIn(
  { db, cache, entries }: Pick<NoteDeps, 'db' | 'cache' | 'entries'>,
  vault: OpenVault,
  folder: FolderId | null,
): Promise<NoteListed[]> {
  if (cache.has(vault, cachedNotes)) {
    return cache.snapshot(vault, async (snapshot) => {
      const yieldIfDue = createYield();
      const notes: NoteListed[] = [];
      for (const note of await (await snapshot.rows(cachedNotes)).sorted()) {
        await yieldIfDue();
        if (note.folderId === folder) notes.push(cachedToListed(note));
      }
      return notes;
    });
  }
  const rows = await entries.rowsIn(db, vault.id, 'note', folder === null ? null : [folder]);
  const yieldIfDue = createYield();
  const notes: NoteListed[] = [];
  for (const row of rows) {
    await yieldIfDue();
    notes.push(toListed(vault, row));
  }
  return notes.sort((a, b) => (a.path < b.path ? -1 : 1));
}
