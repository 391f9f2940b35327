import { lookup } from 'node:dns/promises';
import type { IncomingMessage } from 'node:http';
import { connect, isIP, type Socket } from 'node:net';
import { connect as secure, type TLSSocket } from 'node:tls';
import { isPublicAddress } from './public-addresses.ts';
import { FetchError, type FetchedDocument, type SafeFetch } from './safe-fetch.ts';

const TIMEOUT_MS = 5_000;
const BYTES_MAX = 64 * 1024;
const HEADER_BYTES_MAX = 16 * 1024;
/** Maximum concurrent fetches; bounded because anybody may name an address. */
const AT_ONCE = 16;

/** The network, which tests replace; the checks remain. */
export interface Network {
  resolve(host: string): Promise<readonly string[]>;
  dial(address: string, port: number): Socket;
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string;
}

const internet: Network = {
  resolve: async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address),
  dial: (address, port) => connect({ host: address, port }),
};

/** Resolves a name once, checks every address, and connects to one of exactly these addresses. */
export function createSafeFetch(network: Network = internet, timeoutMs: number = TIMEOUT_MS): SafeFetch {
  let running = 0;
  return {
    async get(text) {
      const url = URL.parse(text);
      if (url === null || url.protocol !== 'https:' || url.username !== '' || url.password !== '') {
        throw new FetchError('not_https');
      }
      if (running >= AT_ONCE) throw new FetchError('overloaded');
      running += 1;
      const deadline = AbortSignal.timeout(timeoutMs);
      try {
        const address = await withDeadline(publicAddressOf(url, network), deadline);
        return await fetchFrom(address, url, network, deadline);
      } catch (error) {
        if (error instanceof FetchError) throw error;
        throw new FetchError(deadline.aborted ? 'too_slow' : 'unreachable', error);
      } finally {
        running -= 1;
      }
    },
  };
}

/** Throws `not_public` even when only one of several addresses is not public, because a mixture is an attack. */
async function publicAddressOf(url: URL, network: Network): Promise<string> {
  const host = hostOf(url);
  const addresses = isIP(host) === 0 ? await network.resolve(host) : [host];
  const [first] = addresses;
  if (first === undefined || !addresses.every(isPublicAddress)) throw new FetchError('not_public');
  return first;
}

/** The host name without the brackets of IPv6. */
function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
}

function withDeadline<T>(work: Promise<T>, deadline: AbortSignal): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  deadline.addEventListener('abort', () => reject(deadline.reason), { once: true });
  promise.catch(() => undefined);
  return Promise.race([work, promise]);
}

async function fetchFrom(address: string, url: URL, network: Network, deadline: AbortSignal): Promise<FetchedDocument> {
  const raw = network.dial(address, Number(url.port === '' ? 443 : url.port));
  // Without an error listener, a broken connection would end the process.
  raw.on('error', () => undefined);
  const host = hostOf(url);
  const socket: TLSSocket = secure({
    socket: raw,
    ALPNProtocols: ['http/1.1'],
    // The certificate must match the requested host; the name is sent only if it is not an IP address (RFC 6066).
    ...(isIP(host) === 0 ? { servername: host } : { host }),
    ...(network.ca === undefined ? {} : { ca: network.ca }),
  });
  try {
    const response = await send(socket, url, deadline);
    const body = await collect(response, deadline);
    const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const);
    return { status: response.statusCode ?? 0, headers: new Map(headers), body };
  } finally {
    socket.destroy();
    raw.destroy();
  }
}

function send(socket: TLSSocket, url: URL, deadline: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  socket.on('error', reject);
  // See http/node-http.ts.
  const request = process.getBuiltinModule('node:http').request({
    method: 'GET',
    path: url.pathname + url.search,
    maxHeaderSize: HEADER_BYTES_MAX,
    headers: { host: url.host, accept: 'application/json', 'accept-encoding': 'identity', connection: 'close' },
    signal: deadline,
    // Node calls this for the connection only if there is no agent.
    createConnection: () => socket,
  });
  request.on('response', resolve).on('error', reject).end();
  return promise;
}

async function collect(response: IncomingMessage, deadline: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.iterator({ destroyOnReturn: true })) {
    bytes += (chunk as Buffer).length;
    if (bytes > BYTES_MAX) throw new FetchError('too_large');
    chunks.push(chunk as Buffer);
  }
  deadline.throwIfAborted();
  return Buffer.concat(chunks, bytes);
}
