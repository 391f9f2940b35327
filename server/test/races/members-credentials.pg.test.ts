/** Tests what a removed member's programs can do with a vault during and after the removal, in every process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assistant } from '../kit/clients/mcp.ts';
import { onEachEngine } from '../kit/engines.ts';
import { linkDevice } from '../kit/operations.ts';
import { sharedOnThree } from '../kit/shared-vault.ts';

const AT_ONCE = 12;

onEachEngine('programs of a removed member', (open) => {
  const startThree = sharedOnThree(open, { mcpWritesPerMinute: 0 });

  test('[S2] a removal ends what assistants, feeds, tickets and devices do in the vault in every process', async () => {
    const { shared, servers } = await startThree();
    const { alice, bob, headers, vault, path } = shared;
    const bobs = await shared.join(bob, 'editor');
    const own = (await bob.post('/vaults', { name: 'Own' })).body.vault.id as string;
    const reach = { name: 'both', vault_access: { [vault]: 'write', [own]: 'write' } };
    const { key } = (await bob.post('/connections/pat', reach)).body;
    const device = await linkDevice(shared.server.bob, vault);
    const upload = { operation: 'attachment.put', path: 'late.txt' };
    const ticket = new URL((await bob.post('/tickets', upload, headers)).body.url).pathname;
    await using opened = new AsyncDisposableStack();
    const assistants = await Promise.all(servers.map((server) => Assistant.connect(server, key)));
    for (const assistant of assistants) opened.use(assistant);

    // Calls and reads of the feed while the membership ends.
    const write = (n: number) => ({ vault, path: `w${n}.md`, content: `words ${n}` });
    const calls = Array.from({ length: AT_ONCE }, (_, n) => assistants[n % 3]?.call('create_note', write(n)));
    const feeds = Array.from({ length: AT_ONCE }, (_, n) => servers[n % 3]?.bearer(key).get('/sync/changes', headers));
    const removed = alice.delete(`${path}/${bobs}`);
    const [written, read] = [await Promise.all(calls), await Promise.all(feeds)];
    assert.equal((await removed).status, 204);
    for (const answer of read) assert.ok([200, 404].includes(answer?.status ?? 0), `a feed answered ${answer?.status}`);
    const stored = (await alice.get('/sync/manifest', headers)).body.notes.length - 1;
    assert.equal(written.filter((result) => result?.isError === false).length, stored, 'whole, or not at all');

    for (const [at, server] of servers.entries()) {
      const assistant = assistants[at];
      assert.ok(assistant !== undefined);
      for (const [tool, input] of [
        ['get_notes', { vault, paths: ['a.md'] }],
        ['create_note', write(99)],
        ['get_attachment_upload_target', { vault, path: 'x.txt' }],
      ] as const) {
        const { text, isError } = await assistant.call(tool, input);
        assert.deepEqual([isError, /no such vault/i.test(text)], [true, true], `${tool}: ${text}`);
      }
      assert.doesNotMatch((await assistant.call('list_vaults')).text, /Shared/);
      const mine = await assistant.call('create_note', { vault: own, path: `own ${at}.md`, content: 'mine' });
      assert.equal(mine.isError, false, 'what else the credential reaches goes on');
      assert.equal((await server.bearer(key).get('/sync/changes', headers)).status, 404);
      assert.equal((await server.bearer(device.access).get('/sync/changes', headers)).status, 401);
      const renewed = await server.anyone.post('/auth/token/refresh', { refresh_token: device.refresh });
      assert.equal(renewed.status, 401, 'a refresh token renews nothing');
      const used = await fetch(server.url + ticket, { method: 'PUT', body: 'late' });
      assert.equal(used.status, 404);
      assert.equal((await server.bearer(key).get('/sync/manifest', { 'x-vault-id': own })).status, 200);
    }
    assert.equal((await alice.get('/sync/manifest', headers)).body.notes.length - 1, stored);
  });

  test('[S2] [M11] what was made for a member to fetch is given to nobody once they were removed, in any process', async () => {
    const { shared, servers } = await startThree();
    const { alice, bob, headers, path } = shared;
    const bobs = await shared.join(bob, 'viewer');
    const put = { ...headers, 'content-type': 'text/plain' };
    assert.equal((await alice.put('/attachments/big.txt', Buffer.alloc(4_000_000, 'text '), put)).status, 200);
    const made = await bob.post('/tickets', { operation: 'attachment.get', path: 'big.txt' }, headers);
    const ticket = new URL(made.body.url).pathname;
    assert.equal((await fetch(servers[1].url + ticket)).status, 200);
    const zip = new URL((await bob.post('/tickets', { operation: 'vault.export' }, headers)).body.url).pathname;
    const session = (await shared.server.bob.signed()).accessToken;
    const reads = ['/vault/tree', '/sync/manifest', '/tags', '/attachments/big.txt?raw=1'];
    const tags = await Promise.all(
      reads.map(async (url) => [url, (await bob.get(url, headers)).headers.get('etag') ?? ''] as const),
    );
    await alice.delete(`${path}/${bobs}`);
    for (const { url } of servers) assert.equal((await fetch(url + ticket)).status, 404);
    for (const server of servers) {
      for (const [url, tag] of tags) {
        const answer = await server.bearer(session).get(url, { ...headers, 'if-none-match': tag });
        assert.deepEqual([answer.status, answer.body.error], [404, 'Vault not found'], url);
      }
      const prepared = await fetch(server.url + zip);
      assert.equal(prepared.status, 404);
    }
  });

  test('[S2] a download and its ticket, while their bytes are sent, end within a second of the removal', async (t) => {
    const { shared, servers } = await startThree();
    const { alice, bob, headers, path } = shared;
    const bobs = await shared.join(bob, 'viewer');
    const put = { ...headers, 'content-type': 'text/plain' };
    const file = Buffer.alloc(60_000_000, 'text ');
    assert.equal((await alice.put('/attachments/big.txt', file, put)).status, 200);
    const made = await bob.post('/tickets', { operation: 'attachment.get', path: 'big.txt' }, headers);
    const token = (await shared.server.bob.signed()).accessToken;
    const authorization = { authorization: `Bearer ${token}`, ...headers };
    const answers = [
      await fetch(`${servers[1].url}/api/attachments/big.txt?raw=1`, { headers: authorization }),
      await fetch(servers[2].url + new URL(made.body.url).pathname),
    ];
    const bodies = answers.map(({ status, body }) => {
      assert.equal(status, 200);
      return (body as ReadableStream<Uint8Array>)[Symbol.asyncIterator]();
    });
    let received = 0;
    for (const body of bodies) received += (await body.next()).value?.byteLength ?? 0;
    assert.equal((await alice.delete(`${path}/${bobs}`)).status, 204);
    shared.server.clock.advance({ seconds: 1 });
    const real = performance.now.bind(performance);
    t.mock.method(performance, 'now', () => real() + 1000);
    for (const body of bodies) {
      await assert.rejects(async () => {
        for (let next = await body.next(); next.done !== true; next = await body.next())
          received += next.value.byteLength;
      });
    }
    assert.ok(received < file.byteLength, `${received} bytes came, most of them before it was taken away`);
  });
});
