import type { McpCall, McpDeps } from './mcp.deps.ts';
import type { ProtocolHandler } from './protocol-handler.ts';

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
