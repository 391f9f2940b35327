import type { IncomingMessage } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';

/** A name, an IPv4 address or an IPv6 one in brackets, and a port; all of it may be absent (RFC 9110, section 7.2). */
const HOST = /^(?:\[[\w.:%~-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/**
 * Throws `bad_request` unless the request names one host, as HTTP/1.1 must (RFC 9112, section 3.2): of two, a proxy before
 * this server may have believed the other one. Node alone would answer a missing one without a word, and drop a second one.
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
