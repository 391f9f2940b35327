import { fileStem } from '@notevault/note-text/paths.ts';
import { findBasis, type PlacedNote } from './basis.ts';
import type { Appended } from './notes.schema.ts';
import type { NoteParts, Writing } from './parts.ts';
import { planText, writeOne } from './upsert.ts';

/** Adds a text to the end of the note at a path, or begins one with its name for a heading (contract section 4, "Append"). */
export function appendTo(
  parts: NoteParts,
  writing: Writing<Appended>,
  place: Pick<PlacedNote, 'path' | 'pathKey'>,
  sent: string,
): Promise<Appended> {
  const text = sent.toWellFormed();
  const input: PlacedNote = { ...place, mtime: parts.clock.now() / 1000 };
  const begun = `# ${fileStem(place.path)}\n\n${text}`;
  const plan = async () => {
    const basis = await findBasis(parts, writing, input, begun);
    if (basis.kind !== 'live') return planText(parts, writing, basis, input, begun, 'append');
    const grown = `${withoutTrailingNewlines(basis.note.content)}\n${text}`;
    if (grown === basis.note.content) return { kind: 'same', note: basis.note } as const;
    return planText(parts, writing, basis, input, grown, 'append');
  };
  return writeOne(parts, writing, plan, (note, { fresh }) => ({ created: fresh, path: note.path, note }));
}

/** Not a regular expression: on newlines in the middle of a text it would try again at each of them. */
function withoutTrailingNewlines(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === '\n' || text[end - 1] === '\r')) end -= 1;
  return text.slice(0, end);
}
