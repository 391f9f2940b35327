import { NotevaultError } from '@notevault/protocol/errors.ts';
import Negotiator from 'negotiator';
import type { ByteRange } from '../../ports/blobs/blobs.ts';
import type { ReplyBytes } from '../route.ts';
import { namesTag } from './revalidation.ts';

/** A file whose bytes are sent whole or in ranges. */
export interface RangedFile {
  readonly name: string;
  readonly size: number;
  /** A strong tag, with quotes. */
  readonly etag: string;
  readonly type: string;
  readonly disposition: 'inline' | 'attachment';
  /** Headers of every answer, also of one without bytes. */
  readonly headers: Readonly<Record<string, string>>;
  /** Opens a range; not called for HEAD, nor when the client has the file. */
  open(range: ByteRange): ReturnType<ReplyBytes['open']>;
}

/** Answers a request for a file with all of it, a range, or that the client has it. Throws `range_not_satisfiable`. */
export function rangedReply(file: RangedFile, header: (name: string) => string | null) {
  const { etag, size } = file;
  const common = { ...file.headers, etag, 'accept-ranges': 'bytes' };
  if (namesTag(header('if-none-match'), etag)) return { status: 304, headers: common };
  // Ranges of two versions do not fit together: the whole file is sent when the client has another version.
  const condition = header('if-range');
  const range = condition === null || condition === etag ? rangeOf(header('range'), size) : null;
  const { start, end } = range ?? { start: 0, end: size };
  return {
    status: range === null ? 200 : 206,
    headers: {
      ...common,
      'content-type': file.type,
      'content-disposition': dispositionOf(file.disposition, file.name),
      ...(range === null ? {} : { 'content-range': `bytes ${start}-${end - 1}/${size}` }),
    },
    bytes: { length: end - start, open: () => file.open({ start, end }) },
  };
}

/**
 * Returns the range that a `Range` header requests (RFC 9110, section 14.2); null for the whole file, as for several
 * ranges or an unknown syntax. Throws `range_not_satisfiable`.
 */
export function rangeOf(header: string | null, size: number): ByteRange | null {
  // The pattern has no two adjacent white space groups: a long run of spaces would take quadratic time.
  const match = /^bytes=\s*(?:(\d+)\s*)?-\s*(?:(\d+)\s*)?$/i.exec(header ?? '');
  if (match === null) return null;
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return null;
  if (from !== '' && to !== '' && Number(from) > Number(to)) return null;
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from);
  const end = from === '' || to === '' ? size : Math.min(size, Number(to) + 1);
  if (start < end) return { start, end };
  throw new NotevaultError('range_not_satisfiable', { size_bytes: size, content_range: `bytes */${size}` });
}

/** Whether a client accepts JSON (RFC 9110, section 12.5.1); one without an `Accept` header accepts anything. */
export function acceptsJson(header: string | null): boolean {
  if (header === null) return true;
  return new Negotiator({ headers: { accept: header } }).mediaType(['application/json']) !== undefined;
}

/** Returns `Content-Disposition` (RFC 6266) with a file name in any script. */
export function dispositionOf(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
