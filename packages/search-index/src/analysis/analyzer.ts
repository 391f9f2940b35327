import { ancestorsOf, fileName, fileStem, folderOf } from '@notevault/note-text/paths.ts';
import { type Heading, scan } from '@notevault/note-text/scan.ts';
import { type Language, type Languages, languageOf, languagesOf } from '@notevault/note-text/words/languages.ts';
import { eachWord, type SpelledWord, spelledWordsOf, writtenWord } from '@notevault/note-text/words.ts';
import { BODY, HEADING, LABEL, occurrenceAt, TITLE } from '../index/occurrence.ts';
import { type FileFacts, factsOf, type NoteFacts } from './note-facts.ts';
import { type Section, sectionsOf } from './sections.ts';
import { folderTerm, LANGUAGE_TERM_PREFIX, tagTerm, titleTerm, typeTerm, wordTerm } from './terms.ts';

/** The input of the analyzer. */
export interface SearchableNote {
  readonly id: string;
  /** The vault's seq at the note's last write. */
  readonly seq: number;
  /** Grows with every change of the content. */
  readonly version: number;
  readonly path: string;
  readonly title: string;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly type: string | null;
  /** Dates of the frontmatter in epoch milliseconds. */
  readonly created: number | null;
  readonly timestamp: number | null;
  readonly file: FileFacts;
  readonly content: string;
}

/** A section of a note and where its words begin. */
interface IndexedChunk extends Section {
  /** Position of the chunk's first word. */
  readonly word: number;
}

/** Data that the index stores about a note besides its terms. */
export interface NoteInfo {
  readonly seq: number;
  readonly version: number;
  readonly path: string;
  readonly title: string;
  readonly chunks: readonly IndexedChunk[];
}

/** A note in the form the index takes. */
export interface AnalyzedNote {
  readonly id: string;
  readonly info: NoteInfo;
  readonly created: number | null;
  readonly timestamp: number | null;
  readonly facts: NoteFacts;
  /** Number of words in the body, and in title, aliases and file name together. */
  readonly bodyWords: number;
  readonly titleWords: number;
  /** Each term's occurrences, ascending; a filter term has none. */
  readonly terms: ReadonlyMap<string, readonly number[]>;
}

/**
 * Positions skipped between two fields, so that the last word of one is not a neighbour of the first word of the next.
 */
const FIELD_GAP = 2;
/** UTF-16 units of work between two steps: some milliseconds. */
const UNITS_PER_STEP = 32 * 1024;
const WORDS_PER_STEP = 10_000;

/** Analyzes a note in one go. The result depends on the note alone. */
export function analyze(note: SearchableNote): AnalyzedNote {
  const steps = analyzeInSteps(note);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Does the same as `analyze`, and yields every few milliseconds: a note of 10 MB takes a second. */
export function* analyzeInSteps(note: SearchableNote): Generator<void, AnalyzedNote> {
  const { content } = note;
  const body = yield* bodyWordsOf(content);
  const names = withoutDuplicates([note.title, fileStem(note.path), ...note.aliases].map(spelledWordsOf));
  const languages = languagesOfNote(body, names);
  const terms = new TermCollector(languages);
  for (const language of namedLanguages(languages)) terms.addFilter(`${LANGUAGE_TERM_PREFIX}${language}`);
  for (const words of names) terms.addField(words, TITLE);
  for (const words of names) if (words.length > 0) terms.addFilter(titleTerm(words.map(({ word }) => word)));
  const folders = foldersAbove(note.path);
  for (const label of [...note.tags, ...folders.map(fileName)]) terms.addField(spelledWordsOf(label), LABEL);
  const bodyPosition = terms.position;
  const { headings } = scan(content);
  if (content.length > UNITS_PER_STEP) yield;
  yield* terms.addBody(body, headings);
  for (const tag of note.tags.flatMap((own) => [own, ...ancestorsOf(own)])) terms.addFilter(tagTerm(tag));
  for (const folder of folders) terms.addFilter(folderTerm(folder));
  if (note.type !== null) terms.addFilter(typeTerm(note.type));
  if (content.length > UNITS_PER_STEP) yield;
  const facts = factsOf(note.file, note.tags, content);
  const chunks = withFirstWords(sectionsOf(content, headings), body.starts, bodyPosition);
  return {
    id: note.id,
    info: { seq: note.seq, version: note.version, path: note.path, title: note.title, chunks },
    created: note.created,
    timestamp: note.timestamp,
    facts,
    bodyWords: body.words.length,
    titleWords: names.reduce((sum, words) => sum + words.length, 0),
    terms: terms.occurrences,
  };
}

/**
 * Returns the languages of a note that are stored as terms. Arabic is left out, because words in Arabic letters are
 * always read as Arabic.
 */
function namedLanguages({ latin, cyrillic, arabic }: Languages): Language[] {
  return arabic === 'ar' ? [latin, cyrillic] : [latin, cyrillic, arabic];
}

interface BodyWords {
  /** Folded. */
  readonly words: readonly string[];
  /** The words in lower case with their accents. */
  readonly written: readonly string[];
  /** UTF-16 offset of each word. */
  readonly starts: readonly number[];
}

/** Detects a note's languages. Names count too, because a short note's title may be its only clue. */
function languagesOfNote({ words, written }: BodyWords, names: readonly SpelledWord[][]): Languages {
  const named = names.flat();
  return languagesOf([...words, ...named.map(({ word }) => word)], [...written, ...named.map((own) => own.written)]);
}

function* bodyWordsOf(content: string): Generator<void, BodyWords> {
  const words: string[] = [];
  const written: string[] = [];
  const starts: number[] = [];
  const add = (word: string, start: number, end: number) => {
    words.push(word);
    written.push(writtenWord(content.slice(start, end), word));
    starts.push(start);
  };
  const { length } = content;
  for (let offset = 0; offset < length; ) {
    offset = eachWord(content, add, offset, length, Math.min(length, offset + UNITS_PER_STEP));
    if (offset < length) yield;
  }
  return { words, written, starts };
}

/** Collects the terms of a note and their occurrences, field by field. */
class TermCollector {
  readonly occurrences = new Map<string, number[]>();
  /** Position of the next word. */
  position = 0;
  readonly #languages: Languages;

  constructor(languages: Languages) {
    this.#languages = languages;
  }

  addField(words: readonly SpelledWord[], field: number): void {
    for (const { word, written } of words) this.#add(word, written, field);
    this.position += FIELD_GAP;
  }

  *addBody({ words, written, starts }: BodyWords, headings: readonly Heading[]): Generator<void, void> {
    let next = 0;
    for (const [index, word] of words.entries()) {
      if (index % WORDS_PER_STEP === WORDS_PER_STEP - 1) yield;
      const start = starts[index] ?? 0;
      while (start >= (headings[next]?.end ?? Number.POSITIVE_INFINITY)) next++;
      const field = start >= (headings[next]?.start ?? Number.POSITIVE_INFINITY) ? HEADING : BODY;
      this.#add(word, written[index] ?? word, field);
    }
  }

  addFilter(term: string): void {
    if (!this.occurrences.has(term)) this.occurrences.set(term, []);
  }

  #add(word: string, written: string, field: number): void {
    const term = wordTerm(word, languageOf(word, this.#languages), written);
    const occurrence = occurrenceAt(this.position++, field);
    const known = this.occurrences.get(term);
    if (known === undefined) this.occurrences.set(term, [occurrence]);
    else known.push(occurrence);
  }
}

function foldersAbove(path: string): string[] {
  const folder = folderOf(path);
  return folder === '' ? [] : [folder, ...ancestorsOf(folder)];
}

/** Lists of the same words count once: a title is often the file name. */
function withoutDuplicates(lists: readonly SpelledWord[][]): SpelledWord[][] {
  return [...new Map(lists.map((list) => [list.map(({ word }) => word).join(' '), list])).values()];
}

function withFirstWords(sections: readonly Section[], starts: readonly number[], bodyPosition: number): IndexedChunk[] {
  let word = 0;
  return sections.map(({ start, end, heading }) => {
    while (word < starts.length && (starts[word] ?? 0) < start) word++;
    return { start, end, word: bodyPosition + word, heading };
  });
}
