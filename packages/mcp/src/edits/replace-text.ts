import { checkLength, EditFailure, type NoteEdit } from './edit.ts';
import { nearestLines } from './nearest.ts';

type ReplaceText = Extract<NoteEdit, { op: 'replace_text' }>;

const LINES_SHOWN = 10;

/** Replaces every occurrence of a text. Throws EditFailure unless it occurs as often as expected. */
export function replaceText(content: string, edit: ReplaceText): string {
  const { old_text: sent, new_text: replacement, expected_replacements: expected = 1 } = edit;
  if (sent === '') {
    throw new EditFailure(
      'old_text is empty.',
      [],
      'Quote the text to replace, or use append, prepend or insert_after.',
    );
  }
  // Models write line feeds, whatever line ends the note has.
  const windows = content.includes('\r\n') && !content.includes(sent);
  const [old, next] = windows ? [toCrLf(sent), toCrLf(replacement)] : [sent, replacement];
  const places = placesOf(content, old);
  if (places.length === 0) {
    const advice = 'Quote the text exactly as get_notes returns it, with its spaces and line ends.';
    throw new EditFailure('old_text is not in the note.', nearestLines(content, sent), advice);
  }
  if (places.length !== expected) {
    const lines = places.slice(0, LINES_SHOWN).map((at) => lineAt(content, at));
    const times = places.length === 1 ? 'once' : `${places.length} times`;
    const advice = `Quote more of the text around the one you mean, or send expected_replacements: ${places.length} to replace all.`;
    throw new EditFailure(`old_text occurs ${times}, but ${expected} was expected.`, lines, advice);
  }
  // Before the text is made, because it could be a million times as long as what was sent.
  checkLength({ length: content.length + places.length * (next.length - old.length) });
  return content.split(old).join(next);
}

function placesOf(content: string, text: string): number[] {
  const places: number[] = [];
  for (let at = content.indexOf(text); at >= 0; at = content.indexOf(text, at + text.length)) places.push(at);
  return places;
}

function lineAt(content: string, at: number): string {
  const start = content.lastIndexOf('\n', at - 1) + 1;
  const end = content.indexOf('\n', at);
  const number = content.slice(0, start).split('\n').length;
  return `line ${number}: ${content
    .slice(start, end < 0 ? undefined : end)
    .trim()
    .slice(0, 120)
    .toWellFormed()}`;
}

function toCrLf(text: string): string {
  return text.replace(/\r?\n/g, '\r\n');
}
