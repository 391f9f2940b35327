import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { KindHandler } from '../entries/entries.ts';
import { notesDeleted, prepareTombstones } from './deletion/note-tombstones.ts';
import { dropBodies, dropVersions } from './deletion/purge.ts';
import { restoreDeleted } from './deletion/restore.ts';
import { applyMove, prepareMove } from './moves/moved-notes.ts';
import type { NoteDeps } from './notes.deps.ts';
import { openNote, toNote } from './notes.mapper.ts';
import * as store from './notes.store.ts';
import { sealed } from './sealed-note.ts';

/** The KindHandler of notes: texts, versions, aliases and links. */
export function createNoteKind(deps: NoteDeps): KindHandler {
  const { db, hooks } = deps;
  return {
    openMeta: (vault, { id, revision, meta }) => sealed.openMeta(vault, id, revision, meta),
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
    prepareMove: (context, moving, yieldIfDue) => prepareMove(deps, context, moving, yieldIfDue),
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
