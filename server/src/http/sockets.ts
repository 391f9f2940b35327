import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { WebSocketServer } from 'ws';
import { endWith } from './client-error.ts';
import { CLOSE_CODES, Connection, type Session } from './connection.ts';
import { requestIdOf } from './errors.ts';
import { socketSchema } from './openapi.ts';
import { SOCKET_LIMITS, type SocketLimits } from './socket-limits.ts';

/** What an endpoint gets to know of who knocks. */
export interface UpgradeRequest<Params = Record<never, never>> {
  /** The client's address, behind the proxies that are trusted. */
  readonly ip: string;
  readonly userAgent: string | null;
  readonly authorization: string | null;
  /** `?token=`: browsers cannot set headers. Never logged. */
  readonly token: string | null;
  readonly params: Params;
}

interface SocketRouteSpec<Params> {
  /** Below `/api`. */
  readonly path: string;
  /** The operation's name in the OpenAPI document. */
  readonly operation: string;
  readonly summary: string;
  readonly description: string;
  readonly params?: TSchema;
  /** Begins the conversation with a socket that was accepted; nobody knows yet whose it is. */
  readonly open: (connection: Connection, upgrade: UpgradeRequest<Params>) => Session;
}

/** A WebSocket route with its types checked and forgotten. */
export type SocketRoute = SocketRouteSpec<never>;

/** Declares a WebSocket route: data plus one call. */
export function socketRoute<P extends TSchema | undefined = undefined>(
  spec: Omit<SocketRouteSpec<P extends TSchema ? Static<P> : Record<never, never>>, 'params'> & { readonly params?: P },
): SocketRoute {
  return spec as unknown as SocketRoute;
}

const TICK_MS = 1000;
/** How long clients may take to answer that the server stops. */
const CLOSE_TIMEOUT_MS = 2000;

/** A request to become a WebSocket, on its way through the router. */
interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** Whether a request asks to become a WebSocket. It then lives on outside of everything that counts requests. */
export function isUpgrade(request: FastifyRequest): boolean {
  return upgrades.has(request.raw);
}

/** For `http.createServer`: any other `Upgrade` is ignored, as HTTP allows, and the request answered as it stands. */
export function mayUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** All sockets of a server: accepted within bounds, looked after once a second, sent away when it stops. */
export class Sockets {
  readonly #limits: SocketLimits;
  readonly #connections = new Set<Connection>();
  readonly #anonymous = new Map<string, number>();
  readonly #server: WebSocketServer;
  readonly #tick: () => void;
  #anonymousTotal = 0;
  #stopping = false;

  /** @param tick called once a second while the server runs. */
  constructor(tick: () => void, limits: Partial<SocketLimits> = {}) {
    this.#limits = { ...SOCKET_LIMITS, ...limits };
    this.#tick = tick;
    // Its own default would hold a socket that does not answer for half a minute. (Its types do not know the option yet.)
    const closing = { closeTimeout: this.#limits.closingTicks * TICK_MS };
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: this.#limits.frameBytes,
      ...closing,
    });
    // Its own answer would be text without the headers that every answer has.
    this.#server.on('wsClientError', (_error, socket, request) =>
      endWith(socket, new NotevaultError('bad_request'), requestIdOf(request), { 'sec-websocket-version': '13' }),
    );
  }

  /** Open sockets. */
  get size(): number {
    return this.#connections.size;
  }

  /** Throws `unavailable` when too many sockets wait to show a credential, or the server stops. */
  checkCapacity(ip: string): void {
    const { anonymous, anonymousPerAddress: anonymousOfAddress } = this.#limits;
    const full = this.#anonymousTotal >= anonymous || (this.#anonymous.get(ip) ?? 0) >= anonymousOfAddress;
    if (full || this.#stopping) throw new NotevaultError('unavailable');
  }

  /** Takes over the connection of an upgrade request; a handshake that is none is answered with 400. */
  accept(raw: IncomingMessage, ip: string, open: (connection: Connection) => Session): void {
    const upgrade = upgrades.get(raw);
    if (upgrade === undefined) throw new NotevaultError('upgrade_required');
    this.#server.handleUpgrade(raw, upgrade.socket, upgrade.head, (ws) => {
      const connection = new Connection(ws, upgrade.socket, this.#limits, this.#isAnonymous(ip));
      this.#connections.add(connection);
      ws.on('message', (data: Buffer, isBinary) => connection.onFrame(data, isBinary));
      ws.on('pong', () => connection.onPong());
      // What goes wrong with a socket ends it: its `close` follows.
      ws.on('error', () => undefined);
      ws.on('close', () => {
        this.#connections.delete(connection);
        connection.onClose();
      });
      connection.session = open(connection);
    });
  }

  /** Once a second. */
  tick(): void {
    for (const connection of this.#connections) connection.tick();
    this.#tick();
  }

  /** Tells every client to come back, and waits for their answers, not for long. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const connection of this.#connections) connection.close(CLOSE_CODES.restart, 'server stops');
    for (let waited = 0; this.#connections.size > 0 && waited < CLOSE_TIMEOUT_MS; waited += 20) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (const connection of this.#connections) connection.terminate();
  }

  /** Counts a socket among the strangers of its address; call what it returns once it is none any more. */
  #isAnonymous(ip: string): () => void {
    this.#anonymousTotal += 1;
    this.#anonymous.set(ip, (this.#anonymous.get(ip) ?? 0) + 1);
    return () => {
      this.#anonymousTotal -= 1;
      const left = (this.#anonymous.get(ip) ?? 1) - 1;
      if (left === 0) this.#anonymous.delete(ip);
      else this.#anonymous.set(ip, left);
    };
  }
}

/**
 * Lets requests become sockets. An upgrade request goes through the same router and hooks as any other, so that its
 * address, its path and its refusal are what they are elsewhere; the accepted socket then leaves HTTP behind.
 */
export function handleUpgrades(app: FastifyInstance, sockets: Sockets): void {
  const route = (raw: IncomingMessage, socket: Socket, head: Buffer) => {
    // Without a listener, a client that hangs up now would end the process.
    socket.on('error', () => socket.destroy());
    upgrades.set(raw, { socket, head });
    const response = new ServerResponse(raw);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    app.routing(raw, response);
  };
  app.server.on('upgrade', route);
  // No tunnels are made here: no route takes the method, and the answer says so.
  app.server.on('connect', route);
  let timer: NodeJS.Timeout | undefined;
  app.addHook('onListen', (done) => {
    timer = setInterval(() => sockets.tick(), TICK_MS).unref();
    done();
  });
  app.addHook('preClose', async () => {
    clearInterval(timer);
    await sockets.stop();
  });
}

/** Mounts a WebSocket route; asked without an upgrade, it says so. */
export function mountSocket(api: FastifyInstance, route: SocketRoute, sockets: Sockets): void {
  api.route({
    method: 'GET',
    url: route.path,
    schema: socketSchema(route),
    onRequest: async (request, reply) => {
      if (isUpgrade(request)) return;
      reply.header('upgrade', 'websocket');
      throw new NotevaultError('upgrade_required');
    },
    handler: (request, reply) => {
      const { ip, headers, raw } = request;
      // Here, and not before: many may be on their way at once.
      sockets.checkCapacity(ip);
      const { token } = request.query as { token?: unknown };
      const knock = {
        ip,
        userAgent: headers['user-agent'] ?? null,
        authorization: headers.authorization ?? null,
        token: typeof token === 'string' ? token : null,
        params: request.params as never,
      };
      reply.hijack();
      const upgrade = upgrades.get(raw);
      // The answer is the handshake: who counts answers sees this one end here.
      if (upgrade !== undefined) reply.raw.detachSocket(upgrade.socket);
      reply.raw.emit('close');
      sockets.accept(raw, ip, (connection) => route.open(connection, knock));
    },
  });
}
