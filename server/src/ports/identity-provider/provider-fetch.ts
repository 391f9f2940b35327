import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import ipaddr from 'ipaddr.js';

const TIMEOUT_MS = 10_000;
const BYTES_MAX = MB;
const PRIVATE: ReadonlySet<string> = new Set(['loopback', 'private', 'uniqueLocal', 'linkLocal', 'carrierGradeNat']);

/**
 * A `fetch` for the provider that the operator has chosen: within limits of time and size, without following redirects.
 * Plain http is for loopback and private networks only, where nobody else can read the client's secret.
 */
export async function providerFetch(address: string, options: RequestInit): Promise<Response> {
  const url = new URL(address);
  const deadline = AbortSignal.timeout(TIMEOUT_MS);
  if (url.protocol !== 'https:' && !(await isPrivate(url))) throw new TypeError('plain http over a public network');
  const answer = await fetch(url, { ...options, redirect: 'manual', signal: deadline });
  const bytes = await collect(answer);
  return new Response(bytes.length === 0 ? null : bytes, { status: answer.status, headers: answer.headers });
}

/** Returns whether every address of a host belongs to this machine or to a private network. */
export async function isPrivate({ hostname }: Pick<URL, 'hostname'>): Promise<boolean> {
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const addresses = isIP(host) === 0 ? await lookup(host, { all: true }) : [{ address: host }];
  return addresses.length > 0 && addresses.every(({ address }) => PRIVATE.has(ipaddr.process(address).range()));
}

async function collect({ body }: Response): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > BYTES_MAX) throw new TypeError('an answer of over 1 MB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}
