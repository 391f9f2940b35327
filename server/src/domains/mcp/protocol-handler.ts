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
import { FairSemaphore } from '../../concurrency/semaphore.ts';
import type { Principal } from '../access/access.ts';
import { ClientNames, type Sender } from './client-names.ts';
import type { McpCall, McpDeps, McpProtocolServer } from './mcp.deps.ts';

const CALLS_PER_CREDENTIAL = 4;
const CALLS = { units: 512, unitsPerOwner: CALLS_PER_CREDENTIAL, waiting: 4096, waitingPerOwner: 256 };

/** Answers each request with a protocol server of its own. */
export class ProtocolHandler {
  readonly #deps: McpDeps;
  readonly #budget: WriteBudget;
  readonly #calls = new FairSemaphore(CALLS);
  readonly #handler: McpHttpHandler;
  readonly #served = new WeakMap<Request, McpCall>();
  readonly #names = new ClientNames();

  constructor(deps: McpDeps) {
    this.#deps = deps;
    this.#budget = new WriteBudget(deps.writesPerMinute, () => deps.clock.now());
    this.#handler = createMcpHandler(({ requestInfo }) => this.#server(requestInfo), { legacy: 'reject' });
  }

  /** Throws `insufficient_access` for a call of a tool that writes, with a credential that may write nowhere. */
  async serve(call: McpCall): Promise<Response> {
    const { principal, request, body } = call;
    if (writerNames.has(calledTool(body)) && !mayWrite(principal)) {
      throw new NotevaultError('insufficient_access', { required: 'write' });
    }
    const permit = await this.#calls.acquire(principal.credentialId, 1, request.signal);
    this.#served.set(request, call);
    try {
      const isLegacy = await isLegacyRequest(request, body);
      const answer = await (isLegacy ? this.#serveLegacy(call) : this.#handler.fetch(request, { parsedBody: body }));
      return releasedAtEnd(answer, permit);
    } catch (error) {
      permit[Symbol.dispose]();
      throw error;
    }
  }

  /**
   * Serves clients of revisions before 2026-07-28. The answer is JSON, and a stream only if progress was requested,
   * because many proxies hold streams back.
   */
  async #serveLegacy({ principal, request, body }: McpCall): Promise<Response> {
    this.#names.remember(sender(principal, request), body);
    const server = this.#server(request);
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !wantsProgress(body) });
    await server.connect(transport);
    const close = () => void transport.close().catch(this.#deps.failed);
    request.signal.addEventListener('abort', close, { once: true });
    const answer = await transport.handleRequest(request, { parsedBody: body });
    if (!isStream(answer)) close();
    return answer;
  }

  #server(request: Request | undefined): McpProtocolServer {
    const call = request === undefined ? undefined : this.#served.get(request);
    if (request === undefined || call === undefined) throw new TypeError('a protocol server without its request');
    const { clock, version, failed, createServer = createMcpServer } = this.#deps;
    const deps: ServerDeps = {
      ...{ url: request.url.slice(0, request.url.indexOf('/api/')), tokens: noToken, fetch: call.fetch, tries: 1 },
      ...{ canWrite: mayWrite(call.principal), budget: this.#budget, credential: call.principal.credentialId },
      ...{ clientName: this.#names.of(sender(call.principal, request)), version, failed },
      ...{ now: () => new Date(clock.now()), random: (bytes) => clock.random(bytes) },
    };
    return createServer(deps);
  }
}

function sender({ credentialId }: Principal, { headers }: Request): Sender {
  return { credentialId, userAgent: headers.get('user-agent') };
}

/** Whether a credential may write in any vault, now or later. */
function mayWrite({ kind, scope }: Principal): boolean {
  if (kind === 'session') return true;
  return scope !== undefined && [scope.elsewhere, ...scope.vaults.values()].includes('write');
}

/** The name of the tool that a request calls; empty for other requests. */
function calledTool(body: unknown): string {
  const { method, params } = (body ?? {}) as { method?: unknown; params?: { name?: unknown } };
  return method === 'tools/call' && typeof params?.name === 'string' ? params.name : '';
}

function wantsProgress(body: unknown): boolean {
  const requests = [body].flat() as { params?: { _meta?: { progressToken?: unknown } } }[];
  return requests.some((request) => request?.params?._meta?.progressToken !== undefined);
}

function isStream(answer: Response): boolean {
  return answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** Releases the permit when the answer is complete. */
function releasedAtEnd(answer: Response, permit: Disposable): Response {
  if (!isStream(answer) || answer.body === null) {
    permit[Symbol.dispose]();
    return answer;
  }
  const body = answer.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      flush: () => permit[Symbol.dispose](),
      cancel: () => permit[Symbol.dispose](),
    }),
  );
  return new Response(body, answer);
}
