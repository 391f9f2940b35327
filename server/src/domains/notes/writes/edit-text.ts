import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import type { WriteContext } from '../../entries/entries.ts';
import { RevisionConflict, retryOnConflict } from '../../entries/revision-conflict.ts';
import type { OpenVault } from '../../vaults/vaults.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { sealed } from '../sealed-note.ts';
import { planText, writeOne } from './upsert.ts';
import { findWriteTarget, type NoteInput } from './write-target.ts';

/** How often a note may move while it is edited. */
const ATTEMPTS_MAX = 5;

/**
 * Edits the text of a live note, as a version of its own; an unchanged text makes none.
 *
 * @param edit resolves to the new text, or throws; it is called again when the note was written meanwhile.
 * @param resultOf maps the note to the operation's result. Throws `note_not_found`, `note_too_large`, `note_unreadable`.
 */
export function editText<Result>(
  deps: NoteDeps,
  context: WriteContext<Result>,
  id: NoteId,
  edit: (content: string) => Promise<string>,
  resultOf: (note: Note) => Result,
): Promise<Result> {
  return retryOnConflict(async () => {
    const place = await findPlace(deps, context.vault, id);
    const input: NoteInput = { ...place, mtime: deps.clock.now() / 1000 };
    const plan = async () => {
      const target = await findWriteTarget(deps, context, input, undefined);
      // The note is not at its path any more.
      if (target.kind !== 'live' || target.id !== id) throw new RevisionConflict();
      const text = await edit(target.note.content);
      if (text === target.note.content) return { kind: 'same', note: target.note } as const;
      const reason = context.actor.client === undefined ? 'edit' : 'agent';
      return planText(deps, context, target, input, text, reason);
    };
    const write = () => writeOne(deps, context, plan, resultOf);
    return deps.entries.lock.run(context.vault.id, place.pathKey.toString('hex'), write);
  }, ATTEMPTS_MAX);
}

async function findPlace({ db, entries }: NoteDeps, vault: OpenVault, id: NoteId) {
  const [row] = await entries.rowsById(db, vault.id, 'note', [id]);
  if (row === undefined) throw new NotevaultError('note_not_found');
  return { path: sealed.openMeta(vault, row.id, row.revision, row.meta).path, pathKey: row.path_key };
}
