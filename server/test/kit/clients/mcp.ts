import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestServer } from '../server.ts';

/** Longer than any call takes on a busy machine. */
const TIMEOUT_MS = 600_000;

/** The result of a tool. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: a test says what it expects by asserting, field by field.
  readonly data: any;
}

/** A client of the endpoint for assistants, with the official library. */
export class Assistant implements AsyncDisposable {
  readonly client: Client;

  constructor(client: Client) {
    this.client = client;
  }

  /** Connects with a credential; `legacy` speaks the revisions before 2026-07-28. */
  static async connect(server: Pick<TestServer, 'url'>, token: string, { legacy = false } = {}): Promise<Assistant> {
    const client = new Client(
      { name: 'test assistant', version: '1.0.0' },
      { versionNegotiation: { mode: legacy ? 'legacy' : 'auto' } },
    );
    const requestInit = { headers: { authorization: `Bearer ${token}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.url}/api/mcp`), { requestInit }));
    return new Assistant(client);
  }

  async call(name: string, input: Record<string, unknown> = {}): Promise<ToolResult> {
    const _meta = { 'notevault/structured': true };
    const { content, structuredContent, isError } = await this.client.callTool(
      { name, arguments: input, _meta },
      { timeout: TIMEOUT_MS },
    );
    const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
    return { text, isError: isError === true, data: structuredContent ?? {} };
  }

  async tools(): Promise<string[]> {
    return (await this.client.listTools()).tools.map(({ name }) => name);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.client.close();
  }
}
