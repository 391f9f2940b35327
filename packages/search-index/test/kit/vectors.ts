import { Random } from '../../../../server/test/kit/random.ts';
import { quantize } from '../../src/vectors/quantize.ts';
import { VectorMatrix } from '../../src/vectors/vector-matrix.ts';

/** Draws vectors in clusters, as vectors of texts are distributed, with a centre `offset` away from zero. */
export function clustered(dimensions: number, offset: number, seed: number): (count: number) => Float32Array[] {
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

export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

/** Returns the share of the truly nearest `count` vectors that a matrix finds, averaged over queries. */
export function recall(matrix: VectorMatrix, queries: readonly Float32Array[], count: number): number {
  const vectors = Array.from({ length: matrix.noteCount }, (_, note) => matrix.vectorOf(note, 0) ?? new Float32Array());
  const shares = queries.map((query) => {
    const scores = Float32Array.from(vectors, (vector) => dot(query, vector));
    const worst = scores.toSorted().at(-count) ?? 0;
    return matrix.search(query, count).filter(({ note }) => (scores[note] ?? 0) >= worst - 1e-6).length / count;
  });
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

export function matrixOf(vectors: readonly Float32Array[]): VectorMatrix {
  const matrix = new VectorMatrix(vectors[0]?.length ?? 1);
  vectors.forEach((vector, note) => {
    matrix.set(note, quantize([vector], vector.length));
  });
  return matrix;
}

/** Scales a vector to length 1, in place. */
export function normalize(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector));
  for (let at = 0; at < vector.length; at++) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}
