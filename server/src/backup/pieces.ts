import { crc32 } from 'node:zlib';
import { MB } from '@notevault/protocol/values/byte-units.ts';

/** Size of the pieces of a database file: a change of one page copies this much again. */
export const FILE_PIECE_BYTES = 4 * MB;
const ROWS_MIN = 512 * 1024;
const ROWS_MAX = 8 * MB;
/** A row ends a piece when the checksum of its last bytes has these bits clear: one of 512 does. */
const BOUNDARY_MASK = 0x1ff;
const BOUNDARY_BYTES = 48;
const NEWLINE = 10;

/**
 * Cuts the rows of a table into pieces at places that follow from the rows themselves, so that rows that were inserted
 * or deleted change only the piece they are in, and the others are equal to those of the last backup.
 */
export async function* cutRows(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting = Buffer.alloc(0);
  for await (const chunk of bytes) {
    let looked = waiting.length;
    waiting = Buffer.concat([waiting, chunk]);
    for (;;) {
      const end = boundary(waiting, looked);
      if (end === null) break;
      yield waiting.subarray(0, end);
      waiting = waiting.subarray(end);
      looked = 0;
    }
  }
  if (waiting.length > 0) yield waiting;
}

/** Returns the end of the first piece; null while it may still grow. */
function boundary(bytes: Buffer, looked: number): number | null {
  for (let at = Math.max(ROWS_MIN, looked); ; at++) {
    const newline = bytes.indexOf(NEWLINE, at);
    if (newline === -1 || newline >= ROWS_MAX) return bytes.length >= ROWS_MAX ? ROWS_MAX : null;
    const last = bytes.subarray(Math.max(0, newline - BOUNDARY_BYTES), newline);
    if ((crc32(last) & BOUNDARY_MASK) === 0) return newline + 1;
    at = newline;
  }
}
