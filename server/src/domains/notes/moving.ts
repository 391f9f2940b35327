import { fileName, joinPath } from '@notevault/note-text/paths.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { NoteId } from '@notevault/protocol/ids.ts';
import { aboutOne, itemIds } from '@notevault/protocol/items.ts';
import { pathFrom, type SentTarget } from '../tree/tree.ts';
import { sealed } from './meta.ts';
import { moveItems, type Top } from './move.ts';
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
    const row = await db.get(store.findByPath, { vault: vault.id, pathKey: tree.pathKey(vault, from) });
    if (row === undefined) throw new NotevaultError('note_not_found');
    const note = openNote(vault, row);
    const top: Top = { kind: 'note', id: note.id, from: note.meta.path, to };
    const id = note.id as NoteId;
    return moveItems(parts, writing, [top], async (handle) => {
      const now = await handle.get(store.findById, { vault: vault.id, id });
      if (now === undefined) throw new NotevaultError('note_not_found');
      const renamed = toNote(openNote(vault, now), await hooks.linksOf(handle, vault, id));
      return { renamed: true, old_path: note.meta.path, new_path: renamed.path, note: renamed };
    });
  }

  async function moveMany(writing: Writing<number>, sent: unknown, target: SentTarget): Promise<number> {
    const { vault } = writing;
    const ids = itemIds(sent);
    const folder = await tree.targetPath(db, vault, target);
    const rows = await db.allIn(store.findRows, { vault: vault.id }, ids);
    const rowOf = new Map(rows.map((row) => [row.id, row]));
    const tops = ids.map((id): Top => {
      const row = rowOf.get(id);
      if (row === undefined) throw new NotevaultError('item_not_found', { item_id: id });
      const { path } = sealed.openMeta(vault, id, row.stamp, row.meta);
      return { kind: 'note', id, from: path, to: joinPath(folder, fileName(path)) };
    });
    return moveItems(parts, writing, tops, async () => tops.length);
  }

  return {
    rename: (writing, paths) => turns.alone(writing.vault.id, () => aboutOne(() => rename(writing, paths))),
    moveMany: (writing, ids, target) => turns.alone(writing.vault.id, () => moveMany(writing, ids, target)),
  };
}
