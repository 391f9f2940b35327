import { fileStem } from '@notevault/note-text/paths.ts';
import type { Appended, AppendNote } from '@notevault/protocol/notes.ts';
import type { WriteContext } from '../../entries/entries.ts';
import type { NoteDeps } from '../notes.deps.ts';
import { notePathOf } from '../notes.mapper.ts';
import { planText, writeOne } from './upsert.ts';
import { findWriteTarget, type NoteInput } from './write-target.ts';

/**
 * Appends a text to a note, or creates the note. Throws `note_too_large`, `conflict`, `limit_exceeded`,
 * `note_unreadable`.
 */
export async function append(deps: NoteDeps, context: WriteContext<Appended>, input: AppendNote): Promise<Appended> {
  const { lock, pathKey: keyOf } = deps.entries;
  const path = notePathOf(input.path);
  const pathKey = keyOf(context.vault, path);
  return lock.run(context.vault.id, pathKey.toString('hex'), () =>
    appendTo(deps, context, { path, pathKey }, input.text),
  );
}

/** Appends a text to the note at a path; creates the note, with its name as heading, if there is none. */
function appendTo(
  deps: NoteDeps,
  context: WriteContext<Appended>,
  place: Pick<NoteInput, 'path' | 'pathKey'>,
  sent: string,
): Promise<Appended> {
  const text = sent.toWellFormed();
  const input: NoteInput = { ...place, mtime: deps.clock.now() / 1000 };
  const started = `# ${fileStem(place.path)}\n\n${text}`;
  const plan = async () => {
    const target = await findWriteTarget(deps, context, input, started);
    if (target.kind !== 'live') return planText(deps, context, target, input, started, 'append');
    const grown = `${withoutTrailingNewlines(target.note.content)}\n${text}`;
    if (grown === target.note.content) return { kind: 'same', note: target.note } as const;
    return planText(deps, context, target, input, grown, context.actor.client === undefined ? 'append' : 'agent');
  };
  return writeOne(deps, context, plan, (note, { fresh }) => ({ created: fresh, path: note.path, note }));
}

/** Not a regular expression: it would backtrack at every newline in the middle of the text. */
function withoutTrailingNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end -= 1;
  return text.slice(0, end);
}
