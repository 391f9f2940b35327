import assert from 'node:assert/strict';
import type { Answer, Caller, Headed } from '../person.ts';
import { sha256 } from './files.ts';

/** The headers of every request of the protocol. */
export const tus = { 'tus-resumable': '1.0.0' };

/** A value of `Upload-Metadata`. */
export function metadataOf(fields: Readonly<Record<string, string>>): string {
  return Object.entries(fields)
    .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
    .join(',');
}

/** Asks for an upload in slices. */
export function askUpload(
  caller: Caller,
  path: string,
  length: number,
  fields: Readonly<Record<string, string>> = {},
  headers: Headed = {},
): Promise<Answer> {
  const metadata = metadataOf({ path, mtime: '1', ...fields });
  const sent = { ...tus, 'upload-length': `${length}`, 'upload-metadata': metadata, ...headers };
  return caller.post('/uploads', undefined, sent);
}

/** Begins an upload; resolves to its URL below `/api`. */
export async function createUpload(...asked: Parameters<typeof askUpload>): Promise<string> {
  const { status, headers, body } = await askUpload(...asked);
  assert.equal(status, 201, JSON.stringify(body));
  return (headers.get('location') ?? '').slice('/api'.length);
}

/** Sends a slice, with its checksum if that is wanted. */
export function sendSlice(
  caller: Caller,
  url: string,
  offset: number,
  bytes: Buffer,
  headers: Headed = {},
): Promise<Answer> {
  const type = 'application/offset+octet-stream';
  return caller.patch(url, bytes, { ...tus, 'content-type': type, 'upload-offset': `${offset}`, ...headers });
}

export function checksumOf(bytes: Buffer): Headed {
  return { 'upload-checksum': `sha256 ${Buffer.from(sha256(bytes), 'hex').toString('base64')}` };
}

/** How far an upload has come. */
export async function offsetOf(caller: Caller, url: string, headers: Headed = {}): Promise<number> {
  const answer = await caller.call('HEAD', url, undefined, { ...tus, ...headers });
  assert.equal(answer.status, 200);
  return Number(answer.headers.get('upload-offset'));
}
