import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { handWritten, LANGUAGES, type Language } from '../kit/content/test-vault.ts';
import { seedOf } from '../kit/random.ts';
import type { GoldenQuery, Part } from './golden-query.ts';
import { knownItemsOf } from './known-items.ts';

/*
 * The golden set: queries that each have one right answer, or a few, in fifteen languages. `notes/*.txt` has sixteen
 * notes for each language, written for this purpose about overlapping subjects, so that most words occur in several of
 * them. `= title | folder` begins a note, `?` a question that it answers, `~` words of it in other forms: inflected,
 * without accents (Vietnamese), in traditional characters (Chinese). The notes of the test vault of the same language
 * lie beside them. Queries for known items are derived from the notes. `lines/*.txt` has notes of one line, as people write
 * on a telephone, each with a query in another form; the name of such a note says nothing.
 *
 * Every note is in one of two parts, chosen by its path. What is tuned may look at the queries of the part `tune` only;
 * those of `report` are for the table in docs/search.md.
 */

export interface GoldenVault {
  readonly name: string;
  /** Path → text. */
  readonly notes: ReadonlyMap<string, string>;
  readonly queries: readonly GoldenQuery[];
}

const FOLDER = join(import.meta.dirname, 'notes');
/** A larger vault has more queries than the others together; this many of its notes are enough. */
const SAMPLED_NOTES = 60;

/** The vaults that the repository has, one for each language. */
export function goldenVaults(): GoldenVault[] {
  const files = globSync('*.txt', { cwd: FOLDER }).sort();
  return files.map((file) => {
    const name = basename(file, '.txt');
    const { notes, queries } = parseNotes(name, readFileSync(join(FOLDER, file), 'utf8'));
    const isInTestVault = (LANGUAGES as readonly string[]).includes(name);
    const beside = isInTestVault ? handWritten(name as Language) : new Map<string, string>();
    const derived = derivedQueries(name, notes);
    return { name, notes: new Map([...notes, ...beside]), queries: [...queries, ...derived, ...testQueries(name)] };
  });
}

/** Vaults of notes of one line: one for each language, and one of all of them. */
export function lineVaults(): GoldenVault[] {
  const cwd = join(FOLDER, '../lines');
  const vaults = globSync('*.txt', { cwd })
    .sort()
    .map((file) => parseLines(basename(file, '.txt'), readFileSync(join(cwd, file), 'utf8')));
  const all = vaults.flatMap(({ notes }) => [...notes]);
  const queries = vaults.flatMap((vault) => vault.queries.map((query) => ({ ...query, vault: 'all lines' })));
  return [...vaults, { name: 'all lines', notes: new Map(all), queries }];
}

function parseLines(language: string, text: string): GoldenVault {
  const name = `${language} lines`;
  const notes = new Map<string, string>();
  const queries: GoldenQuery[] = [];
  for (const [at, line] of text.trimEnd().split('\n').entries()) {
    const [note = '', query = ''] = line.split(' ? ');
    const path = `${language}/${20260101 + at}.md`;
    notes.set(path, `${note}\n`);
    queries.push({ vault: name, kind: 'one line', query, notes: [path], part: partOf(note), answer: null });
  }
  return { name, notes, queries };
}

const MIXED_KINDS = ['question', 'other form', 'first letters', 'one error'];

function derivedQueries(vault: string, notes: ReadonlyMap<string, string>): GoldenQuery[] {
  return [...notes].flatMap(([path, content]) =>
    knownItemsOf(`${vault}/${path}`, path, content).map((own) => {
      return { ...own, vault, notes: [path], part: partOf(path) };
    }),
  );
}

/** One vault with the notes of all languages, as somebody has who writes in several. */
export function mixedVault(vaults: readonly GoldenVault[]): GoldenVault {
  const inFolder = (name: string, path: string) => `${name}/${path}`;
  const notes = vaults.flatMap(({ name, notes: own }) =>
    [...own].map(([path, content]) => [inFolder(name, path), content] as const),
  );
  const queries = vaults.flatMap(({ name, queries: own }) =>
    own
      .filter(({ kind }) => MIXED_KINDS.includes(kind))
      .map((query) => ({ ...query, vault: 'all languages', notes: query.notes.map((path) => inFolder(name, path)) })),
  );
  return { name: 'all languages', notes: new Map(notes), queries };
}

/** Published vaults in a folder beside the repository; none where it does not exist. */
export function publishedVaults(folder: string): GoldenVault[] {
  return ['en', 'ja', 'ru'].flatMap((language) => {
    const cwd = join(folder, language);
    if (!existsSync(cwd)) return [];
    const paths = globSync('**/*.md', { cwd }).sort();
    const notes = new Map(paths.map((path) => [path, readFileSync(join(cwd, path), 'utf8')]));
    const long = paths.filter((path) => (notes.get(path)?.length ?? 0) > 400);
    const step = Math.max(1, Math.floor(long.length / SAMPLED_NOTES));
    const sampled = new Map(long.filter((_, at) => at % step === 0).map((path) => [path, notes.get(path) ?? '']));
    const name = `${language} published`;
    const derived = derivedQueries(name, sampled);
    return [{ name, notes, queries: [...derived, ...questionsOf('../golden/queries.json', language, name)] }];
  });
}

/** The part that the queries for a note belong to. */
export function partOf(path: string): Part {
  return (seedOf(path) >>> 16) % 2 === 0 ? 'tune' : 'report';
}

const MARKS: Readonly<Record<string, string>> = { '?': 'question', '~': 'other form' };

function parseNotes(vault: string, text: string): { notes: Map<string, string>; queries: GoldenQuery[] } {
  const notes = new Map<string, string>();
  const queries: GoldenQuery[] = [];
  for (const block of text.split(/^= /m).slice(1)) {
    const [head = '', ...lines] = block.trimEnd().split('\n');
    const [title = '', folder = ''] = head.split(' | ');
    const path = `${folder}/${title}.md`;
    const kindOf = (line: string) => MARKS[line.charAt(0)];
    notes.set(path, `${lines.filter((line) => kindOf(line) === undefined).join('\n')}\n`);
    for (const line of lines) {
      const kind = kindOf(line);
      if (kind === undefined) continue;
      queries.push({ vault, kind, query: line.slice(2), notes: [path], part: partOf(path), answer: null });
    }
  }
  return { notes, queries };
}

const testQueries = (vault: string) => questionsOf('../vault/queries.json', vault, vault);

interface StoredQuery {
  readonly vault: string;
  readonly query: string;
  readonly notes: readonly string[];
}

/** Questions that the tests ask of vaults over HTTP. */
function questionsOf(file: string, vault: string, name: string): GoldenQuery[] {
  const stored = JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as StoredQuery[];
  return stored
    .filter((own) => own.vault === vault)
    .map(({ query, notes }) => {
      return { vault: name, kind: 'question', query, notes, part: partOf(notes[0] ?? ''), answer: null };
    });
}
