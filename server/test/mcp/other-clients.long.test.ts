/**
 * Clients of other makers: the SDKs in both protocol eras, FastMCP and the Inspector. Those that are no packages of the
 * repository are installed from the registries; where that fails, their tests are skipped with the reason.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { allTools } from '@notevault/mcp/all-tools.ts';
import { Assistant } from '../kit/clients/mcp.ts';
import { onSqlite } from '../kit/engines.ts';
import { oneServer } from '../kit/server.ts';

const PYTHON = ['mcp==2.3.0', 'fastmcp==4.1.6'];
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';
const INSTALL_MS = 20 * 60_000;
const run = promisify(execFile);

/** Makes a folder and runs the commands of an installation in it; skips the test if one fails. */
async function installed(context: TestContext, commands: readonly (readonly string[])[]): Promise<string | null> {
  const folder = await mkdtemp(join(tmpdir(), 'notevault-clients-'));
  context.after(() => rm(folder, { recursive: true, force: true }));
  for (const [program = '', ...args] of commands) {
    try {
      await run(program, args, { cwd: folder, timeout: INSTALL_MS });
    } catch (error) {
      const why = `NOT TESTED, because an installation failed: ${String(error).slice(0, 500)}`;
      console.error(why);
      context.skip(why);
      return null;
    }
  }
  return folder;
}

interface ClientReport {
  readonly client: string;
  readonly tools: readonly string[];
  readonly answers: readonly { readonly tool: string; readonly error: boolean; readonly text: string }[];
}

onSqlite('clients of other makers', (open) => {
  const start = oneServer(() => ({ open, config: { mcpWritesPerMinute: 0 } }));
  const names = allTools.map(({ name }) => name).sort();

  async function connection() {
    const server = await start();
    await server.alice.post('/vaults', { name: 'Home' });
    const { key } = (await server.alice.post('/api-keys', { name: 'client' })).body;
    return { server, url: `${server.url}/api/mcp`, key: key as string };
  }

  test('the TypeScript SDK in both protocol eras uses the tools', async () => {
    const { server, key } = await connection();
    await using _ = server;
    for (const legacy of [true, false]) {
      await using assistant = await Assistant.connect(server, key, { legacy });
      assert.deepEqual((await assistant.tools()).sort(), names);
      for (const tool of ['list_vaults', 'list_tasks', 'recent_changes', 'list_trash', 'list_tags'])
        assert.equal((await assistant.call(tool)).isError, false, tool);
      assert.equal((await assistant.call('list_links', { dangling: true })).isError, false);
    }
  });

  test('the Python SDK in both protocol eras, and FastMCP, use the tools', async (context) => {
    const folder = await installed(context, [
      ['python3', '-m', 'venv', 'venv'],
      ['venv/bin/python', '-m', 'pip', 'install', '--quiet', '--prefer-binary', ...PYTHON],
    ]);
    if (folder === null) return;
    const { server, url, key } = await connection();
    await using _ = server;
    const script = join(import.meta.dirname, 'python-clients.py');
    const { stdout } = await run(join(folder, 'venv/bin/python'), [script, url, key]);
    const reports = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as ClientReport);
    assert.deepEqual(
      reports.map(({ client }) => client),
      ['Python SDK, legacy', 'Python SDK, auto', 'FastMCP'],
    );
    for (const { client, tools, answers } of reports) {
      assert.deepEqual([...tools].sort(), names, client);
      for (const { tool, error, text } of answers) assert.equal(error, false, `${client}, ${tool}: ${text}`);
      assert.match(answers[1]?.text ?? '', /Sown\./, client);
    }
  });

  test('the Inspector lists the tools and calls one', async (context) => {
    const folder = await installed(context, [
      ['npm', 'install', '--no-save', '--no-audit', '--no-fund', '--prefix', '.', INSPECTOR],
    ]);
    if (folder === null) return;
    const { server, url, key } = await connection();
    await using _ = server;
    const inspect = async (...args: string[]) => {
      const program = join(folder, 'node_modules/.bin/mcp-inspector');
      const header = ['--header', `Authorization: Bearer ${key}`];
      const { stdout } = await run(program, ['--cli', url, '--transport', 'http', ...header, ...args]);
      return JSON.parse(stdout);
    };
    const listed = (await inspect('--method', 'tools/list')).tools as { name: string }[];
    assert.deepEqual(listed.map(({ name }) => name).sort(), names);
    const called = await inspect('--method', 'tools/call', '--tool-name', 'list_vaults');
    assert.match(JSON.stringify(called.content), /Home/);
  });
});
