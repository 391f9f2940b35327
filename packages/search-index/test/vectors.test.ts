import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { chunksOf } from '@notevault/note-text/chunks.ts';
import fc from 'fast-check';
import { Random } from '../../../test/kit/random.ts';
import { builtinEmbedder } from '../../engines/embedder/builtin.ts';
import { normalize } from '../../engines/embedder/embedder.ts';
import { diversify } from './diversity.ts';
import { fuse } from './fusion.ts';
import { quantize } from './quantize.ts';
import { VectorMatrix } from './vector-matrix.ts';

const seed = Number(process.env.TEST_SEED ?? 7) || 7;

/** Vectors that lie in clusters, as those of texts do, `offset` aside of zero; equal seeds, equal clusters. */
function clustered(dimensions: number, offset: number, seed: number): (count: number) => Float32Array[] {
  const random = new Random(seed);
  const gauss = () => random.next() + random.next() + random.next() - 1.5;
  const shift = Float32Array.from({ length: dimensions }, () => offset * gauss());
  const topics = Array.from({ length: 200 }, () => Float32Array.from({ length: dimensions }, gauss));
  return (count) =>
    Array.from({ length: count }, () => {
      const [one, other] = [random.pick(topics), random.pick(topics)];
      return normalize(shift.map((value, at) => value + (one[at] ?? 0) + (other[at] ?? 0) / 2 + gauss() / 2));
    });
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** The mean share of the truly nearest `count` vectors of a matrix that it finds: what its bits lose. */
function recall(matrix: VectorMatrix, queries: readonly Float32Array[], count: number): number {
  const vectors = Array.from({ length: matrix.notes }, (_, note) => matrix.vectorOf(note, 0) ?? new Float32Array());
  const shares = queries.map((query) => {
    const scores = Float32Array.from(vectors, (vector) => dot(query, vector));
    const worst = scores.toSorted().at(-count) ?? 0;
    return matrix.search(query, count).filter(({ note }) => (scores[note] ?? 0) >= worst - 1e-6).length / count;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

function matrixOf(vectors: readonly Float32Array[]): VectorMatrix {
  const matrix = new VectorMatrix(vectors[0]?.length ?? 1);
  vectors.forEach((vector, note) => {
    matrix.set(note, quantize([vector], vector.length));
  });
  return matrix;
}

describe('quantize', () => {
  test('keeps each number to half a step of its vector’s own scale', () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ min: -100, max: 100, noNaN: true }), { minLength: 1, maxLength: 50 }),
        (numbers) => {
          const vector = Float32Array.from(numbers);
          const { values, scales } = quantize([vector], vector.length);
          const scale = scales[0] ?? 0;
          vector.forEach((value, at) => {
            assert.ok(Math.abs((values[at] ?? 0) * scale - value) <= scale * 0.5001 + 1e-30);
          });
        },
      ),
    );
  });
  test('takes a vector of zeros', () => {
    assert.deepEqual([...quantize([new Float32Array(3)], 3).values], [0, 0, 0]);
  });
});

describe('the vector matrix', () => {
  test('finds the nearest chunks, best first, with their notes', () => {
    const matrix = new VectorMatrix(2);
    const unit = (degrees: number) =>
      Float32Array.of(Math.cos((degrees / 180) * Math.PI), Math.sin((degrees / 180) * Math.PI));
    matrix.set(3, quantize([unit(0), unit(50)], 2));
    matrix.set(8, quantize([unit(40)], 2));
    assert.deepEqual(
      matrix.search(unit(45), 2).map(({ note, chunk }) => [note, chunk]),
      [
        [3, 1],
        [8, 0],
      ],
    );
    assert.ok(Math.abs((matrix.search(unit(45), 1)[0]?.score ?? 0) - Math.cos((5 / 180) * Math.PI)) < 0.01);
    assert.ok(Math.abs((matrix.vectorOf(3, 1)?.[1] ?? 0) - Math.sin((50 / 180) * Math.PI)) < 0.01);
    assert.equal(matrix.vectorOf(3, 2), null);
    assert.equal(matrix.vectorOf(4, 0), null);
  });
  test('after any sets and deletes, is as one that was made of what is left', () => {
    const step = fc.record({ note: fc.nat(30), chunks: fc.nat(40), seed: fc.nat() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const matrix = new VectorMatrix(16);
        const left = new Map<number, Float32Array[]>();
        for (const { note, chunks, seed } of steps) {
          const vectors = clustered(16, 0, seed)(chunks);
          if (chunks === 0) matrix.delete(note);
          else matrix.set(note, quantize(vectors, 16));
          if (chunks === 0) left.delete(note);
          else left.set(note, vectors);
        }
        const fresh = new VectorMatrix(16);
        for (const [note, vectors] of left) fresh.set(note, quantize(vectors, 16));
        assert.equal(matrix.size, fresh.size);
        assert.equal(matrix.notes, left.size);
        const allowed = new Uint8Array(31).map((_, note) => note % 2);
        for (const filter of [null, allowed]) {
          const [query = new Float32Array(16)] = clustered(16, 0, 1)(1);
          const shown = (of: VectorMatrix) =>
            of
              .search(query, 2000, filter)
              .map(({ note, chunk, score }) => `${score} ${note} ${chunk}`)
              .sort();
          assert.deepEqual(shown(matrix), shown(fresh));
        }
      }),
      { numRuns: 200 },
    );
  });
  test('filters before it scores: what is allowed is found, however far it is', () => {
    const vectors = clustered(64, 0, seed)(12_000);
    const matrix = matrixOf(vectors);
    const query = vectors[0] ?? new Float32Array();
    const allowed = new Uint8Array(12_000);
    const furthest = vectors
      .map((vector, note) => ({ note, score: dot(query, vector) }))
      .sort((a, b) => a.score - b.score);
    for (const { note } of furthest.slice(0, 3)) allowed[note] = 1;
    assert.deepEqual(
      new Set(matrix.search(query, 10, allowed).map(({ note }) => note)),
      new Set(furthest.slice(0, 3).map(({ note }) => note)),
    );
    assert.deepEqual(matrix.search(query, 10, new Uint8Array(12_000)), []);
  });
  test('looks at every chunk for a query of few numbers, and loses nothing', () => {
    const draw = clustered(128, 0, seed);
    const matrix = matrixOf(draw(12_000));
    const few = draw(10).map((query) => normalize(query.map((value, at) => (at % 16 === 3 ? value : 0))));
    assert.equal(recall(matrix, few, 50), 1);
  });
  test('refuses vectors of another length', () => {
    const matrix = new VectorMatrix(8);
    assert.throws(() => matrix.set(1, quantize([new Float32Array(4)], 4)), RangeError);
    assert.throws(() => matrix.search(new Float32Array(4), 1), RangeError);
  });
  for (const offset of [0, 5]) {
    test(`past 5,000 chunks its bits lose next to nothing, with all vectors ${offset} aside`, () => {
      const draw = clustered(128, offset, seed);
      const share = recall(matrixOf(draw(12_000)), draw(20), 50);
      assert.ok(share > 0.99, `recall ${share}`);
    });
  }
  test('follows a vault that grows away from where its means were', () => {
    const [early, late] = [clustered(64, 0, seed)(6000), clustered(64, 5, seed + 1)(20_000)];
    const matrix = matrixOf(early);
    matrix.search(early[0] ?? new Float32Array(), 1);
    late.forEach((vector, index) => {
      matrix.set(early.length + index, quantize([vector], 64));
    });
    const share = recall(matrix, [...early.slice(0, 10), ...late.slice(0, 10)], 50);
    assert.ok(share > 0.95, `recall ${share}`);
  });
});

const vaults = fileURLToPath(new URL('../../../../../shared/vaults', import.meta.url));
const files = globSync('**/*.md', { cwd: vaults }).sort();

test('the prefilter over the chunks of real notes', {
  skip: files.length === 0 && 'no vaults here',
}, async (context) => {
  const embedder = builtinEmbedder();
  const { signal } = new AbortController();
  const texts = files.flatMap((file) => {
    const content = readFileSync(join(vaults, file), 'utf8');
    return chunksOf(content, 100).map(({ start, end, headings }) => ({
      about: [file, ...headings].join(' '),
      text: content.slice(start, end),
    }));
  });
  const vectors = await embedder.embedPassages(texts, signal);
  const matrix = matrixOf(vectors);
  assert.ok(vectors.length >= 10_000);
  const asked = { signal, rarity: async (words: readonly string[]) => words.map((word) => Math.min(6, word.length)) };
  const names = files.filter((_, index) => index % 10 === 0).map((file) => file.replace(/^.*\/|\.md$/g, ''));
  const queries = await Promise.all(names.map((name) => embedder.embedQuery(name, asked)));
  // Few numbers: all are looked at. The vector of a whole chunk has many.
  assert.equal(recall(matrix, queries, 10), 1);
  const whole = vectors.filter((_, index) => index % 50 === 0);
  const share = recall(matrix, whole, 10);
  context.diagnostic(
    `recall of the first 10 of ${vectors.length} chunks over ${whole.length} queries: ${share.toFixed(4)}`,
  );
  assert.ok(share > 0.98, `recall ${share}`);
});

describe('fuse', () => {
  test('puts first what is high in both, and scores it by its places', () => {
    const fused = fuse([
      { keys: ['a', 'b', 'c'], weight: 1 },
      { keys: ['b', 'd', 'a'], weight: 1 },
    ]);
    assert.deepEqual(
      fused.map(({ key }) => key),
      ['b', 'a', 'd', 'c'],
    );
    assert.ok(Math.abs((fused[0]?.score ?? 0) - (1 / 62 + 1 / 61) / (2 / 61)) < 1e-12);
  });
  test('is the ranking itself when there is one, from 1 down', () => {
    const fused = fuse([{ keys: ['x', 'y'], weight: 0.3 }]);
    assert.deepEqual(
      fused.map(({ key }) => key),
      ['x', 'y'],
    );
    assert.equal(fused[0]?.score, 1);
  });
  test('scores stay between 0 and 1, in order, whatever the rankings', () => {
    const ranking = fc.record({
      keys: fc.uniqueArray(fc.nat(40)),
      weight: fc.double({ min: 0.1, max: 3, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(ranking, { minLength: 1, maxLength: 4 }), (rankings) => {
        const fused = fuse(rankings);
        assert.deepEqual(new Set(fused.map(({ key }) => key)), new Set(rankings.flatMap(({ keys }) => keys)));
        assert.ok(fused.every(({ score }) => score > 0 && score <= 1 + 1e-9));
        assert.ok(fused.every(({ score }, at) => at === 0 || score <= (fused[at - 1]?.score ?? 0)));
      }),
    );
  });
});

describe('diversify', () => {
  const at = (score: number, ...vector: number[]) => ({ score, vector: normalize(Float32Array.from(vector)) });
  const twins = [at(1, 1, 0), at(0.99, 1, 0.01), at(0.5, 0, 1), at(0.4, 0.1, 1)];
  const order = (diversity: number, limit = 4) => diversify(twins, limit, diversity).map((one) => twins.indexOf(one));

  test('0 is the ranking itself', () => {
    assert.deepEqual(order(0), [0, 1, 2, 3]);
  });
  test('1 takes what is least like the chosen', () => {
    assert.deepEqual(order(1), [0, 2, 3, 1]);
  });
  test('in between, a near copy of the best gives way to another thing', () => {
    assert.deepEqual(order(0.5, 2), [0, 2]);
    assert.deepEqual(order(0.1, 2), [0, 1]);
  });
  test('takes each once, and what has no vector as like nothing', () => {
    const candidates = [at(1, 1, 0), at(0.9, 1, 0), { score: 0.1, vector: null }];
    assert.deepEqual(
      diversify(candidates, 9, 0.6).map(({ score }) => score),
      [1, 0.1, 0.9],
    );
    assert.deepEqual(diversify([], 5, 0.5), []);
  });
});
