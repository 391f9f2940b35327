import {
  createMcpHandler,
  isLegacyRequest,
  type McpHttpHandler,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { noToken } from '@notevault/client/tokens.ts';
import { writerNames } from '@notevault/mcp/all-tools.ts';
import { createMcpServer, type McpDeps as ServerDeps } from '@notevault/mcp/mcp-server.ts';
import { WriteBudget } from '@notevault/mcp/write-budget.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { FairSemaphore } from '../../../concurrency/semaphore.ts';
import type { Compute } from '../../../concurrency/worker-pool.ts';
import { CALLS, CALLS_PER_CREDENTIAL } from '../../../config/limits.ts';
import { type Principal, permissionsOf } from '../../foundation/access/access.ts';
import { CallPermit } from './call-permit.ts';
import type { McpCall, McpDeps, McpProtocolServer } from './mcp.ts';
import type { McpTasks } from './tasks.ts';

/** The library requires both formats by name. */
const ANY_FORMAT = 'application/json, text/event-stream';
/** Status of an answer whose client has left; nobody reads it. */
const CLIENT_LEFT = 499;

interface PermittedCall extends McpCall {
  readonly permit: CallPermit;
}

/** Answers each request with a protocol server of its own. */
export class ProtocolHandler {
  readonly #deps: McpDeps;
  readonly #budget: WriteBudget;
  readonly #calls = new FairSemaphore(CALLS);
  readonly #handler: McpHttpHandler;
  readonly #served = new WeakMap<Request, PermittedCall>();
  readonly #names = new ClientNames();

  constructor(deps: McpDeps) {
    this.#deps = deps;
    this.#budget = new WriteBudget(deps.writesPerMinute, () => deps.clock.elapsed());
    this.#handler = createMcpHandler(({ requestInfo }) => this.#server(requestInfo), { legacy: 'reject' });
  }

  /** Number of calls that may run. */
  get running(): number {
    return this.#calls.used;
  }

  /** Throws `insufficient_access` for a call of a tool that writes, with a credential that may write nowhere. */
  async serve(call: McpCall): Promise<Response> {
    const { principal, request, body } = call;
    const { clock } = this.#deps;
    if (writerNames.has(calledTool(body)) && !mayWrite(principal)) {
      throw new NotevaultError('insufficient_access', { required: 'write' });
    }
    const units = Math.min(callsIn(body), CALLS_PER_CREDENTIAL);
    const permit = new CallPermit(
      await this.#calls.acquire(principal.credentialId, units, request.signal),
      units,
      clock,
    );
    using _ = permit.hold();
    request.signal.throwIfAborted();
    const served = { ...call, body: inAcceptedFormat(request, body), permit };
    this.#served.set(request, served);
    const isLegacy = await isLegacyRequest(request, body);
    const answer = await (isLegacy
      ? this.#serveLegacy(served)
      : this.#handler.fetch(request, { parsedBody: served.body }));
    if (isStream(answer)) permit.holdUntil(request.signal);
    return answer;
  }

  /**
   * Serves clients of revisions before 2026-07-28. The answer is JSON, and a stream only if progress was requested,
   * because many proxies hold streams back.
   */
  async #serveLegacy({ principal, request, body }: PermittedCall): Promise<Response> {
    this.#names.remember(sender(principal, request), body);
    const batch = renumbered(body);
    const enableJsonResponse = batch !== null || !wantsProgress(body);
    const server = this.#server(request);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse });
    await server.connect(transport);
    const close = () => void transport.close().catch(this.#deps.failed);
    const left = Promise.withResolvers<Response>();
    const leave = () => {
      // Cancels the requests of tools. The transport never answers once it is closed.
      close();
      left.resolve(new Response(null, { status: CLIENT_LEFT }));
    };
    if (request.signal.aborted) leave();
    else request.signal.addEventListener('abort', leave, { once: true });
    const answering = transport.handleRequest(request, { parsedBody: batch?.body ?? body });
    const answer = await Promise.race([answering, left.promise]);
    if (!isStream(answer)) close();
    return batch === null || answer.body === null ? answer : batch.withOriginalIds(answer);
  }

  #server(request: Request | undefined): McpProtocolServer {
    const call = request === undefined ? undefined : this.#served.get(request);
    if (request === undefined || call === undefined) throw new TypeError('a protocol server without its request');
    const { clock, version, failed, createServer = createMcpServer } = this.#deps;
    const deps: ServerDeps = {
      ...{ url: request.url.slice(0, request.url.indexOf('/api/')), tokens: noToken, fetch: call.fetch, tries: 1 },
      ...{ canWrite: mayWrite(call.principal), budget: this.#budget, credential: call.principal.credentialId },
      ...{ clientName: this.#names.of(sender(call.principal, request)), version, failed },
      compare: (before, after) => this.#compare(call.principal, before, after),
      begin: () => call.permit.begin(call.request.signal),
      ...{ now: () => new Date(clock.now()), random: (bytes) => clock.random(bytes) },
    };
    return createServer(deps);
  }

  async #compare({ userId }: Principal, before: string, after: string): Promise<string> {
    const compute = this.#deps.compute as Compute<McpTasks>;
    const bytes = 2 * (before.length + after.length);
    return (await compute.run(userId, 'unifiedDiff', { before, after }, { bytes })).output;
  }
}

function sender({ credentialId }: Principal, { headers }: Request): Sender {
  return { credentialId, userAgent: headers.get('user-agent') };
}

/** Whether a credential may write in any vault, now or later. */
function mayWrite(principal: Principal): boolean {
  return permissionsOf(principal).includes('write');
}

/** The name of the tool that a request calls; empty for other requests. */
function calledTool(body: unknown): string {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } };
  return method === 'tools/call' && typeof params?.name === 'string' ? params.name : '';
}

/** The number of messages in a batch; 1 for any other body. */
function callsIn(body: unknown): number {
  return Array.isArray(body) ? Math.max(1, body.length) : 1;
}

/**
 * Makes the library accept clients that accept anything, or only JSON. Returns the body; for those that accept only JSON,
 * without its requests for progress, which is the one thing that turns an answer into a stream.
 */
function inAcceptedFormat({ headers }: Request, body: unknown): unknown {
  const accept = headers.get('accept') ?? '*/*';
  const takesAny = accept.includes('*/*');
  if (!takesAny && (accept.includes('text/event-stream') || !accept.includes('application/json'))) return body;
  headers.set('accept', ANY_FORMAT);
  if (takesAny) return body;
  return Array.isArray(body) ? body.map(withoutProgress) : withoutProgress(body);
}

function withoutProgress(message: unknown): unknown {
  if (!wantsProgress(message)) return message;
  const { params, ...rest } = message as { params: { _meta: { progressToken: unknown } } };
  const { progressToken: _, ...meta } = params._meta;
  return { ...rest, params: { ...params, _meta: meta } };
}

function wantsProgress(body: unknown): boolean {
  const requests = [body].flat() as { params?: { _meta?: { progressToken?: unknown } } }[];
  return requests.some((request) => request?.params?._meta?.progressToken !== undefined);
}

function isStream(answer: Response): boolean {
  return answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** Requests of an array that are sent at once, and the ids that their client gave them. */
interface RenumberedBatch {
  readonly body: readonly unknown[];
  /** Gives an answer the ids of its requests again. */
  readonly withOriginalIds: (answer: Response) => Promise<Response>;
}

interface Message {
  readonly id?: unknown;
  readonly method?: unknown;
}

/**
 * Gives the requests of a batch ids of their own; null for a body in which no two requests have the same one. The
 * library tells requests apart by their ids, and would answer only the first of two that share one.
 */
function renumbered(body: unknown): RenumberedBatch | null {
  if (!Array.isArray(body)) return null;
  const requests = body.filter(isRequest);
  if (new Set(requests.map(({ id }) => id)).size === requests.length) return null;
  const ids = new Map<unknown, unknown>();
  const renamed = body.map((message: unknown, index) => {
    if (!isRequest(message)) return message;
    const id = `${index} ${message.id}`;
    ids.set(id, message.id);
    return { ...message, id };
  });
  const restore = (answer: Message) => (ids.has(answer.id) ? { ...answer, id: ids.get(answer.id) } : answer);
  return {
    body: renamed,
    async withOriginalIds(answer) {
      const answers = (await answer.json()) as Message | Message[];
      const { status, headers } = answer;
      return Response.json(Array.isArray(answers) ? answers.map(restore) : restore(answers), { status, headers });
    },
  };
}

/** Whether a message is a request. Only a string or a number is an id; the library refuses others. */
function isRequest(message: unknown): message is Message {
  const { id, method } = (message ?? {}) as Message;
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number');
}

/** The sender of a request. Two programs with one credential differ at least in their user agents. */
interface Sender {
  readonly credentialId: string;
  readonly userAgent: string | null;
}

const SENDERS_MAX = 10_000;
const NAME_LENGTH_MAX = 200;

/**
 * Names of clients that use protocol revisions before 2026-07-28. They send their name only when they connect, and
 * there are no sessions, so this process remembers it per credential. If it is unknown, the user agent is used.
 */
class ClientNames {
  /** The sender that connected last is last. */
  readonly #names = new Map<string, string>();

  remember(sender: Sender, body: unknown): void {
    const { method, params } = (body ?? {}) as { method?: unknown; params?: { clientInfo?: { name?: unknown } } };
    const name = params?.clientInfo?.name;
    if (method !== 'initialize' || typeof name !== 'string' || name === '') return;
    const key = keyOf(sender);
    this.#names.delete(key);
    this.#names.set(key, name.slice(0, NAME_LENGTH_MAX));
    const [oldest] = this.#names.keys();
    if (this.#names.size > SENDERS_MAX && oldest !== undefined) this.#names.delete(oldest);
  }

  of(sender: Sender): string | null {
    return this.#names.get(keyOf(sender)) ?? sender.userAgent;
  }
}

function keyOf({ credentialId, userAgent }: Sender): string {
  return `${credentialId} ${userAgent?.slice(0, NAME_LENGTH_MAX) ?? ''}`;
}
