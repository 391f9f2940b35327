import type { IncomingMessage } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';

/**
 * Throws `bad_request` for what a proxy before this server may have framed in another way: another version of HTTP in the
 * text of this one, and a transfer coding that is not undone here (RFC 9112, sections 2.3 and 6.1).
 */
export function checkFraming({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw new NotevaultError('bad_request');
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return;
  if (httpVersion === '1.0' || coding.trim().toLowerCase() !== 'chunked') throw new NotevaultError('bad_request');
}
