import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { quantize } from '../src/vectors/quantize.ts';
import { VaultVectors } from '../src/vectors/vault-vectors.ts';
import { VectorMatrix } from '../src/vectors/vector-matrix.ts';
import { clustered, dot, matrixOf, normalize, recall } from './kit/vectors.ts';

const seed = Number(process.env.TEST_SEED ?? 7) || 7;

describe('quantize', () => {
  test('quantize keeps each number to half a step of its vector’s own scale', () => {
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
  test('quantize accepts a vector of zeros', () => {
    assert.deepEqual([...quantize([new Float32Array(3)], 3).values], [0, 0, 0]);
  });
});

describe('VectorMatrix', () => {
  test('VectorMatrix finds the nearest chunks, best first, with their notes', () => {
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
  test('VectorMatrix gives the same results after any sets and deletes as a new one of the same notes', () => {
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
        assert.equal(matrix.noteCount, left.size);
        const allowed = new Uint8Array(31).map((_, note) => note % 2);
        for (const filter of [null, allowed]) {
          const [query = new Float32Array(16)] = clustered(16, 0, 1)(1);
          const shown = (of: VectorMatrix) =>
            of
              .search(query, 2000, filter)
              .map(({ note, chunk, score }) => `${score} ${note} ${chunk}`)
              .sort();
          assert.deepEqual(shown(matrix), shown(fresh));
          const sums = [matrix, fresh].map((of) => of.sumOfCosines(query));
          assert.ok(Math.abs((sums[0] ?? 0) - (sums[1] ?? 0)) < 1e-6);
        }
      }),
      { numRuns: 80 },
    );
  });
  test('VectorMatrix finds allowed notes however far they are, because it filters before it scores', () => {
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
  test('VectorMatrix compares a sparse query with every chunk, and loses nothing', () => {
    const draw = clustered(128, 0, seed);
    const matrix = matrixOf(draw(6000));
    const few = draw(10).map((query) => normalize(query.map((value, at) => (at % 16 === 3 ? value : 0))));
    assert.equal(recall(matrix, few, 50), 1);
  });
  test('VectorMatrix refuses vectors of other dimensions', () => {
    const matrix = new VectorMatrix(8);
    assert.throws(() => matrix.set(1, quantize([new Float32Array(4)], 4)), RangeError);
    assert.throws(() => matrix.search(new Float32Array(4), 1), RangeError);
  });
  for (const offset of [0, 5]) {
    test(`VectorMatrix loses less than 1 in 100 of 12,000 chunks centred ${offset} away from zero`, () => {
      const draw = clustered(128, offset, seed);
      const share = recall(matrixOf(draw(12_000)), draw(20), 50);
      assert.ok(share > 0.99, `recall ${share}`);
    });
  }
  test('VectorMatrix keeps its recall in a vault whose means move as it grows', () => {
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

describe('VaultVectors', () => {
  const near = (cosine: number) => Float32Array.of(cosine, Math.sqrt(1 - cosine * cosine));
  const query = near(1);
  const vaultOf = (count: number, cosineAt: (note: number) => number) => {
    const vectors = new VaultVectors('model');
    for (let note = 0; note < count; note++) {
      const quantized = quantize([near(cosineAt(note))], 2);
      vectors.put(`${note}`, 1, { title: '', chunks: [{ end: 1, heading: '' }], vectors: quantized });
    }
    return vectors;
  };

  test('chanceLevel lies somewhat above the mean cosine of a query with the chunks of a vault', () => {
    assert.ok(Math.abs(vaultOf(1000, () => 0).chanceLevel(query) - 0.1) < 0.01);
    assert.ok(Math.abs(vaultOf(1000, () => 0.7).chanceLevel(query) - 0.73) < 0.01);
    const mixed = vaultOf(1000, (note) => (note < 10 ? 0.9 : 0.5));
    assert.ok(mixed.chanceLevel(query) > 0.5 && mixed.chanceLevel(query) < 0.6);
  });
  test('chanceLevel leaves the only note of a vault above it', () => {
    assert.ok(vaultOf(1, () => 0.9).chanceLevel(query) < 0.3);
    assert.equal(vaultOf(0, () => 1).chanceLevel(query), 0);
    assert.equal(vaultOf(3, () => 1).chanceLevel(Float32Array.of(1, 0, 0)), 0);
  });
});
