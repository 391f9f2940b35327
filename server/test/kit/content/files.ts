import { createHash, randomBytes } from 'node:crypto';
import type { Answer, Caller, Headed } from '../person.ts';

/** The first bytes of several file types, enough to recognise them. */
export const heads = {
  png: Buffer.from('89504e470d0a1a0a0000000d4948445200000001000000010806000000', 'hex'),
  jpg: Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'),
  gif: Buffer.from('GIF89a\x01\0\x01\0\x80\0\0', 'latin1'),
  pdf: Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1'),
  zip: Buffer.from('504b0304140000000800', 'hex'),
  exe: Buffer.from(`4d5a90000300000004000000ffff0000b8${'00'.repeat(60)}`, 'hex'),
  elf: Buffer.from('7f454c460201010000000000000000000200', 'hex'),
  machO: Buffer.from('cffaedfe0c00000100000000', 'hex'),
} as const;

/** A file that begins like its type, with random bytes after that. */
export function fileOf(kind: keyof typeof heads, size = 200): Buffer {
  const head = heads[kind];
  return Buffer.concat([head, randomBytes(Math.max(0, size - head.length))]);
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

export const fileUrl = (path: string) => `/attachments/${path.split('/').map(encodeURIComponent).join('/')}`;

/** Uploads as base64 in JSON; mtime 1 by default. */
export function uploadJson(
  caller: Caller,
  path: string,
  bytes: Buffer,
  fields: Record<string, unknown> = {},
  headers?: Headed,
): Promise<Answer> {
  const body = { path, content_base64: bytes.toString('base64'), mtime: 1, ...fields };
  return caller.post('/attachments', body, headers);
}

/** Uploads the raw bytes. */
export function uploadRaw(caller: Caller, path: string, bytes: Buffer, headers: Headed = {}): Promise<Answer> {
  return caller.call('PUT', fileUrl(path), bytes, { 'content-type': 'application/octet-stream', ...headers });
}

export function readRaw(caller: Caller, path: string, headers: Headed = {}): Promise<Answer> {
  return caller.get(`${fileUrl(path)}?raw=1`, headers);
}
