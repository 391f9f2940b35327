import type { SegmentArrays } from './frozen-segment.ts';

/** Must be increased when the bytes of a segment, its terms or any input of a score changes. */
export const SEGMENT_FORMAT = 6;

type ArrayName = keyof SegmentArrays;
const byteArrays = [
  'ids',
  'paths',
  'infos',
  'terms',
  'postings',
  'stems',
  'tombstones',
  'columnKeys',
  'values',
  'tasks',
] as const;
const integerArrays = [
  'pathEnds',
  'infoEnds',
  'chunkPositions',
  'chunkEnds',
  'bodyWords',
  'titleWords',
  'termEnds',
  'postingEnds',
  'stemEnds',
  'stemTerms',
  'stemTermEnds',
  'fileSizes',
  'columnKeyEnds',
  'columnEnds',
  'columnNotes',
  'columnValues',
  'valueEnds',
  'taskEnds',
] as const;
const floatArrays = ['created', 'timestamps', 'fileCreated', 'fileModified', 'fileChanged'] as const;
const arrayOrder: readonly ArrayName[] = [...floatArrays, ...integerArrays, ...byteArrays];

/** Encodes a segment: the byte length of each array, then the arrays. Numbers are in the machine's byte order. */
export function encodeSegment(arrays: SegmentArrays): Uint8Array {
  const header = Uint32Array.from(arrayOrder, (name) => arrays[name].byteLength);
  const encoded = new Uint8Array(header.reduce((sum, length) => sum + length, header.byteLength));
  encoded.set(new Uint8Array(header.buffer));
  let offset = header.byteLength;
  for (const name of arrayOrder) {
    const { buffer, byteOffset, byteLength } = arrays[name];
    encoded.set(new Uint8Array(buffer, byteOffset, byteLength), offset);
    offset += byteLength;
  }
  return encoded;
}

/** Decodes a segment. Throws RangeError when the bytes are not a segment. */
export function decodeSegment(encoded: Uint8Array): SegmentArrays {
  // A copy, because `slice` of a Node Buffer would share memory at an alignment that typed arrays refuse.
  const bytes = new Uint8Array(encoded);
  const header = new Uint32Array(bytes.slice(0, arrayOrder.length * 4).buffer);
  let offset = header.byteLength;
  const found = new Map<ArrayName, Uint8Array>();
  arrayOrder.forEach((name, index) => {
    const length = header[index] ?? 0;
    found.set(name, bytes.slice(offset, offset + length));
    offset += length;
  });
  if (offset !== bytes.length) throw new RangeError('the bytes are no segment: its arrays have another length');
  const raw = (name: ArrayName) => found.get(name) ?? new Uint8Array();
  const decoded = {
    ...Object.fromEntries(byteArrays.map((name) => [name, raw(name)])),
    ...Object.fromEntries(integerArrays.map((name) => [name, new Uint32Array(raw(name).buffer)])),
    ...Object.fromEntries(floatArrays.map((name) => [name, new Float64Array(raw(name).buffer)])),
  };
  return decoded as unknown as SegmentArrays;
}
