import { fileName, joinPath } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import { itemIds } from '@notevault/protocol/items.ts';
import { pathFrom, type SentTarget } from '../tree/tree.ts';
import { sealed } from './meta.ts';
import { moveItems, moveOne, type Top } from './move.ts';
import type { Note } from './notes.schema.ts';
import * as store from './notes.store.ts';
import type { NoteParts, Writing } from './parts.ts';
import type { Turns } from './turns.ts';
import { notePathOf, openNote, toNote } from './view.ts';

export interface Renamed {
  readonly renamed: true;
  readonly old_path: string;
  readonly new_path: string;
  readonly note: Note;
}

export interface Moving {
  /** Renames or moves the note at a path; links to it go along. Throws `note_not_found`, `conflict`. */
  rename(writing: Writing<Renamed>, paths: { old_path: string; new_path: string }): Promise<Renamed>;
  /** Moves notes into a folder, all or none; resolves to how many were named. Throws contract section 8's errors. */
  moveMany(writing: Writing<number>, ids: unknown, target: SentTarget): Promise<number>;
}

export function createMoving(parts: NoteParts, turns: Turns): Moving {
  const { db, tree, hooks } = parts;

  async function rename(writing: Writing<Renamed>, sent: { old_path: string; new_path: string }): Promise<Renamed> {
    const { vault } = writing;
    const [from, to] = [pathFrom(sent.old_path, 'old_path'), notePathOf(sent.new_path, 'new_path')];
    const find = async (): Promise<Top[]> => {
      const row = await db.get(store.findByPath, { vault: vault.id, pathKey: tree.pathKey(vault, from) });
      if (row === undefined) throw new NotevaultError('note_not_found');
      const note = openNote(vault, row);
      return [{ kind: 'note', id: note.id, from: note.meta.path, to }];
    };
    return moveOne(parts, writing, to, {
      find,
      field: 'new_path',
      async answer(handle, { named: [moved] }) {
        const id = moved?.id as NoteId;
        const now = await handle.get(store.findById, { vault: vault.id, id });
        if (now === undefined) throw new NotevaultError('note_not_found');
        const note = toNote(openNote(vault, now), await hooks.linksOf(handle, vault, id));
        return { renamed: true, old_path: moved?.from ?? from, new_path: note.path, note };
      },
    });
  }

  async function moveMany(writing: Writing<number>, sent: unknown, target: SentTarget): Promise<number> {
    const { vault } = writing;
    const ids = itemIds(sent);
    const find = async (): Promise<Top[]> => {
      const folder = await tree.targetPath(db, vault, target, 'target_folder');
      const rows = await db.allIn(store.findRows, { vault: vault.id }, ids);
      const rowOf = new Map(rows.map((row) => [row.id, row]));
      return ids.map((id) => {
        const row = rowOf.get(id);
        if (row === undefined) throw new NotevaultError('item_not_found', { item_id: id });
        const { path } = sealed.openMeta(vault, id, row.stamp, row.meta);
        return { kind: 'note', id, from: path, to: joinPath(folder, fileName(path)) };
      });
    };
    return moveItems(parts, writing, { find, field: 'target_folder', answer: () => ids.length });
  }

  return {
    rename: (writing, paths) => turns.alone(writing.vault.id, () => rename(writing, paths)),
    moveMany: (writing, ids, target) => turns.alone(writing.vault.id, () => moveMany(writing, ids, target)),
  };
}
