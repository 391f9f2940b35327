/** Every kind of credential that a page of ours makes, at the endpoint for assistants. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allTools, writerNames } from '@notevault/mcp/all-tools.ts';
import { Assistant } from '../kit/clients/mcp.ts';
import { OAuthApp } from '../kit/clients/oauth-app.ts';
import { onSqlite } from '../kit/engines.ts';
import { linkDevice } from '../kit/operations.ts';
import { startServer, type TestServer } from '../kit/server.ts';

type Level = 'none' | 'read' | 'write';
interface Vaults {
  readonly home: string;
  readonly work: string;
}
interface Made {
  readonly kind: string;
  readonly token: string;
  readonly home: Level;
  readonly work: Level;
}

/** The choices of levels that the pages offer and do not refuse. */
const CHOICES: readonly { readonly elsewhere: Level; readonly home: Level }[] = [
  { elsewhere: 'write', home: 'none' },
  { elsewhere: 'read', home: 'write' },
  { elsewhere: 'none', home: 'read' },
  { elsewhere: 'none', home: 'write' },
];

async function makeAll(server: TestServer, { home, work }: Vaults): Promise<Made[]> {
  const { alice } = server;
  const made: Made[] = [];
  for (const { elsewhere, home: level } of CHOICES) {
    const levels = { home: level, work: elsewhere };
    const body = { name: 'token', default_access: elsewhere, vault_access: { [home]: level } };
    const key = (await alice.post('/api-keys', body)).body.key;
    const pat = (await alice.post('/connections/pat', body)).body;
    made.push({ kind: 'key', token: key, ...levels }, { kind: 'pat', token: pat.token ?? pat.key, ...levels });
    // The resources that a client may name give tokens alike.
    const resources =
      made.length > 2 ? [`${server.publicUrl}/api/mcp`] : [`${server.publicUrl}/api/mcp`, server.publicUrl];
    for (const resource of resources) {
      const app = await OAuthApp.register(server);
      const request = await app.ask({ resource });
      const back = await app.allowed(request, alice, { levels: { [home]: level, [work]: elsewhere }, elsewhere });
      const { access_token: token } = await app.exchange(request, back);
      made.push({ kind: `oauth for ${resource}`, token, ...levels });
    }
  }
  const { access } = await linkDevice(alice, work);
  return [...made, { kind: 'device', token: access, home: 'none', work: 'write' }];
}

onSqlite('credentials of our pages', (open) => {
  test('each credential reaches its vaults through tools, with its levels and no others', async () => {
    const config = { publicUrl: 'https://notes.example', mcpWritesPerMinute: 0 };
    await using server = await startServer({ open, config });
    const make = async (name: string) => (await server.alice.post('/vaults', { name })).body.vault.id as string;
    const vaults = { home: await make('Home'), work: await make('Work') };
    for (const id of Object.values(vaults)) {
      await server.alice.post('/notes', { path: 'a.md', content: 'x', mtime: 1 }, { 'x-vault-id': id });
    }
    for (const { kind, token, ...levels } of await makeAll(server, vaults)) {
      const about = `${kind}: ${JSON.stringify(levels)}`;
      await using assistant = await Assistant.connect(server, token);
      const mayWrite = Object.values(levels).includes('write');
      assert.equal((await assistant.tools()).length, allTools.length - (mayWrite ? 0 : writerNames.size), about);
      const listed = (await assistant.call('list_vaults')).data.vaults as { id: string; access: Level }[];
      const accessOf = (id: string) => listed.find((vault) => vault.id === id)?.access ?? 'none';
      assert.deepEqual({ home: accessOf(vaults.home), work: accessOf(vaults.work) }, levels, about);
      for (const name of ['home', 'work'] as const) {
        const vault = vaults[name];
        const read = await assistant.call('get_notes', { vault, paths: ['a.md'] });
        assert.equal(read.isError, levels[name] === 'none', `${about}, reading ${name}`);
        if (!mayWrite) continue;
        const written = await assistant.call('append_to_note', { vault, path: 'a.md', text: kind });
        assert.equal(written.isError, levels[name] !== 'write', `${about}, writing ${name}`);
      }
    }
  });
});
