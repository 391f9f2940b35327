import { headingPath } from '@notevault/note-text/chunks.ts';
import { chunksOfNote } from './sections.ts';

/** A text to embed, with its title and headings. */
export interface Passage {
  readonly about: string;
  readonly text: string;
}

/** A chunk of a note that has a vector. It begins where the chunk before it ends. */
export interface VectorChunk {
  /** UTF-16 offset in the content. */
  readonly end: number;
  readonly heading: string;
}

/** Texts of a note that are passed to the embedder. */
export interface NotePassages {
  readonly title: string;
  readonly chunks: readonly VectorChunk[];
  /** Passages of the note, one per chunk. */
  readonly passages: readonly Passage[];
}

/** Cuts a note into passages, each under title and headings. An empty note has one passage: its title. */
export function passagesOfNote(title: string, content: string): NotePassages {
  const chunks = chunksOfNote(content);
  if (chunks.length === 0) return { title, chunks: [{ end: 0, heading: '' }], passages: [{ about: title, text: '' }] };
  const passages = chunks.map(({ start, end, headings }) => ({
    about: headings[0] === title ? headingPath(headings) : headingPath([title, ...headings]),
    text: content.slice(start, end),
  }));
  return { title, chunks: chunks.map(({ end, headings }) => ({ end, heading: headingPath(headings) })), passages };
}
