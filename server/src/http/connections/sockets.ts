import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import type { OperationName } from '@notevault/protocol/operations.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Static, TSchema } from 'typebox';
import { WebSocketServer } from 'ws';
import { tenantOfAddress } from '../admission.ts';
import { endWith, requestIdOf } from '../errors.ts';
import { http } from '../node-http.ts';
import { socketSchema } from '../openapi.ts';
import { CLOSE_CODES, Connection, type Session } from './connection.ts';
import { SOCKET_LIMITS, type SocketLimits } from './socket-limits.ts';

/** The upgrade request of a new connection, as an endpoint sees it. */
export interface UpgradeRequest<Params = Record<never, never>> {
  /** The client's address, as reported by trusted proxies. */
  readonly ip: string;
  readonly userAgent: string | null;
  readonly authorization: string | null;
  /** The `?token=` parameter, because browsers cannot set headers. Never logged. */
  readonly token: string | null;
  readonly params: Params;
}

interface SocketRouteSpec<Params> {
  /** Below `/api`. */
  readonly path: string;
  readonly operation: OperationName;
  readonly summary: string;
  readonly description: string;
  readonly params?: TSchema;
  /** Starts the session of an accepted socket, which has not presented a credential yet. */
  readonly open: (connection: Connection, upgrade: UpgradeRequest<Params>) => Session;
}

/** A WebSocket route whose type parameters were checked and erased. */
export type SocketRoute = SocketRouteSpec<never>;

/** Declares a WebSocket route: data plus one call. */
export function socketRoute<P extends TSchema | undefined = undefined>(
  spec: Omit<SocketRouteSpec<P extends TSchema ? Static<P> : Record<never, never>>, 'params'> & { readonly params?: P },
): SocketRoute {
  return spec as unknown as SocketRoute;
}

const TICK_MS = 1000;
/** How long clients may take to answer the close when the server stops. */
const CLOSE_TIMEOUT_MS = 2000;

/** A request for an upgrade to WebSocket, on its way through the router. */
interface Upgrade {
  readonly socket: Socket;
  readonly head: Buffer;
}

const upgrades = new WeakMap<IncomingMessage, Upgrade>();

/** Whether a request asks for an upgrade to WebSocket. The socket then no longer counts as a request. */
export function isUpgrade(request: FastifyRequest): boolean {
  return upgrades.has(request.raw);
}

/** Whether a request may be upgraded; any other `Upgrade` is ignored and answered normally. */
export function mayUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/** All sockets of a server: accepted within limits, checked once a second, closed when the server stops. */
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
    // The default would keep a socket that does not answer for half a minute. (The types do not have the option yet.)
    const closing = { closeTimeout: this.#limits.closingTicks * TICK_MS };
    this.#server = new WebSocketServer({
      noServer: true,
      clientTracking: false,
      perMessageDeflate: false,
      maxPayload: this.#limits.frameBytes,
      ...closing,
    });
    // The library's own answer would be text without the headers of every answer.
    this.#server.on('wsClientError', (_error, socket, request) =>
      endWith(socket, new NotevaultError('bad_request'), requestIdOf(request), { 'sec-websocket-version': '13' }),
    );
  }

  get size(): number {
    return this.#connections.size;
  }

  /** Throws `unavailable` when too many sockets are without a credential, or the server is stopping. */
  checkCapacity(ip: string): void {
    const { anonymous, anonymousPerAddress: anonymousOfAddress } = this.#limits;
    const full = this.#anonymousTotal >= anonymous || (this.#anonymous.get(ip) ?? 0) >= anonymousOfAddress;
    if (full || this.#stopping) throw new NotevaultError('unavailable');
  }

  /** Takes over the connection of an upgrade request; an invalid handshake gets 400. */
  accept(raw: IncomingMessage, ip: string, open: (connection: Connection) => Session): void {
    const upgrade = upgrades.get(raw);
    if (upgrade === undefined) throw new NotevaultError('upgrade_required');
    this.#server.handleUpgrade(raw, upgrade.socket, upgrade.head, (ws) => {
      const connection = new Connection(ws, upgrade.socket, this.#limits, tenantOfAddress(ip), this.#isAnonymous(ip));
      this.#connections.add(connection);
      ws.on('message', (data: Buffer, isBinary) => connection.onFrame(data, isBinary));
      ws.on('pong', () => connection.onPong());
      // An error ends the socket, and its `close` event follows.
      ws.on('error', () => undefined);
      ws.on('close', () => {
        this.#connections.delete(connection);
        connection.onClose();
      });
      connection.session = open(connection);
    });
  }

  /** Called once a second. */
  tick(): void {
    for (const connection of this.#connections) connection.tick();
    this.#tick();
  }

  /** Asks every client to reconnect, and waits a short time for their answers. */
  async stop(): Promise<void> {
    this.#stopping = true;
    for (const connection of this.#connections) connection.close(CLOSE_CODES.restart, 'server stops');
    for (let waited = 0; this.#connections.size > 0 && waited < CLOSE_TIMEOUT_MS; waited += 20) {
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    for (const connection of this.#connections) connection.terminate();
  }

  /** Counts a socket as anonymous for its address; the returned function removes it from the count. */
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
 * Lets requests become sockets. An upgrade request goes through the same router and hooks as any other, so that
 * addresses, paths and errors are the same; an accepted socket then leaves HTTP.
 */
export function handleUpgrades(app: FastifyInstance, sockets: Sockets): void {
  const route = (raw: IncomingMessage, socket: Socket, head: Buffer) => {
    // Without an error listener, a client that hangs up now would end the process.
    socket.on('error', () => socket.destroy());
    upgrades.set(raw, { socket, head });
    const response = new http.ServerResponse(raw);
    response.shouldKeepAlive = false;
    response.assignSocket(socket);
    response.once('finish', () => socket.end());
    app.routing(raw, response);
  };
  app.server.on('upgrade', route);
  // CONNECT is routed like any request: no route has this method, and the answer says so.
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

/** Mounts a WebSocket route; without an upgrade it answers 426. */
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
      // Checked here and not earlier, because many upgrades may be under way at once.
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
      // The handshake is the answer: for code that counts answers, this request ends here.
      if (upgrade !== undefined) reply.raw.detachSocket(upgrade.socket);
      reply.raw.emit('close');
      sockets.accept(raw, ip, (connection) => route.open(connection, knock));
    },
  });
}
