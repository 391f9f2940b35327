import { createSecretKey, randomBytes } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { deriveNote } from '@notevault/note-text/derive.ts';
import { wordsOf } from '@notevault/note-text/words.ts';
import type { NoteId, Seq } from '@notevault/protocol/values/ids.ts';
import { passagesOfNote } from '@notevault/search-index/analysis/passages.ts';
import { NO_FILTER } from '@notevault/search-index/query/search-filter.ts';
import { type Snippet, SnippetMaker } from '@notevault/search-index/snippets/snippet.ts';
import { packVectors } from '@notevault/search-index/vectors/note-vectors.ts';
import { quantize } from '@notevault/search-index/vectors/quantize.ts';
import MiniSearch from 'minisearch';
import type { NoteMeta, SealedNote } from '../../server/src/domains/content/notes/notes.ts';
import { sealed } from '../../server/src/domains/content/notes/sealed-note.ts';
import { vectorsContext } from '../../server/src/domains/reading/search/seal-contexts.ts';
import { SearchWorker } from '../../server/src/domains/reading/search/worker/worker.ts';
import { builtinEmbedder } from '../../server/src/ports/embedder/builtin.ts';
import { sealingKey } from '../../server/src/ports/keyring/sealing.ts';
import type { MadeNote } from './vault-texts.ts';

/** The result that every engine returns, ten per query, so that none is measured doing less than another. */
export interface Result extends Snippet {
  readonly path: string;
  readonly title: string;
}

export interface Engine {
  readonly name: string;
  add(id: number, note: MadeNote): void | Promise<void>;
  finish(): void | Promise<void>;
  /** Finds and ranks the notes without reading them; returns their number. */
  find(query: string): number | Promise<number>;
  /** Returns the results as a page shows them. */
  answer(query: string): readonly Result[] | Promise<readonly Result[]>;
  /** Memory in MB; null if another engine's row already counts it. */
  memory(): number | null;
}

const limit = 10;
const vault = '01900000-0000-7000-8000-00000000aaaa';
const model = 'bench';
const never = new AbortController().signal;

/**
 * The work of the search thread, on this thread. Notes, vectors and texts of snippets are sealed, as they are in the
 * database. The three modes share one index.
 */
export function notevault(): { byWords: Engine; byVectors: Engine; byBoth: Engine } {
  const dataKey = createSecretKey(randomBytes(32));
  const owner = { kind: 'vault', id: vault } as const;
  const key = sealingKey(dataKey, owner, 1, randomBytes);
  const shared = { owner, generation: 1, dataKey };
  const worker = new SearchWorker({
    maxBytes: Number.POSITIVE_INFINITY,
    uuid: () => vault,
    openKey: ({ generation }) => sealingKey(dataKey, owner, generation, randomBytes),
    openMeta: (with_, { id, meta }) => JSON.parse(with_.open(metaContext(id), meta).toString('utf8')) as NoteMeta,
    openContent: (with_, note) => sealed.openContent({ key: with_ }, note.id, note.version, note.content ?? noBytes),
  });
  worker.createIndex({ vault, key: shared, epoch: 1, floor: 0, stored: null });
  const embedder = builtinEmbedder();
  const stored: SealedNote[] = [];
  let indexBytes = 0;

  async function vectorQueryOf(query: string) {
    const idf = async (words: readonly string[]) => worker.idf({ vault, words });
    const { noise: minCosine, trust: weight } = await embedder.space(never);
    return { vector: await embedder.embedQuery(query, { signal: never, idf }), weight, minCosine };
  }

  async function found(query: string, mode: 'keyword' | 'vector' | 'hybrid') {
    const vectorQuery = mode === 'keyword' ? null : await vectorQueryOf(query);
    const options = { mode, filter: NO_FILTER, limit, diversity: 0, returned, vectorQuery, isPartial: false, model };
    return worker.search({ vault, epoch: 1, seq: stored.length, query, ...options }) ?? { hits: [], words: [] };
  }

  async function answer(query: string, mode: 'keyword' | 'vector' | 'hybrid'): Promise<readonly Result[]> {
    const { hits, words } = await found(query, mode);
    const texts = hits.flatMap(({ seq, start, end }) => {
      const note = stored[seq - 1];
      return note === undefined ? [] : [{ ...note, start, end }];
    });
    const snippets = worker.snippets({ key: shared, words, texts });
    return hits.map(({ path, title }, at) => ({ path, title, ...(snippets[at] ?? { snippet: '', highlights: [] }) }));
  }

  const engine = (name: string, mode: 'keyword' | 'vector' | 'hybrid') => ({
    name: `Notevault, sealed: ${name}`,
    add: () => undefined,
    finish: () => undefined,
    find: async (query: string) => (await found(query, mode)).hits.length,
    answer: (query: string) => answer(query, mode),
    memory: (): number | null => null,
  });
  const byWords: Engine = {
    ...engine('keyword', 'keyword'),
    async add(number, { path, content }) {
      const id = `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`;
      const derived = deriveNote(path, content);
      const meta = { ...derived, path, created: derived.fmCreated, timestamp: derived.fmTimestamp };
      const seq = number + 1;
      const note = {
        ...{
          id: id as NoteId,
          seq: seq as Seq,
          revision: 1,
          version: 1,
          deleted: false,
          file: { created: 0, modified: 0, changed: 0, size: 0 },
        },
        meta: key.seal(metaContext(id), Buffer.from(JSON.stringify(meta))),
        content: key.seal({ kind: 'notes.content', row: id, version: 1 }, Buffer.from(content)),
      };
      stored.push(note);
      const { unreadable } = await worker.addNotes({ vault, key: shared, notes: [note], upTo: seq });
      if (unreadable > 0) throw new Error('the bench seals notes in a way that the worker cannot read');
    },
    async finish() {
      await worker.freeze({ vault, key: shared });
      indexBytes = worker.bytes;
    },
    memory: () => indexBytes / 2 ** 20,
  };
  const byVectors: Engine = {
    ...engine('vector', 'vector'),
    async add(number, { path, content }) {
      const note = stored[number];
      if (note === undefined) throw new RangeError('vectors come after words');
      const { title, chunks, passages } = passagesOfNote(deriveNote(path, content).title, content);
      const { dimensions } = await embedder.space(never);
      const vectors = quantize(await embedder.embedPassages(passages, never), dimensions);
      const data = key.seal(vectorsContext(note.id, 1), packVectors({ title, chunks, vectors }));
      const rows = [{ id: note.id, version: 1, vseq: note.seq, data }];
      worker.addVectors({ vault, key: shared, model, rows, upTo: note.seq });
    },
    memory: () => (worker.bytes - indexBytes) / 2 ** 20,
  };
  return { byWords, byVectors, byBoth: engine('hybrid', 'hybrid') };
}

const metaContext = (id: string) => ({ kind: 'entries.meta', row: id, version: 1 });
const noBytes = new Uint8Array();
const returned = new Set<string>();

/** The marks around matches in a snippet of FTS5; characters that no text contains. */
const [open, close] = ['\u0001', '\u0002'];

/** FTS5, with a query for any of the words; snippets are its own, of text stored beside it in clear. */
export function fts5(): Engine {
  const db = new DatabaseSync(':memory:');
  db.exec("create virtual table notes using fts5 (title, path, content, tokenize = 'unicode61 remove_diacritics 2')");
  const insert = db.prepare('insert into notes (rowid, title, path, content) values (?, ?, ?, ?)');
  const order = `where notes match ? order by bm25(notes, 8, 2, 1) limit ${limit}`;
  const find = db.prepare(`select rowid from notes ${order}`);
  const show = db.prepare(
    `select title, path, snippet(notes, -1, '${open}', '${close}', '…', 48) as snippet from notes ${order}`,
  );
  const anyOf = (query: string) =>
    wordsOf(query)
      .map((word) => `"${word}"`)
      .join(' OR ');
  db.exec('begin');
  return {
    name: 'FTS5, text in clear',
    add: (id, { path, content }) => void insert.run(id + 1, deriveNote(path, content).title, path, content),
    finish: () => db.exec("commit; insert into notes (notes) values ('optimize')"),
    find: (query) => find.all(anyOf(query)).length,
    answer: (query) =>
      (show.all(anyOf(query)) as { title: string; path: string; snippet: string }[]).map(({ snippet, ...note }) => ({
        ...note,
        ...unmarked(snippet),
      })),
    memory: () => Number((db.prepare('pragma page_count').get() as { page_count: number }).page_count) / 256,
  };
}

function unmarked(marked: string): Snippet {
  const highlights: [number, number][] = [];
  let snippet = '';
  for (const [at, piece] of marked.split(open).entries()) {
    const [found = '', rest = ''] = at === 0 ? ['', piece] : piece.split(close);
    if (found !== '') highlights.push([snippet.length, snippet.length + found.length]);
    snippet += found + rest;
  }
  return { snippet, highlights };
}

/** MiniSearch makes no snippets, so ours are used, over text in clear. */
export function mini(): Engine {
  const index = new MiniSearch({
    fields: ['title', 'path', 'content'],
    searchOptions: { boost: { title: 8, path: 2 } },
  });
  const texts: (MadeNote & { title: string })[] = [];
  const before = process.memoryUsage().heapUsed;
  return {
    name: 'MiniSearch, text in clear',
    add(id, note) {
      const { title } = deriveNote(note.path, note.content);
      texts[id] = { ...note, title };
      index.add({ id, ...note, title });
    },
    finish: () => undefined,
    find: (query) => index.search(query).slice(0, limit).length,
    answer: (query) =>
      index
        .search(query)
        .slice(0, limit)
        .map(({ id, terms }) => {
          const { path = '', title = '', content = '' } = texts[id as number] ?? {};
          return {
            path,
            title,
            ...new SnippetMaker(terms.map((word, term) => ({ word, term, weight: 1, isMinor: false }))).snippetOf(
              content,
            ),
          };
        }),
    memory: () => (process.memoryUsage().heapUsed - before) / 2 ** 20,
  };
}
