/**
 * The official conformance suite, through a proxy that adds a token. The product's own tools pass what does not need
 * fixtures; the baseline says for each other scenario which fixture it asks for.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { onSqlite } from '../../server/test/kit/engines.ts';
import { startServer } from '../../server/test/kit/server.ts';
import { createFixtures } from './fixtures.ts';
import { startTokenProxy } from './token-proxy.ts';

const program = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Runs the suite of a revision; resolves to its exit code and what it printed. */
async function conformance(
  url: string,
  revision: string,
  baseline: string,
): Promise<{ code: number; printed: string }> {
  const args = [program, 'server', '--url', url, '--requirements', revision, '--expected-failures'];
  args.push(join(import.meta.dirname, 'conformance', baseline));
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  child.stdout.on('data', (text) => (printed += text));
  child.stderr.on('data', (text) => (printed += text));
  const [code] = await once(child, 'close');
  return { code, printed };
}

const SUITES = [
  { served: 'fixtures', baseline: 'fixtures.yaml', createMcpServer: createFixtures },
  { served: 'the product’s own tools', baseline: 'own.yaml', createMcpServer: undefined },
];

onSqlite('the conformance suite', (open) => {
  for (const { served, baseline, createMcpServer } of SUITES) {
    for (const revision of ['2026-07-28', '2025-11-25']) {
      test(`${revision} with ${served}: every scenario passes but those of the baseline`, async () => {
        await using server = await startServer({ open, ...(createMcpServer === undefined ? {} : { createMcpServer }) });
        await server.alice.post('/vaults', { name: 'Home' });
        const { key } = (await server.alice.post('/api-keys', { name: 'conformance' })).body;
        await using proxy = await startTokenProxy(server.url, key);
        const { code, printed } = await conformance(proxy.url, revision, `${revision}-${baseline}`);
        assert.equal(code, 0, printed);
      });
    }
  }
});
