/** Every tool, with credentials of each kind and level. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allTools, writerNames } from '@notevault/mcp/all-tools.ts';
import { Assistant } from '../kit/clients/mcp.ts';
import { OAuthApp } from '../kit/clients/oauth-app.ts';
import { onSqlite } from '../kit/engines.ts';
import { linkDevice } from '../kit/operations.ts';
import { startServer, type TestServer } from '../kit/server.ts';
import { callAll, type Known, toolCalls } from './tool-calls.ts';

async function started(open: Parameters<typeof startServer>[0]['open']) {
  const config = { publicUrl: 'https://notes.example', mcpWritesPerMinute: 0 };
  const server = await startServer({ open, config });
  const vault = (await server.alice.post('/vaults', { name: 'Home' })).body.vault.id;
  await server.alice.post('/notes', { path: 'a.md', content: '# A\n\nwords #tag\n', mtime: 1 });
  await server.alice.post('/attachments', { path: 'file.txt', content_base64: btoa('bytes'), mtime: 1 });
  const known = (word: string): Known => ({ vault, path: 'a.md', word, id: '', hash: '', version: 0, uri: '' });
  return { server, vault, known };
}

/** Credentials that may write, by kind, then one of each level. */
async function credentialsOf(server: TestServer, vault: string) {
  const pat = await server.alice.post('/connections/pat', { name: 'pat', default_access: 'write' });
  const key = await server.alice.post('/api-keys', { name: 'key', vault_access: { [vault]: 'write' } });
  const reader = await server.alice.post('/api-keys', { name: 'reader', vault_access: { [vault]: 'read' } });
  const app = await OAuthApp.register(server);
  return {
    session: (await server.alice.signed()).accessToken,
    pat: pat.body.token ?? pat.body.key,
    key: key.body.key as string,
    device: (await linkDevice(server.alice, vault)).access,
    oauth: (await app.connect({ scope: 'mcp' })).access_token,
    reader: reader.body.key as string,
    'oauth reader': (await app.connect({ scope: 'mcp:read' })).access_token,
  };
}

onSqlite('every tool', (open) => {
  test('every tool has a call here', () => {
    assert.deepEqual(toolCalls.map(({ name }) => name).sort(), allTools.map(({ name }) => name).sort());
  });

  test('every tool works for credentials of each kind, and writes only with those that may write', async () => {
    const { server, vault, known } = await started(open);
    await using _ = server;
    for (const [kind, token] of Object.entries(await credentialsOf(server, vault))) {
      const mayWrite = !kind.includes('reader');
      await using assistant = await Assistant.connect(server, token);
      const names = await assistant.tools();
      assert.equal(names.length, mayWrite ? allTools.length : allTools.length - writerNames.size, kind);
      const calls = toolCalls.filter(({ name }) => mayWrite || !writerNames.has(name));
      for (const [name, { isError, text }] of await callAll(assistant, known(kind), calls)) {
        assert.equal(isError, false, `${name} with ${kind}: ${text}`);
      }
      for (const { name, input } of mayWrite ? [] : toolCalls.filter((each) => writerNames.has(each.name))) {
        await assert.rejects(assistant.call(name, input(known(kind))), /Insufficient scope/, name);
      }
    }
    const tree = (await server.alice.get('/vault/tree')).body;
    assert.deepEqual(
      tree.notes.map((note: { path: string }) => note.path),
      ['a.md'],
    );
  });
});
