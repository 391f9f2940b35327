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

/** A name, an IPv4 address or a bracketed IPv6 address, and a port; all of it is optional (RFC 9110, section 7.2). */
const HOST = /^(?:\[[\w.:%~-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/**
 * Throws `bad_request` unless the request names exactly one host, as HTTP/1.1 requires (RFC 9112, section 3.2): of two,
 * a proxy in front may have used the other one. Node by itself would answer a missing one without a body, and ignore a
 * second one.
 */
export function checkHost({ rawHeaders, httpVersion }: IncomingMessage): void {
  let host: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    if (rawHeaders[at]?.toLowerCase() !== 'host') continue;
    if (host !== undefined) throw new NotevaultError('bad_request');
    host = rawHeaders[at + 1] ?? '';
  }
  if (host === undefined ? httpVersion === '1.1' : !HOST.test(host)) throw new NotevaultError('bad_request');
}
