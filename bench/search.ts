import { DatabaseSync } from 'node:sqlite';
import { deriveNote } from '@notevault/note-text/derive.ts';
import { wordsOf } from '@notevault/note-text/words.ts';
import MiniSearch from 'minisearch';
import { analyse } from '../server/src/domains/search/analyse.ts';
import { parseQuery } from '../server/src/domains/search/query.ts';
import { rank } from '../server/src/domains/search/rank.ts';
import { VaultIndex } from '../server/src/domains/search/vault-index.ts';
import { askedQueries, madeNotes } from './kit/vault-texts.ts';

// What does a keyword search cost among 1,000, 10,000 and 100,000 notes, beside SQLite's FTS5 and MiniSearch over the same
// text in clear? Sizes can be given: `npm run bench -- search 1000 10000`. Each engine is asked for any of the words, best
// ten first.
const sizes = process.argv
  .slice(2)
  .map(Number)
  .filter((size) => size > 0);
const asked = askedQueries();
const noteAt = madeNotes();
/** Beyond this MiniSearch takes gigabytes. */
const miniMost = 10_000;
/** Of each query the best counts: the others were disturbed by whatever else the machine did. */
const rounds = 7;

interface Engine {
  readonly name: string;
  add(id: number, path: string, content: string): void;
  finish(): void;
  find(query: string): number;
  /** In MB. */
  memory(): number;
}

for (const size of sizes.length > 0 ? sizes : [1_000, 10_000, 100_000]) {
  const engines = [ours(), fts5(), ...(size <= miniMost ? [mini()] : [])];
  console.table(engines.map((engine) => measure(engine, size)));
}

function measure(engine: Engine, size: number) {
  let indexing = 0;
  for (let id = 0; id < size; id++) {
    const { path, content } = noteAt(id);
    const started = performance.now();
    engine.add(id, path, content);
    indexing += performance.now() - started;
  }
  const finishing = performance.now();
  engine.finish();
  indexing += performance.now() - finishing;
  let found = 0;
  const times = asked.map((query) => {
    let best = Number.POSITIVE_INFINITY;
    for (let round = 0; round < rounds; round++) {
      const started = performance.now();
      found += engine.find(query);
      best = Math.min(best, performance.now() - started);
    }
    return best;
  });
  times.sort((a, b) => a - b);
  const at = (share: number) => Math.round((times[Math.floor(times.length * share)] ?? 0) * 100) / 100;
  return {
    ...{ engine: engine.name, notes: size, 'p50 ms': at(0.5), 'p95 ms': at(0.95), 'max ms': at(0.9999) },
    ...{ 'index ms/note': Math.round((100 * indexing) / size) / 100, 'memory MB': Math.round(engine.memory()) },
    'found a query': Math.round((10 * found) / (asked.length * rounds)) / 10,
  };
}

function ours(): Engine {
  const index = new VaultIndex();
  const none = { from: null, to: null };
  const narrow = { tags: null, folder: null, type: null, created: none, timestamp: none };
  return {
    name: 'notevault',
    add(id, path, content) {
      const derived = deriveNote(path, content);
      const dates = { created: derived.fmCreated, timestamp: derived.fmTimestamp };
      const uuid = `01900000-0000-7000-8000-${String(id).padStart(12, '0')}`;
      index.put(analyse({ ...derived, ...dates, id: uuid, seq: id, version: 1, path, content }));
      if (index.freshBytes > 8 << 20) this.finish();
    },
    finish() {
      index.seal();
      for (const _ of index.tidy());
    },
    find: (query) => rank(index, parseQuery(query), narrow, 10).hits.length,
    memory: () => index.bytes / 2 ** 20,
  };
}

function fts5(): Engine {
  const db = new DatabaseSync(':memory:');
  db.exec("create virtual table notes using fts5 (path, content, tokenize = 'unicode61 remove_diacritics 2')");
  const insert = db.prepare('insert into notes (rowid, path, content) values (?, ?, ?)');
  const find = db.prepare('select rowid from notes where notes match ? order by bm25(notes, 8, 1) limit 10');
  db.exec('begin');
  return {
    name: 'FTS5, text in clear',
    add: (id, path, content) => insert.run(id + 1, path, content),
    finish: () => db.exec("commit; insert into notes (notes) values ('optimize')"),
    find: (query) =>
      find.all(
        wordsOf(query)
          .map((word) => `"${word}"`)
          .join(' OR '),
      ).length,
    memory: () => Number((db.prepare('pragma page_count').get() as { page_count: number }).page_count) / 256,
  };
}

function mini(): Engine {
  const index = new MiniSearch({ fields: ['path', 'content'], searchOptions: { boost: { path: 8 } } });
  const before = process.memoryUsage().heapUsed;
  return {
    name: 'MiniSearch, text in clear',
    add: (id, path, content) => index.add({ id, path, content }),
    finish: () => undefined,
    find: (query) => index.search(query).slice(0, 10).length,
    memory: () => (process.memoryUsage().heapUsed - before) / 2 ** 20,
  };
}
