import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import { seedSnapshot } from '../../../src/domains/content/notes/merge/document.ts';
import { findNoteState, insertVersions, overwriteBodies } from '../../../src/domains/content/notes/notes.store.ts';
import { KEEP_ALL_MS, sealed } from '../../../src/domains/content/notes/sealed-note.ts';
import { storedNote } from '../../../src/domains/content/notes/writes/write-target.ts';
import { rawOf } from '../engines.ts';
import type { TestServer } from '../server.ts';

/**
 * Stores older versions of a note that was written once, as if they had been written before: that would take a request
 * each. The note must have no links, and its document stays as it is, so nothing can be merged on top of them.
 *
 * @param textOf returns the text of the version with an index.
 */
export async function addVersions(
  { app, db }: TestServer,
  vaultId: string,
  id: string,
  count: number,
  textOf: (index: number) => string = String,
): Promise<void> {
  const vault = await app.vaults.openAsSystem(vaultId as VaultId);
  const row = await db.get(findNoteState, { vault: vaultId as VaultId, id: id as NoteId });
  assert.ok(vault !== null && row?.version === 1);
  const { content, meta } = storedNote(vault, row);
  const { versionAt, reason, actor } = meta;
  const snapshot = seedSnapshot(meta.seed ?? 0, content);
  const versions = Array.from({ length: count }, (_, index) => {
    const [version, utf8] = [index + 1, Buffer.from(textOf(index))];
    const hash = createHash('sha256').update(utf8).digest('hex');
    return {
      id: id as NoteId,
      version,
      created_at: versionAt,
      size_bytes: utf8.length,
      pinned: 0,
      due_at: versionAt + KEEP_ALL_MS,
      meta: sealed.version(vault, id, version, { hash, reason, actor }),
      content: sealed.content(vault, id, version, utf8),
      snapshot: sealed.snapshot(vault, id, version, snapshot),
    };
  });
  const present = sealed.content(vault, id, count + 1, Buffer.from(content));
  await db.transact(async (handle) => {
    await handle.runMany(insertVersions, { vault: vault.id }, versions);
    await handle.runMany(overwriteBodies, { vault: vault.id }, [{ id, content: present, doc: row.doc }]);
  });
  await using raw = await rawOf(db);
  await raw.run('update entries set version = $1 where id = $2', count + 1, id);
}
