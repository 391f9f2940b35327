const ID_BYTES = 16;
const hexOfByte = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Packs UUIDs into 16 bytes each. */
export function packIds(ids: readonly string[]): Uint8Array {
  const packed = new Uint8Array(ids.length * ID_BYTES);
  ids.forEach((id, index) => {
    const digits = id.replaceAll('-', '');
    for (let at = 0; at < ID_BYTES; at++)
      packed[index * ID_BYTES + at] = Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16);
  });
  return packed;
}

export const countIds = (packed: Uint8Array) => packed.length / ID_BYTES;

/** Returns the UUID at an index of packed ones. */
export function idAt(packed: Uint8Array, index: number): string {
  const base = index * ID_BYTES;
  let id = '';
  for (let at = 0; at < ID_BYTES; at++) {
    if (at === 4 || at === 6 || at === 8 || at === 10) id += '-';
    id += hexOfByte[packed[base + at] as number] as string;
  }
  return id;
}
