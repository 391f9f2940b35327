import type { IncomingMessage } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';

/**
 * Throws `bad_request` for a request that a proxy in front may have framed differently: one with a version other than
 * HTTP/1.x, or with a transfer coding that is not decoded here (RFC 9112, sections 2.3 and 6.1).
 */
export function checkFraming({ httpVersion, headers }: IncomingMessage): void {
  if (httpVersion !== '1.1' && httpVersion !== '1.0') throw new NotevaultError('bad_request');
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return;
  if (httpVersion === '1.0' || coding.trim().toLowerCase() !== 'chunked') throw new NotevaultError('bad_request');
}
