import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Assistant } from '../kit/clients/mcp.ts';
import { type Environment, main } from '../kit/programs/process.ts';

/** Starts `notevault mcp` as a host does. */
export async function connect(env: Environment, legacy = false): Promise<Assistant> {
  const client = new Client(
    { name: 'a host', version: '1' },
    { versionNegotiation: { mode: legacy ? 'legacy' : 'auto' } },
  );
  const environment = { PATH: process.env.PATH ?? '', HOME: '/nonexistent', ...env };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [main, 'mcp'], env: environment }));
  return new Assistant(client);
}
