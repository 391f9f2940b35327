import type { SkipReason } from '../progress.ts';
import { type Archive, ArchiveError, type ArchiveFile, type UnpackMeter } from './archive.ts';
import { decodeName } from './names.ts';
import type { ByteSource } from './range-reader.ts';

/*
 * Reads tar (POSIX.1-2017, pax; with GNU's long names). Libraries read it as a stream from front to back, but an import
 * needs the notebooks of a Joplin export before its notes, and the bytes of a file twice.
 */

const BLOCK = 512;
/** Maximum bytes of an extended header; names have at most 4,096. */
const EXTENDED_MAX = 64 * 1024;

/** Fields that extended headers give for the next file. */
interface ExtendedFields {
  readonly path?: string;
  readonly size?: number;
  readonly mtime?: number;
}

export function isTar(head: Buffer): boolean {
  return head.length >= BLOCK && head.toString('latin1', 257, 262) === 'ustar' && checksumFits(head);
}

export function openTar(reader: ByteSource): Archive {
  return { kind: 'tar', total: null, files: (meter) => filesOf(reader, meter) };
}

async function* filesOf(reader: ByteSource, meter: UnpackMeter): AsyncGenerator<ArchiveFile> {
  let extended: ExtendedFields = {};
  for (let at = 0; at + BLOCK <= reader.size; ) {
    const head = Buffer.from(await reader.read(at, BLOCK));
    if (head.every((byte) => byte === 0)) return;
    if (!checksumFits(head)) throw new ArchiveError('damaged_archive');
    meter.countEntry();
    const type = head.toString('latin1', 156, 157);
    const size = extended.size ?? numberAt(head, 124, 12);
    const from = at + BLOCK;
    if (!Number.isSafeInteger(size) || size < 0 || from + size > reader.size) throw new ArchiveError('damaged_archive');
    at = from + Math.ceil(size / BLOCK) * BLOCK;
    if (type === 'x' || type === 'L') {
      if (size > EXTENDED_MAX) throw new ArchiveError('damaged_archive');
      extended = { ...extended, ...extendedBy(type, await reader.read(from, size)) };
      continue;
    }
    if (type !== 'g' && type !== '5') yield fileOf(reader, meter, { head, type, from, size, extended });
    extended = {};
  }
}

interface Header {
  readonly head: Buffer;
  readonly type: string;
  readonly from: number;
  readonly size: number;
  readonly extended: ExtendedFields;
}

function fileOf(reader: ByteSource, meter: UnpackMeter, { head, type, from, size, extended }: Header): ArchiveFile {
  const prefix = textAt(head, 345, 155);
  const name = textAt(head, 0, 100);
  return {
    name: extended.path ?? (prefix === '' ? name : `${prefix}/${name}`),
    mtime: extended.mtime ?? numberAt(head, 136, 12),
    refused: refusalOf(type),
    open: () => meter.pass(reader.stream(from, from + size), size),
  };
}

function refusalOf(type: string): SkipReason | null {
  if (type === '0' || type === '\0' || type === '7') return null;
  return type === '1' || type === '2' ? 'link' : 'special_file';
}

/** The sum of the header's bytes, with the sum itself counted as spaces. */
function checksumFits(head: Buffer): boolean {
  let sum = 8 * 0x20;
  for (let at = 0; at < BLOCK; at++) if (at < 148 || at >= 156) sum += head[at] ?? 0;
  return sum === numberAt(head, 148, 8);
}

/** A number in octal digits or, with the highest bit set, in base 256 (GNU); NaN for neither. */
function numberAt(head: Buffer, at: number, length: number): number {
  if (((head[at] ?? 0) & 0x80) !== 0) {
    let value = (head[at] ?? 0) & 0x7f;
    for (const byte of head.subarray(at + 1, at + length)) value = value * 256 + byte;
    return value;
  }
  const digits = (head.toString('latin1', at, at + length).split('\0', 1)[0] ?? '').trim();
  return /^[0-7]*$/.test(digits) ? Number.parseInt(digits || '0', 8) : Number.NaN;
}

function textAt(head: Buffer, at: number, length: number): string {
  const field = head.subarray(at, at + length);
  const end = field.indexOf(0);
  return decodeName(end === -1 ? field : field.subarray(0, end));
}

function extendedBy(type: 'x' | 'L', bytes: Buffer): ExtendedFields {
  if (type === 'L') return { path: textAt(bytes, 0, bytes.length) };
  const found: { path?: string; size?: number; mtime?: number } = {};
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const length = space === -1 ? Number.NaN : Number(bytes.toString('latin1', at, space));
    if (!Number.isSafeInteger(length) || length <= 0 || at + length > bytes.length) break;
    const [key = '', ...value] = decodeName(bytes.subarray(space + 1, at + length - 1)).split('=');
    const text = value.join('=');
    if (key === 'path') found.path = text;
    if (key === 'size') found.size = Number(text);
    if (key === 'mtime' && Number.isFinite(Number(text))) found.mtime = Number(text);
    at += length;
  }
  return found;
}
