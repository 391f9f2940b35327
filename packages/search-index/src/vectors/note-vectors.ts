import type { VectorChunk } from '../analysis/passages.ts';
import type { QuantizedVectors } from './quantize.ts';

/** The vectors of a note, one for each of its chunks, and the title they were made under. */
export interface NoteVectors {
  readonly title: string;
  /** Chunks in the order of the note. */
  readonly chunks: readonly VectorChunk[];
  readonly vectors: QuantizedVectors;
}

const FORMAT = 1;
const HEADER_BYTES = 8;
const MAX_TITLE_LENGTH = 1000;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

interface StoredTexts {
  readonly title: string;
  readonly ends: readonly number[];
  readonly headings: readonly string[];
}

/**
 * Encodes a note's vectors: format (1 byte), zero (1), dimensions (2), length of the JSON (4), JSON of StoredTexts, scales
 * (4 each), values. Numbers are little endian.
 */
export function packVectors({ title, chunks, vectors }: NoteVectors): Uint8Array {
  const { dimensions, scales, values } = vectors;
  const texts: StoredTexts = {
    title: storedTitle(title),
    ends: chunks.map(({ end }) => end),
    headings: chunks.map(({ heading }) => heading),
  };
  const json = encoder.encode(JSON.stringify(texts));
  const scalesStart = HEADER_BYTES + json.length;
  const valuesStart = scalesStart + scales.length * 4;
  const packed = new Uint8Array(valuesStart + values.length);
  const view = new DataView(packed.buffer);
  view.setUint8(0, FORMAT);
  view.setUint16(2, dimensions, true);
  view.setUint32(4, json.length, true);
  packed.set(json, HEADER_BYTES);
  scales.forEach((scale, index) => {
    view.setFloat32(scalesStart + index * 4, scale, true);
  });
  packed.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), valuesStart);
  return packed;
}

/** Decodes a note's vectors. Throws RangeError or SyntaxError when the bytes are not packed vectors. */
export function unpackVectors(packed: Uint8Array): NoteVectors {
  if (packed.length < HEADER_BYTES || packed[0] !== FORMAT) throw new RangeError('packed vectors of an unknown format');
  const view = new DataView(packed.buffer, packed.byteOffset, packed.byteLength);
  const dimensions = view.getUint16(2, true);
  const scalesStart = HEADER_BYTES + view.getUint32(4, true);
  const json = decoder.decode(packed.subarray(HEADER_BYTES, scalesStart));
  const { title, ends, headings } = JSON.parse(json) as StoredTexts;
  const valuesStart = scalesStart + ends.length * 4;
  if (packed.length !== valuesStart + ends.length * dimensions)
    throw new RangeError('packed vectors of a wrong length');
  const scales = Float32Array.from(ends, (_, index) => view.getFloat32(scalesStart + index * 4, true));
  const values = new Int8Array(packed.subarray(valuesStart));
  const chunks = ends.map((end, index) => ({ end, heading: headings[index] ?? '' }));
  return { title, chunks, vectors: { dimensions, scales, values } };
}

/** Returns whether packed vectors were made under a title. Only the beginning of the title is stored. */
export function isSameTitle(stored: string, title: string): boolean {
  return stored === storedTitle(title);
}

function storedTitle(title: string): string {
  return title.slice(0, MAX_TITLE_LENGTH).toWellFormed();
}
