import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { TrashRestored } from '@notevault/protocol/trash.ts';
import type { NoteId, VaultId } from '@notevault/protocol/values/ids.ts';
import type { WriteHandle } from '../../../ports/database/database.ts';
import type { KindHandler, WriteContext } from '../entries/entries.ts';
import { firstBytes, SLICE_BYTES, SLICE_ROWS } from '../entries/row-slices.ts';
import {
  deleteBodiesOf,
  deleteUpdatesOf,
  findHighestVersion,
  findVersionsOf,
} from './deletion/note-tombstones.store.ts';
import { notesDeleted, prepareTombstones } from './deletion/note-tombstones.ts';
import { applyMove, prepareMove } from './moves/moved-notes.ts';
import type { NoteDeps } from './notes.deps.ts';
import { notePathOf, openNote, toNote } from './notes.mapper.ts';
import * as store from './notes.store.ts';
import { sealed } from './sealed-note.ts';
import { planText, writeOne } from './writes/upsert.ts';
import { type ExistingTarget, storedNote, type WritePlan } from './writes/write-target.ts';

export function createNoteKind(deps: NoteDeps): KindHandler {
  const { db, hooks } = deps;
  return {
    openMeta: (vault, { id, revision, meta }) => sealed.openMeta(vault, id, revision, meta),
    targetPath: (_vault, sent, field) => notePathOf(sent, field),
    conflictDetails: (vault, sent) =>
      db.read(async (handle) => {
        const id = sent as NoteId;
        const row = await handle.get(store.findById, { vault: vault.id, id });
        if (row === undefined) return null;
        const note = toNote(openNote(vault, row), await hooks.linksOf(handle, vault, id));
        return { server_path: note.path, server_note: note };
      }),
    prepareTombstones: (context, rows) => prepareTombstones(deps, context, rows),
    deleted: (handle, vault, tombstones) => notesDeleted(deps, handle, vault, tombstones),
    prepareMove: (context, moving, _unused, yieldIfDue) => prepareMove(deps, context, moving, yieldIfDue),
    applyMove: (handle, vault, rest) => applyMove(deps, handle, vault, rest),
    describeTrashed(vault, { id, revision, meta }) {
      const { path, title, deletedActor } = sealed.openMeta(vault, id, revision, meta);
      if (deletedActor === undefined) throw new NotevaultError('note_unreadable');
      return { path, title, actor: deletedActor };
    },
    restore: (context, id, path) => restoreDeleted(deps, context, id as NoteId, path),
    purged: (handle, vault, rows) =>
      dropBodies(
        handle,
        vault,
        rows.map(({ id }) => id),
      ),
    storedBytes: ({ size_bytes }) => size_bytes,
    dropSlice: dropVersions,
  };
}

/** Deletes a slice of a purged vault's stored versions; returns true when more may be left. */
export async function purgeSlice(handle: WriteHandle, vault: VaultId): Promise<boolean> {
  const versions = await handle.all(store.findSomeVersions, { vault, limit: SLICE_ROWS });
  for (const { note_id, version } of firstBytes(versions, ({ size_bytes }) => size_bytes))
    await handle.run(store.deleteVersion, { vault_id: vault, note_id, version });
  return versions.length > 0;
}

/** Deletes the texts, documents and waiting edits of notes that can no longer be revived. */
export async function dropBodies(handle: WriteHandle, vault: VaultId, notes: readonly string[]): Promise<void> {
  await handle.runMany(deleteBodiesOf, { vault_id: vault }, notes);
  await handle.runMany(deleteUpdatesOf, { vault_id: vault }, notes);
}

/** Deletes a slice of the stored versions of some notes; returns true when there may be more. */
export async function dropVersions(handle: WriteHandle, vault: VaultId, notes: readonly string[]): Promise<boolean> {
  let [rows, bytes] = [0, 0];
  for (const id of notes) {
    const versions = await handle.all(findVersionsOf, { vault, id, limit: SLICE_ROWS });
    for (const { version, size_bytes: size } of versions) {
      if (rows > 0 && (rows >= SLICE_ROWS || bytes + size > SLICE_BYTES)) return true;
      await handle.run(store.deleteVersion, { vault_id: vault, note_id: id, version });
      rows += 1;
      bytes += size;
    }
    if (versions.length === SLICE_ROWS) return true;
  }
  return false;
}

/**
 * Restores a note in the trash with its document and history, at `sent` or its last path. Throws `trash_not_found`,
 * `conflict`, `limit_exceeded`, `note_unreadable`, a validation error.
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
): Promise<ExistingTarget> {
  const row = await db.get(store.findForRevival, { vault: vault.id, id });
  if (row === undefined) throw new NotevaultError('trash_not_found');
  const note = storedNote(vault, row);
  const path = sent === undefined ? note.meta.path : notePathOf(sent);
  const resolved = await entries.resolve(db, vault, path, entries.pathKey(vault, path));
  const owner = resolved.blocked?.owner ?? (await entries.ownerOf(db, vault, path));
  if (owner !== null) throw await entries.conflictWith(vault, owner, resolved.blocked?.path ?? path);
  const highest = await db.get(findHighestVersion, { vault: vault.id, pathKey: resolved.pathKey });
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
