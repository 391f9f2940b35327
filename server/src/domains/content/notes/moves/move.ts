import { fileName, joinPath } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { MovedCount } from '@notevault/protocol/links.ts';
import type { NoteRenamed } from '@notevault/protocol/notes.ts';
import { itemIds } from '@notevault/protocol/values/batch-ids.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { RenameBody } from '@notevault/protocol/values/schemas.ts';
import type { MoveRoot, MoveTarget, WriteContext } from '../../entries/entries.ts';
import { pathFrom } from '../../entries/request-paths.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { notePathOf, openNote, toNote } from '../notes.mapper.ts';
import * as store from '../notes.store.ts';
import { sealed } from '../sealed-note.ts';

export function createMoveOperations({ db, entries, hooks }: NoteDeps) {
  /** Renames or moves the note at a path and updates the links to it. Throws `note_not_found`, `conflict`. */
  async function rename(context: WriteContext<NoteRenamed>, sent: RenameBody): Promise<NoteRenamed> {
    const dryRun = sent.dry_run === true;
    const { vault } = context;
    const [from, to] = [pathFrom(sent.old_path, 'old_path'), notePathOf(sent.new_path, 'new_path')];
    const find = async (): Promise<MoveRoot[]> => {
      const row = await db.get(store.findByPath, { vault: vault.id, pathKey: entries.pathKey(vault, from) });
      if (row === undefined) throw new NotevaultError('note_not_found');
      const note = openNote(vault, row);
      return [{ kind: 'note', id: note.id, from: note.meta.path, to }];
    };
    return entries.moveOne(context, to, {
      find,
      field: 'new_path',
      dryRun,
      async answer(handle, { named: [moved], left }) {
        const id = moved?.id as NoteId;
        const now = await handle.get(store.findById, { vault: vault.id, id });
        if (now === undefined) throw new NotevaultError('note_not_found');
        const note = toNote(openNote(vault, now), await hooks.linksOf(handle, vault, id));
        return { renamed: !dryRun, ...left, old_path: moved?.from ?? from, new_path: moved?.to ?? note.path, note };
      },
    });
  }

  /** Moves notes into a folder, all or none; counts those requested. Throws the errors of batch requests. */
  async function moveMany(context: WriteContext<MovedCount>, sent: unknown, target: MoveTarget): Promise<MovedCount> {
    const { vault } = context;
    const ids = itemIds(sent);
    const find = async (): Promise<MoveRoot[]> => {
      const folder = await entries.targetPath(db, vault, target, 'target_folder');
      const rows = await entries.rowsById(db, vault.id, 'note', ids);
      const rowOf = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => {
        const row = rowOf.get(id);
        if (row === undefined) throw new NotevaultError('item_not_found', { item_id: id });
        const { path } = sealed.openMeta(vault, id, row.revision, row.meta);
        return { kind: 'note', id, from: path, to: joinPath(folder, fileName(path)) };
      });
    };
    const dryRun = target.dryRun === true;
    return entries.moveMany(context, { find, field: 'target_folder', dryRun }, () => ids.length);
  }

  return { rename, moveMany };
}
