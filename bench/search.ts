import { busyShare, ratioRow, warnIfBusy } from './kit/rounds.ts';
import { type Engine, fts5, mini, notevault } from './kit/search-engines.ts';
import { askedQueries, costlyQueries, madeNotes } from './kit/vault-texts.ts';

// What does a search cost among 1,000, 10,000 and 100,000 notes, by keyword, by vector and by both, compared with
// SQLite's FTS5 and MiniSearch over the same text in clear? Sizes can be given: `npm run bench -- search 1000 10000`.
// Each engine searches for any of the words and returns the best ten: once only their ids, once what a page shows of
// them (title, path, snippet and highlights). Notevault opens sealed data here; the others have the text in clear.
// The costliest queries that are possible follow: 64 words, the most common ones or ones with two typing errors.
const sizes = process.argv
  .slice(2)
  .map(Number)
  .filter((size) => size > 0);
const asked = askedQueries();
const noteAt = madeNotes();
/** Maximum number of notes for MiniSearch, which needs gigabytes beyond. */
const miniMax = 10_000;
/** The best time of each query counts in the table of engines; the ratios show the spread of all. */
const rounds = 9;

for (const size of sizes.length > 0 ? sizes : [1_000, 10_000, 100_000]) {
  const { byWords, byVectors, byBoth } = notevault();
  const peer = fts5();
  const engines = [byWords, peer, ...(size <= miniMax ? [mini()] : []), byVectors, byBoth];
  const indexing: number[] = [];
  for (const engine of engines) indexing.push(await index(engine, size));
  warnIfBusy(await busyShare());
  const { costs, everyRound } = await askAll(engines);
  console.table(
    engines.map((engine, at) => ({
      ...{ notes: size, engine: engine.name, ...costs[at] },
      ...{ 'index ms/note': round((indexing[at] ?? 0) / size), 'memory MB': Math.round(engine.memory() ?? 0) },
    })),
  );
  const answered = (engine: number, share: number) => (everyRound[engine] ?? []).map((times) => at(times, share));
  console.log('answers, of FTS5');
  console.table(
    engines.flatMap((engine, own) => {
      const ratio = (share: number) => {
        const of = answered(engines.indexOf(peer), share);
        return ratioRow(`${engine.name} p${100 * share}`, answered(own, share), of);
      };
      return engine === peer ? [] : [ratio(0.5), ratio(0.95)];
    }),
  );
  console.table(await costliest(size, [byWords, byBoth]));
}

async function costliest(size: number, own: readonly Engine[]) {
  const rows: object[] = [];
  for (const engine of own) {
    for (const [query, text] of Object.entries(costlyQueries(noteAt, size))) {
      const times: number[] = [];
      for (let count = 0; count < rounds; count++) {
        const started = performance.now();
        await engine.answer(text);
        times.push(performance.now() - started);
      }
      rows.push({ notes: size, engine: engine.name, query, 'answered ms': round(Math.min(...times)) });
    }
  }
  return rows;
}

async function index(engine: Engine, size: number): Promise<number> {
  let ms = 0;
  for (let id = 0; id < size; id++) {
    const note = noteAt(id);
    const started = performance.now();
    await engine.add(id, note);
    ms += performance.now() - started;
  }
  const finishing = performance.now();
  await engine.finish();
  return ms + performance.now() - finishing;
}

/** Runs the engines in turn for each query, so that a disturbance affects all of them. */
async function askAll(engines: readonly Engine[]) {
  const times = engines.map(() => ({ found: [] as number[], answered: [] as number[], notes: 0 }));
  /** Times of all queries, by engine and round. */
  const everyRound = engines.map(() => Array.from({ length: rounds }, () => [] as number[]));
  // Warms the engines up, as a server in use is.
  for (const query of asked) for (const engine of engines) await engine.answer(query);
  for (const query of asked) {
    const best = engines.map(() => ({ found: Number.POSITIVE_INFINITY, answered: Number.POSITIVE_INFINITY, notes: 0 }));
    for (let count = 0; count < rounds; count++) {
      const order = [...engines.entries()];
      for (const [at, engine] of count % 2 === 0 ? order : order.reverse()) {
        const own = best[at];
        if (own === undefined) continue;
        const started = performance.now();
        own.notes = await engine.find(query);
        const between = performance.now();
        await engine.answer(query);
        own.found = Math.min(own.found, between - started);
        const took = performance.now() - between;
        own.answered = Math.min(own.answered, took);
        everyRound[at]?.[count]?.push(took);
      }
    }
    times.forEach((own, at) => {
      own.found.push(best[at]?.found ?? 0);
      own.answered.push(best[at]?.answered ?? 0);
      own.notes += best[at]?.notes ?? 0;
    });
  }
  const costs = times.map(({ found, answered, notes }) => ({
    ...{ 'found p50 ms': at(found, 0.5), 'found p95 ms': at(found, 0.95) },
    ...{ 'answered p50 ms': at(answered, 0.5), 'answered p95 ms': at(answered, 0.95) },
    'found a query': Math.round((10 * notes) / asked.length) / 10,
  }));
  return { costs, everyRound };
}

function at(times: readonly number[], share: number): number {
  return round(times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0);
}

function round(ms: number): number {
  return Math.round(100 * ms) / 100;
}
