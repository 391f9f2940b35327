import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { passagesOfNote } from '@notevault/search-index/analysis/passages.ts';
import { quantize } from '@notevault/search-index/vectors/quantize.ts';
import { VectorMatrix } from '@notevault/search-index/vectors/vector-matrix.ts';
import { builtinEmbedder } from '../server/src/ports/embedder/builtin.ts';
import { normalize } from '../server/src/ports/embedder/embedder.ts';
import { Random } from '../server/test/kit/random.ts';
import { numberGiven } from './kit/processes.ts';

// How long does it take to find the nearest of many chunks, compared with a plain scan over 32-bit floats? What does
// binary quantization lose? How fast is the builtin embedder? The vectors have 384 numbers and form clusters, as those
// of a model do.
const COUNT = numberGiven(50_000);
const DIMENSIONS = 384;
const TOP = 50;
const TIMES = 25;

const random = new Random(1);
const gauss = () => random.next() + random.next() + random.next() - 1.5;
const topics = Array.from({ length: 300 }, () => Float32Array.from({ length: DIMENSIONS }, gauss));
const shift = Float32Array.from({ length: DIMENSIONS }, gauss);
const draw = () => {
  const topic = random.pick(topics);
  return normalize(shift.map((value, at) => value + (topic[at] ?? 0) + gauss() / 2));
};

const floats = new Float32Array(COUNT * DIMENSIONS);
const matrix = new VectorMatrix(DIMENSIONS);
for (let note = 0; note < COUNT; note++) {
  const vector = draw();
  floats.set(vector, note * DIMENSIONS);
  matrix.set(note, quantize([vector], DIMENSIONS));
}

/** The plain scan: the dot product with every vector, then the best of all scores. */
function plainScan(query: Float32Array): Set<number> {
  const scores = new Float32Array(COUNT);
  for (let row = 0; row < COUNT; row++) {
    let sum = 0;
    const base = row * DIMENSIONS;
    for (let at = 0; at < DIMENSIONS; at++) sum += (query[at] as number) * (floats[base + at] as number);
    scores[row] = sum;
  }
  const order = Uint32Array.from(scores, (_, row) => row).sort((a, b) => (scores[b] as number) - (scores[a] as number));
  return new Set(order.subarray(0, TOP));
}

const queries = Array.from({ length: TIMES }, draw);
matrix.search(queries[0] as Float32Array, TOP);
const took = { scan: [] as number[], matrix: [] as number[] };
let found = 0;
for (const query of queries) {
  const started = performance.now();
  const truth = plainScan(query);
  const between = performance.now();
  const hits = matrix.search(query, TOP);
  took.scan.push(between - started);
  took.matrix.push(performance.now() - between);
  found += hits.filter(({ note }) => truth.has(note)).length;
}
const at = (times: number[], share: number) =>
  Math.round(10 * (times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0)) / 10;
console.table({
  'scan of floats': { p50Ms: at(took.scan, 0.5), p95Ms: at(took.scan, 0.95), MB: floats.byteLength / 1e6, recall: 1 },
  'bytes behind bits': {
    ...{ p50Ms: at(took.matrix, 0.5), p95Ms: at(took.matrix, 0.95) },
    ...{ MB: Math.round(matrix.bytes / 1e5) / 10, recall: found / TOP / TIMES },
  },
});

const vaults = fileURLToPath(new URL('../../shared/vaults/', import.meta.url));
const files = globSync('**/*.md', { cwd: vaults });
const notes = files.map((file) => passagesOfNote(file, readFileSync(join(vaults, file), 'utf8')));
const passages = notes.flatMap((note) => note.passages);
const started = performance.now();
await builtinEmbedder().embedPassages(passages, new AbortController().signal);
const ms = performance.now() - started;
const perSecond = Math.round((1000 * passages.length) / Math.max(1, ms));
console.log(`builtin: ${files.length} notes, ${passages.length} passages, ${perSecond} passages a second`);
