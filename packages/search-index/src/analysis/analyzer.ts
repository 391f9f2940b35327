import { type Chunk, chunksOf, headingPath } from '@notevault/note-text/chunks.ts';
import { ancestorsOf, fileName, fileStem, folderOf, foldPath } from '@notevault/note-text/paths.ts';
import { type Heading, scan } from '@notevault/note-text/scan.ts';
import { type Languages, languageOf, languagesOf } from '@notevault/note-text/words/languages.ts';
import { eachWord, wordsOf } from '@notevault/note-text/words.ts';
import { BODY, HEADING, LABEL, placeOf, TITLE } from './postings.ts';

/** What of a note is searched. */
export interface SearchedNote {
  readonly id: string;
  /** The vault's seq at its last write. */
  readonly seq: number;
  /** Grows with every change of content. */
  readonly version: number;
  readonly path: string;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly type: string | null;
  /** Frontmatter dates, epoch milliseconds. */
  readonly created: number | null;
  readonly timestamp: number | null;
  readonly content: string;
}

/** A piece of a note that is found for itself. */
export interface IndexedChunk {
  /** UTF-16 offsets in the content. */
  readonly start: number;
  readonly end: number;
  /** Position of its first word. */
  readonly word: number;
  readonly heading: string;
}

/** What the index keeps of a note besides its words. */
export interface NoteInfo {
  readonly seq: number;
  readonly version: number;
  readonly path: string;
  readonly title: string;
  readonly chunks: readonly IndexedChunk[];
}

/** A note as the index takes it in. */
export interface AnalysedNote {
  readonly id: string;
  readonly info: NoteInfo;
  readonly created: number | null;
  readonly timestamp: number | null;
  /** Words in the body, and in title, aliases and file name. */
  readonly bodyWords: number;
  readonly titleWords: number;
  /** Term → its places, ascending. Words end with their language (see wordTerm), filters begin with theirs. */
  readonly terms: ReadonlyMap<string, readonly number[]>;
}

/** About as many tokens as a paragraph or two have: what a reader looks at, and what words must stand together in. */
const chunkTokens = 400;
const maxSections = 2000;
/** As chunks have it. */
const maxHeading = 200;
/** Words of different fields must not look like neighbours. */
const gap = 2;
/** Between two steps, some milliseconds of work. */
const unitsAtOnce = 32 * 1024;
const wordsAtOnce = 10_000;

/** The term of a folded word of a language: ordered by word, forms of one spelling side by side. */
export const wordTerm = (word: string, language: string) => `${word}\0${language}`;
export const wordOf = (term: string) => term.slice(0, term.indexOf('\0'));
export const languageOfTerm = (term: string) => term.slice(term.indexOf('\0') + 1);

/** Terms of filters begin below every letter. */
export const FILTERS_END = '\x02';
export const tagTerm = (tag: string) => `\x01t${foldPath(tag)}`;
export const folderTerm = (folder: string) => `\x01f${foldPath(folder)}`;
export const typeTerm = (type: string) => `\x01y${foldPath(type)}`;
/** Which languages a vault's words are read as: a query's words need be stemmed in no other. */
export const languageTerms = '\x01l';

/** The pieces of a note that vectors are made of. */
export function chunksOfNote(content: string, headings: readonly Heading[] = scan(content).headings): Chunk[] {
  return chunksOf(content, chunkTokens, headings);
}

/** Takes a note apart into terms. Equal input, equal output. */
export function analyse(note: SearchedNote): AnalysedNote {
  const steps = analyseInSteps(note);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** As `analyse`, for whoever does other things between its steps: a note of 10 MB takes a second. */
export function* analyseInSteps(note: SearchedNote): Generator<void, AnalysedNote> {
  const folder = folderOf(note.path);
  const folders = folder === '' ? [] : [folder, ...ancestorsOf(folder)];
  const names = distinct([note.title, fileStem(note.path), ...note.aliases].map(wordsOf));
  const body: string[] = [];
  const starts: number[] = [];
  const take = (word: string, start: number) => {
    body.push(word);
    starts.push(start);
  };
  const { length } = note.content;
  for (let at = 0; at < length; ) {
    at = eachWord(note.content, take, at, length, Math.min(length, at + unitsAtOnce));
    if (at < length) yield;
  }
  const languages = languagesOf(body);
  const terms = new Terms(languages);
  for (const language of Object.values(languages)) terms.addFilter(`${languageTerms}${language}`);
  for (const words of names) terms.addAll(words, TITLE);
  for (const label of [...note.tags, ...folders.map(fileName)]) terms.addAll(wordsOf(label), LABEL);
  const bodyAt = terms.position;
  const { headings } = scan(note.content);
  if (length > unitsAtOnce) yield;
  yield* terms.addBody(body, starts, headings);
  for (const tag of note.tags.flatMap((each) => [each, ...ancestorsOf(each)])) terms.addFilter(tagTerm(tag));
  for (const each of folders) terms.addFilter(folderTerm(each));
  if (note.type !== null) terms.addFilter(typeTerm(note.type));
  return {
    ...{ id: note.id, created: note.created, timestamp: note.timestamp, terms: terms.places },
    info: {
      seq: note.seq,
      version: note.version,
      path: note.path,
      title: note.title,
      chunks: withWords(piecesOf(note.content, headings), starts, bodyAt),
    },
    bodyWords: body.length,
    titleWords: names.reduce((sum, words) => sum + words.length, 0),
  };
}

/** The terms of a note with their places, collected field by field. */
class Terms {
  readonly places = new Map<string, number[]>();
  position = 0;
  readonly #languages: Languages;

  constructor(languages: Languages) {
    this.#languages = languages;
  }

  addAll(words: readonly string[], field: number): void {
    for (const word of words) this.#add(word, field);
    this.position += gap;
  }

  *addBody(words: readonly string[], starts: readonly number[], headings: readonly Heading[]): Generator<void, void> {
    let next = 0;
    for (const [index, word] of words.entries()) {
      if (index % wordsAtOnce === wordsAtOnce - 1) yield;
      const start = starts[index] ?? 0;
      while (start >= (headings[next]?.end ?? Number.POSITIVE_INFINITY)) next++;
      this.#add(word, start >= (headings[next]?.start ?? Number.POSITIVE_INFINITY) ? HEADING : BODY);
    }
  }

  addFilter(term: string): void {
    if (!this.places.has(term)) this.places.set(term, []);
  }

  #add(word: string, field: number): void {
    const term = wordTerm(word, languageOf(word, this.#languages));
    const place = placeOf(this.position++, field);
    const places = this.places.get(term);
    if (places === undefined) this.places.set(term, [place]);
    else places.push(place);
  }
}

function distinct(lists: readonly string[][]): string[][] {
  return [...new Map(lists.map((words) => [words.join(' '), words])).values()];
}

/**
 * The pieces that are found for themselves: sections, however small, so that the headings above a match are known; long
 * ones are cut as for a model. Of a note with more headings than anybody reads, the cuts alone.
 */
function piecesOf(content: string, headings: readonly Heading[]): Omit<IndexedChunk, 'word'>[] {
  const chunks = chunksOf(content, chunkTokens, headings);
  if (headings.length > maxSections) return chunks.map((chunk) => ({ ...chunk, heading: headingPath(chunk.headings) }));
  const open: Heading[] = [];
  const starts = headings.map(({ start }) => content.lastIndexOf('\n', start - 1) + 1);
  const cuts = [...new Set([...chunks.map(({ start }) => start), ...starts])].sort((a, b) => a - b);
  let next = 0;
  return cuts.map((start, index) => {
    for (
      let heading = headings[next];
      heading !== undefined && (starts[next] ?? 0) <= start;
      heading = headings[++next]
    ) {
      while ((open.at(-1)?.level ?? 0) >= heading.level) open.pop();
      open.push(heading);
    }
    const chain = open.map(({ text }) => text.slice(0, maxHeading).toWellFormed()).filter((text) => text !== '');
    return { start, end: cuts[index + 1] ?? content.length, heading: headingPath(chain) };
  });
}

function withWords(
  pieces: readonly Omit<IndexedChunk, 'word'>[],
  starts: readonly number[],
  bodyAt: number,
): IndexedChunk[] {
  let word = 0;
  return pieces.map(({ start, end, heading }) => {
    while (word < starts.length && (starts[word] ?? 0) < start) word++;
    return { start, end, word: bodyAt + word, heading };
  });
}
