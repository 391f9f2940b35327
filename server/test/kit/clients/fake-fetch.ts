import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { connect } from 'node:net';
import { createSafeFetch, type Network } from '../../../src/ports/safe-fetch/public-fetch.ts';
import type { SafeFetch } from '../../../src/ports/safe-fetch/safe-fetch.ts';
import { HOSTS } from '../content/certificates.ts';
import { listen } from '../programs/free-port.ts';

/** A simulated internet for tests: host names, their addresses, and the documents served there. */
export interface FakeFetch extends AsyncDisposable {
  readonly fetcher: SafeFetch;
  readonly network: Network;
  /** The addresses of a host, one list for each time it is resolved; the last one repeats. */
  readonly names: Map<string, (readonly string[])[]>;
  /** The response to each URL. */
  readonly documents: Map<string, (response: ServerResponse) => void>;
  /** Every address that was connected to. */
  readonly dialled: string[];
  /** Every URL that was requested. */
  readonly requests: string[];
}

/** One local server answers for all addresses; the checks of safe-fetch are the real ones. */
export async function fakeFetch(timeoutMs?: number): Promise<FakeFetch> {
  const names: FakeFetch['names'] = new Map();
  const documents: FakeFetch['documents'] = new Map();
  const [dialled, requests]: [string[], string[]] = [[], []];
  const server = createServer(HOSTS, (request, response) => {
    const url = `https://${request.headers.host}${request.url}`;
    requests.push(url);
    const serve = documents.get(url);
    if (serve === undefined) response.writeHead(404).end();
    else serve(response);
  });
  const { port, ...listening } = await listen(server);
  const network: Network = {
    ca: HOSTS.cert,
    async resolve(host) {
      const left = names.get(host) ?? [];
      const found = left.length > 1 ? left.shift() : left[0];
      if (found === undefined) throw new Error('no such host');
      return found;
    },
    dial(address) {
      dialled.push(address);
      return connect({ host: '127.0.0.1', port });
    },
  };
  return { ...listening, fetcher: createSafeFetch(network, timeoutMs), network, names, documents, dialled, requests };
}

/** Returns a handler that answers with JSON. */
export function json(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}
