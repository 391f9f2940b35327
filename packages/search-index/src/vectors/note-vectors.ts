import type { Quantized } from './quantize.ts';

/** A note's vectors, one for each of its pieces, and the title they were made under. */
export interface NoteVectors {
  readonly title: string;
  /** In order, from the note's beginning to its end. */
  readonly pieces: readonly VectorPiece[];
  readonly vectors: Quantized;
}

export interface VectorPiece {
  /** UTF-16 offset; a piece begins where the one before ended. */
  readonly end: number;
  readonly heading: string;
}

/** The vectors of a note as stored. */
export interface SealedVectors {
  readonly id: string;
  readonly version: number;
  readonly vseq: number;
  /** Null when they could not be made. */
  readonly data: Uint8Array | null;
}

const FORMAT = 1;
const HEADER_BYTES = 8;

interface Words {
  readonly title: string;
  readonly ends: readonly number[];
  readonly headings: readonly string[];
}

/** As stored, sealed: format (1 byte), 0, dimensions (2, little endian), length of JSON (4), JSON of Words, scales, values. */
export function packVectors({ title, pieces, vectors }: NoteVectors): Buffer {
  const { dimensions, scales, values } = vectors;
  const words: Words = {
    title: storedTitle(title),
    ends: pieces.map(({ end }) => end),
    headings: pieces.map(({ heading }) => heading),
  };
  const json = Buffer.from(JSON.stringify(words), 'utf8');
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt8(FORMAT, 0);
  header.writeUInt16LE(dimensions, 2);
  header.writeUInt32LE(json.length, 4);
  const scaleBytes = Buffer.alloc(scales.length * 4);
  scales.forEach((scale, index) => {
    scaleBytes.writeFloatLE(scale, index * 4);
  });
  return Buffer.concat([header, json, scaleBytes, Buffer.from(values.buffer, values.byteOffset, values.byteLength)]);
}

/** Throws RangeError or SyntaxError when these are no packed vectors. */
export function unpackVectors(bytes: Buffer): NoteVectors {
  if (bytes.length < HEADER_BYTES || bytes.readUInt8(0) !== FORMAT) throw new RangeError('vectors of another format');
  const dimensions = bytes.readUInt16LE(2);
  const scalesAt = HEADER_BYTES + bytes.readUInt32LE(4);
  const { title, ends, headings } = JSON.parse(bytes.toString('utf8', HEADER_BYTES, scalesAt)) as Words;
  const valuesAt = scalesAt + ends.length * 4;
  if (bytes.length !== valuesAt + ends.length * dimensions) throw new RangeError('vectors of another length');
  const scales = Float32Array.from(ends, (_, index) => bytes.readFloatLE(scalesAt + index * 4));
  const values = new Int8Array(bytes.subarray(valuesAt));
  const pieces = ends.map((end, index) => ({ end, heading: headings[index] ?? '' }));
  return { title, pieces, vectors: { dimensions, scales, values } };
}

/** Whether vectors stored under one title are those of another: only so much of a title is stored. */
export function isTitle(stored: string, title: string): boolean {
  return stored === storedTitle(title);
}

function storedTitle(title: string): string {
  return title.slice(0, 1000).toWellFormed();
}
