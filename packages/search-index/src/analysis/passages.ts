import { headingPath } from '@notevault/note-text/chunks.ts';
import type { Passage } from '../../engines/embedder/embedder.ts';
import { chunksOfNote } from './analyse.ts';
import type { VectorPiece } from './note-vectors.ts';

/** A note ready to be embedded: each piece with what is embedded of it. */
export interface Prepared {
  readonly title: string;
  readonly pieces: readonly VectorPiece[];
  readonly passages: readonly Passage[];
}

/** What of a note is embedded: each of its chunks under title and headings; of an empty note its title. */
export function prepare(title: string, content: string): Prepared {
  const chunks = chunksOfNote(content);
  if (chunks.length === 0) return { title, pieces: [{ end: 0, heading: '' }], passages: [{ about: title, text: '' }] };
  const passages = chunks.map(({ start, end, headings }) => ({
    about: headings[0] === title ? headingPath(headings) : headingPath([title, ...headings]),
    text: content.slice(start, end),
  }));
  return { title, pieces: chunks.map(({ end, headings }) => ({ end, heading: headingPath(headings) })), passages };
}
