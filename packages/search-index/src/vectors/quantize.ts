/**
 * Vectors with one byte a number instead of four. Each vector is scaled so that its largest number becomes ±127. The error,
 * less than half a percent of the largest number, is smaller than what separates one passage from the next.
 */
export interface QuantizedVectors {
  readonly dimensions: number;
  /** The numbers of all vectors, one vector after another. */
  readonly values: Int8Array;
  /** The factor that turns each vector's bytes back into its numbers. */
  readonly scales: Float32Array;
}

/** @param vectors all of `dimensions` finite numbers. */
export function quantize(vectors: readonly Float32Array[], dimensions: number): QuantizedVectors {
  const values = new Int8Array(vectors.length * dimensions);
  const scales = new Float32Array(vectors.length);
  vectors.forEach((vector, index) => {
    let largest = 0;
    for (const value of vector) largest = Math.max(largest, Math.abs(value));
    scales[index] = largest / 127;
    if (largest === 0) return;
    const base = index * dimensions;
    for (let at = 0; at < dimensions; at++) values[base + at] = Math.round(((vector[at] ?? 0) / largest) * 127);
  });
  return { dimensions, values, scales };
}
