import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { TrashRestored } from '@notevault/protocol/trash.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { WriteContext } from '../../entries/entries.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { notePathOf, openNote } from '../notes.mapper.ts';
import * as notesStore from '../notes.store.ts';
import { planText, writeOne } from '../writes/upsert.ts';
import type { WritePlan, WriteTarget } from '../writes/write-target.ts';
import * as store from './note-tombstones.store.ts';

/**
 * Makes a note in the trash live again, with its id, document and history: a new version with its last text. Throws
 * `trash_not_found`, `conflict`, `limit_exceeded`, `note_unreadable`, a validation error.
 *
 * @param sent the path to restore it to; its last one, by default.
 */
export function restoreDeleted(
  deps: NoteDeps,
  context: WriteContext<TrashRestored>,
  id: NoteId,
  sent: string | undefined,
): Promise<TrashRestored> {
  const plan = async (): Promise<WritePlan> => {
    const target = await findTarget(deps, context, id, sent);
    const { content, mtime } = target.note;
    return planText(deps, context, target, { mtime }, content, 'restore');
  };
  return writeOne(deps, context, plan, (note) => ({ note }));
}

async function findTarget(
  { db, entries }: NoteDeps,
  { vault }: WriteContext<TrashRestored>,
  id: NoteId,
  sent: string | undefined,
): Promise<WriteTarget & { kind: 'tombstone' }> {
  const row = await db.get(notesStore.findForRevival, { vault: vault.id, id });
  if (row === undefined) throw new NotevaultError('trash_not_found');
  const note = { ...openNote(vault, row), sealedContent: row.content };
  const path = sent === undefined ? note.meta.path : notePathOf(sent);
  const resolved = await entries.resolve(db, vault, path, entries.pathKey(vault, path));
  const owner = resolved.blocked?.owner ?? (await entries.ownerOf(db, vault, path));
  if (owner !== null) throw await entries.conflictWith(vault, owner, resolved.blocked?.path ?? path);
  const highest = await db.get(store.findHighestVersion, { vault: vault.id, pathKey: resolved.pathKey });
  return {
    kind: 'tombstone',
    id,
    resolved,
    note,
    doc: row.doc,
    fingerprints: row.fingerprints,
    tombstoneVersion: highest?.version ?? 0,
  };
}
