import { NotevaultError } from '@notevault/protocol/errors.ts';
import Negotiator from 'negotiator';
import type { ByteRange } from '../../ports/blobs/blobs.ts';

/**
 * The part of a file that a `Range` header asks for (RFC 9110, section 14.2); null for all of it: without the header, and
 * for several ranges or anything that is not understood, as the RFC has it. Throws `range_not_satisfiable`.
 */
export function rangeOf(header: string | null, size: number): ByteRange | null {
  // No two spaces side by side in the pattern: on a long run of them it would take time that grows with the square.
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

/** Whether an `If-None-Match` header names the entity tag, compared weakly (RFC 9110, section 13.1.2). */
export function namesTag(header: string | null, tag: string): boolean {
  if (header === null) return false;
  return header.trim() === '*' || header.split(',').some((each) => each.trim().replace(/^W\//, '') === tag);
}

/** Whether a client takes an answer in JSON (RFC 9110, section 12.5.1); one that sends no `Accept` takes anything. */
export function acceptsJson(header: string | null): boolean {
  if (header === null) return true;
  return new Negotiator({ headers: { accept: header } }).mediaType(['application/json']) !== undefined;
}

/** `Content-Disposition` (RFC 6266) with a file name of any script. */
export function dispositionOf(kind: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_');
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
  return `${kind}; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
