import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Bus } from '../../ports/bus/bus.ts';

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
/** On the bus: a secret that a command made, that a server knows it, and how a request with it arrived. */
const EXPECTED_TOPIC = 'probe-expected';
const KNOWN_TOPIC = 'probe-known';
const SEEN_TOPIC = 'probe-seen';
/** Messages of the bus are short. */
const HEADER_LENGTH_MAX = 500;
/** How long servers may take to hear of a secret, and to tell how its request arrived. */
const REMOTE_MS = 3_000;

/**
 * Tells the operator how requests that they send to the public address arrive here. Only requests with a secret made for
 * this are recorded, each once.
 */
export class ConnectionProbe {
  readonly #expected = new Map<string, SeenRequest | null>();
  #seenElsewhere: (secret: string, seen: SeenRequest) => void = () => undefined;

  /** Makes the value of the header `X-Notevault-Probe` for one request. */
  expect(): string {
    const secret = randomUUID();
    this.#expect(secret);
    return secret;
  }

  #expect(secret: string): void {
    for (const oldest of this.#expected.keys()) {
      if (this.#expected.size < EXPECTED_MAX) break;
      this.#expected.delete(oldest);
    }
    this.#expected.set(secret, null);
  }

  /**
   * Lets commands that share the bus expect requests too, and tells them how they arrived: over a database of several
   * servers, nobody knows which of them a request reaches.
   */
  shareOver(bus: Bus): Disposable {
    this.#seenElsewhere = (secret, seen) => bus.publish(SEEN_TOPIC, JSON.stringify([secret, seen]));
    return bus.subscribe(EXPECTED_TOPIC, (secret) => {
      this.#expect(secret);
      bus.publish(KNOWN_TOPIC, secret);
    });
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
        const seen = seenOf(request);
        this.#expected.set(secret, seen);
        this.#seenElsewhere(secret, seen);
      }
      done();
    });
  }
}

function seenOf(request: FastifyRequest): SeenRequest {
  return {
    client: request.ip,
    peer: request.socket.remoteAddress ?? '',
    host: request.headers.host ?? '',
    scheme: request.protocol,
    isTrusted: (request.ips?.length ?? 0) > 1,
    forwardedFor: request.headers['x-forwarded-for']?.toString().slice(0, HEADER_LENGTH_MAX) ?? null,
  };
}

/** Expects requests at the servers that share a bus with a command. */
export class RemoteProbe implements Disposable {
  readonly #bus: Bus;
  readonly #servers: number;
  readonly #known = new Map<string, number>();
  readonly #seen = new Map<string, SeenRequest>();
  readonly #subscriptions = new DisposableStack();

  /** @param servers how many share the bus. */
  constructor(bus: Bus, servers: number) {
    this.#bus = bus;
    this.#servers = servers;
    this.#subscriptions.use(
      bus.subscribe(KNOWN_TOPIC, (secret) => {
        this.#known.set(secret, (this.#known.get(secret) ?? 0) + 1);
      }),
    );
    this.#subscriptions.use(
      bus.subscribe(SEEN_TOPIC, (payload) => {
        const [secret, seen] = JSON.parse(payload) as [string, SeenRequest];
        this.#seen.set(secret, seen);
      }),
    );
  }

  /** Makes the value of the header for one request; resolves when all servers know it. */
  async expectProbe(): Promise<string> {
    const secret = randomUUID();
    this.#bus.publish(EXPECTED_TOPIC, secret);
    await soon(() => (this.#known.get(secret) ?? 0) >= this.#servers);
    return secret;
  }

  /** How the request arrived; null when it did not. */
  async probeResult(secret: string): Promise<SeenRequest | null> {
    await soon(() => this.#seen.has(secret));
    return this.#seen.get(secret) ?? null;
  }

  [Symbol.dispose](): void {
    this.#subscriptions.dispose();
  }
}

/** Waits for a condition, or until it can be given up. */
async function soon(holds: () => boolean): Promise<void> {
  const until = performance.now() + REMOTE_MS;
  while (!holds() && performance.now() < until) await delay(20);
}
