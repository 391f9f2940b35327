import type { FrozenParts } from './frozen-segment.ts';

/** Grows whenever segments, terms or scores' ingredients are written in another way. */
const FORMAT = 1;

/** Segments of another format are not read. Dictionaries part words of scripts without spaces, so theirs counts too. */
export const indexFormat = `${FORMAT} icu ${process.versions.icu ?? 'none'}`;

type PartName = keyof FrozenParts;
const bytes = ['ids', 'infos', 'terms', 'postings', 'stems', 'gone'] as const;
const integers = [
  'infoEnds',
  'chunkWords',
  'chunkEnds',
  'bodyWords',
  'titleWords',
  'termEnds',
  'postingEnds',
  'stemEnds',
  'stemTerms',
  'stemTermEnds',
] as const;
const floats = ['created', 'timestamps'] as const;
const order: readonly PartName[] = [...floats, ...integers, ...bytes];

/** A segment as one run of bytes: the length of each part, then the parts, little endian as all our machines are. */
export function encodeSegment(parts: FrozenParts): Uint8Array {
  const lengths = order.map((name) => parts[name].byteLength);
  const head = Uint32Array.from(lengths);
  const all = new Uint8Array(lengths.reduce((sum, length) => sum + length, head.byteLength));
  all.set(new Uint8Array(head.buffer));
  let at = head.byteLength;
  for (const name of order) {
    const { buffer, byteOffset, byteLength } = parts[name];
    all.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return all;
}

/** Throws RangeError for bytes that are no segment. */
export function decodeSegment(bytesAtRest: Uint8Array): FrozenParts {
  // A Buffer's "slice" would share its memory, at any alignment.
  const all = new Uint8Array(bytesAtRest);
  const head = new Uint32Array(all.slice(0, order.length * 4).buffer);
  let at = head.byteLength;
  const found = new Map<PartName, Uint8Array>();
  order.forEach((name, index) => {
    const length = head[index] ?? 0;
    // Copied, so that numbers are aligned.
    found.set(name, all.slice(at, at + length));
    at += length;
  });
  if (at !== all.length) throw new RangeError('a segment ends elsewhere than it says');
  const raw = (name: PartName) => found.get(name) ?? new Uint8Array();
  const decoded = {
    ...Object.fromEntries(bytes.map((name) => [name, raw(name)])),
    ...Object.fromEntries(integers.map((name) => [name, new Uint32Array(raw(name).buffer)])),
    ...Object.fromEntries(floats.map((name) => [name, new Float64Array(raw(name).buffer)])),
  };
  return decoded as unknown as FrozenParts;
}
