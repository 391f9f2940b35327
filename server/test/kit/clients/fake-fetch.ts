import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { createSafeFetch, type Network } from '../../../src/ports/safe-fetch/public-fetch.ts';
import type { SafeFetch } from '../../../src/ports/safe-fetch/safe-fetch.ts';

/** The self-signed key of the hosts of the tests; it protects nothing. */
const KEY = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg4cYABoi0Ay30PKZE
K6R8PV0Dx3kfL+9AZFGFXqbMwC2hRANCAARavk1GicR5T0hJKOBEN0XW2t1iTsYS
davoetq5tCID6qSm9XWl9unWlb2LkjhQ3StzKT+1/PBqGYUYK6SL7pSf
-----END PRIVATE KEY-----`;
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIB1TCCAXugAwIBAgIUXVG6nNOXF3ic+aGItLI33RI1V8QwCgYIKoZIzj0EAwIw
GTEXMBUGA1UEAwwOY2xpZW50LmV4YW1wbGUwIBcNMjYxMTIwMjAyNzQ5WhgPMjEy
NjEwMjcyMDI3NDlaMBkxFzAVBgNVBAMMDmNsaWVudC5leGFtcGxlMFkwEwYHKoZI
zj0CAQYIKoZIzj0DAQcDQgAEWr5NRonEeU9ISSjgRDdF1trdYk7GEnWr6HraubQi
A+qkpvV1pfbp1pW9i5I4UN0rcyk/tfzwahmFGCuki+6Un6OBnjCBmzAdBgNVHQ4E
FgQUBvYWSZiS84TyyRJU5sPX5s0rikMwHwYDVR0jBBgwFoAUBvYWSZiS84TyyRJU
5sPX5s0rikMwDwYDVR0TAQH/BAUwAwEB/zBIBgNVHREEQTA/gg5jbGllbnQuZXhh
bXBsZYIOcmViaW5kLmV4YW1wbGWCDW1peGVkLmV4YW1wbGWCDmluc2lkZS5leGFt
cGxlMAoGCCqGSM49BAMCA0gAMEUCIQDUcK270Y7axgo2QdAZHLbXIhSBFY5Mfxqz
Jk8Djoq28wIgMb1NlmEbYhXR9MRI7IA8fywkqlWcNIFhhB+AfMGQ/rE=
-----END CERTIFICATE-----`;

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
  const server = createServer({ key: KEY, cert: CERTIFICATE }, (request, response) => {
    const url = `https://${request.headers.host}${request.url}`;
    requests.push(url);
    const serve = documents.get(url);
    if (serve === undefined) response.writeHead(404).end();
    else serve(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const network: Network = {
    ca: CERTIFICATE,
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
  return {
    fetcher: createSafeFetch(network, timeoutMs),
    network,
    names,
    documents,
    dialled,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns a handler that answers with JSON. */
export function json(body: unknown, headers: Readonly<Record<string, string>> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}
