import { randomUUID } from 'node:crypto';
import type { FastifyInstance } from 'fastify';

/** How a request arrived, as this server sees it. */
export interface SeenRequest {
  /** The client's address, as reported by trusted proxies. */
  readonly client: string;
  /** The address of the connection: the last proxy, or the client itself. */
  readonly peer: string;
  readonly host: string;
  readonly scheme: string;
  readonly forwardedFor: string | null;
  /** Whether `client` was taken from that header, because the peer is a trusted proxy. */
  readonly isTrusted: boolean;
}

const HEADER = 'x-notevault-probe';
const EXPECTED_MAX = 100;

/**
 * Tells the operator how requests that they send to the public address arrive here. Only requests with a secret made for
 * this are recorded, each once.
 */
export class ConnectionProbe {
  readonly #expected = new Map<string, SeenRequest | null>();

  /** Makes the value of the header `X-Notevault-Probe` for one request. */
  expect(): string {
    for (const oldest of this.#expected.keys()) {
      if (this.#expected.size < EXPECTED_MAX) break;
      this.#expected.delete(oldest);
    }
    const secret = randomUUID();
    this.#expected.set(secret, null);
    return secret;
  }

  /** How the request arrived; null when it did not. */
  result(secret: string): SeenRequest | null {
    const seen = this.#expected.get(secret) ?? null;
    this.#expected.delete(secret);
    return seen;
  }

  mount(app: FastifyInstance): void {
    app.addHook('onRequest', (request, _reply, done) => {
      const secret = request.headers[HEADER];
      if (typeof secret === 'string' && this.#expected.has(secret)) {
        this.#expected.set(secret, {
          client: request.ip,
          peer: request.socket.remoteAddress ?? '',
          host: request.headers.host ?? '',
          scheme: request.protocol,
          isTrusted: (request.ips?.length ?? 0) > 1,
          forwardedFor: request.headers['x-forwarded-for']?.toString() ?? null,
        });
      }
      done();
    });
  }
}
