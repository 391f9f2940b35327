import type { McpServer, Server } from '@modelcontextprotocol/server';
import type { McpDeps as ServerDeps } from '@notevault/mcp/mcp-server.ts';
import type { Tasks } from '../../../concurrency/task-worker.ts';
import type { Compute } from '../../../concurrency/worker-pool.ts';
import type { Clock } from '../../../ports/clock/clock.ts';
import type { Principal } from '../../foundation/access/access.ts';
import type { ProtocolHandler } from './protocol-handler.ts';

export type McpProtocolServer = Server | McpServer;

export interface McpCall {
  readonly principal: Principal;
  /** The request without its body. */
  readonly request: Request;
  readonly body: unknown;
  /** Calls the API of this server with the caller's credential. */
  readonly fetch: typeof globalThis.fetch;
}

export interface McpDeps {
  readonly clock: Clock;
  readonly version: string;
  /** Writes by tools that one credential may make in a minute; 0 for no limit. */
  readonly writesPerMinute: number;
  readonly compute: Compute<Tasks>;
  readonly failed: (error: unknown) => void;
  /** Makes the protocol server of a request: the tools, unless a test serves others. */
  readonly createServer?: (deps: ServerDeps) => McpProtocolServer;
}

/**
 * Serves the Model Context Protocol, without sessions. The library and the tools are imported at the first request: they
 * take 10 MB, which a server without assistants does not need.
 */
export class Mcp {
  readonly #deps: McpDeps;
  #loading: Promise<ProtocolHandler> | undefined;
  #handler: ProtocolHandler | undefined;

  constructor(deps: McpDeps) {
    this.#deps = deps;
  }

  /** Number of calls that may run. */
  get running(): number {
    return this.#handler?.running ?? 0;
  }

  /** Throws `insufficient_access` for a call of a tool that writes, with a credential that may write nowhere. */
  async serve(call: McpCall): Promise<Response> {
    this.#loading ??= import('./protocol-handler.ts').then(({ ProtocolHandler }) => new ProtocolHandler(this.#deps));
    this.#handler ??= await this.#loading;
    return this.#handler.serve(call);
  }
}
