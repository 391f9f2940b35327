import { randomBytes } from 'node:crypto';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { Transport } from '@notevault/client/transport.ts';
import { createMcpServer } from '@notevault/mcp/mcp-server.ts';
import { WriteBudget } from '@notevault/mcp/write-budget.ts';
import { version } from '@notevault/server/version.ts';
import { configOf } from '../config-flags.ts';
import { printError } from '../error-messages.ts';
import { type ApiAccess, withApi } from './api-access.ts';

/** Serves the tools over standard input and output until the host closes them. Nothing else is written to the output. */
export async function serveAssistant(flags: Record<string, unknown>): Promise<void> {
  const budget = new WriteBudget(configOf(flags).mcpWritesPerMinute, Date.now);
  await withApi(flags, async (api) => {
    const canWrite = await mayWrite(api);
    const transport = new StdioServerTransport();
    const ended = new Promise<void>((resolve) => {
      for (const event of ['end', 'close'] as const) process.stdin.once(event, resolve);
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
    });
    const factory = () =>
      createMcpServer({
        ...api,
        ...{ canWrite, budget, credential: 'the user of this process', clientName: null, version },
        ...{ now: () => new Date(), random: (bytes) => new Uint8Array(randomBytes(bytes)), failed: printError },
      });
    const serving = serveStdio(factory, { transport, onerror: printError });
    await ended;
    await serving.close();
  });
}

/** Returns whether the credential may write to any vault. Throws if the server or the credential cannot be used. */
async function mayWrite({ url, tokens, fetch }: ApiAccess): Promise<boolean> {
  const client = new NotevaultClient(new Transport(url, tokens, fetch === undefined ? {} : { fetch }));
  return (await client.vaults()).some(({ access }) => access !== 'read');
}
