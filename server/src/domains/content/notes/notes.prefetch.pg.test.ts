import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FlakySocket } from '../../../../test/kit/clients/provider-clients.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { Caller } from '../../../../test/kit/person.ts';
import { startServer } from '../../../../test/kit/server.ts';

// Of the second request on, a note is read while its reader is authenticated.
onEachEngine('a note that is read beforehand', (open) => {
  async function start() {
    const server = await startServer({ open });
    const { alice } = server;
    const vault = (await alice.post('/vaults', { name: 'Notes' })).body.vault.id as string;
    const made = (await alice.post('/api-keys', { name: 'reader' })).body;
    const headers = { authorization: `Bearer ${made.key}`, 'x-vault-id': vault };
    const reader = new Caller(server.url, async () => headers);
    const write = async (path: string, content: string) => {
      const answer = await alice.post('/notes', { path, content, mtime: 1 }, { 'x-vault-id': vault });
      assert.equal(answer.status, 200);
      return answer.body.note;
    };
    return { server, alice, vault, key: made.key as string, keyId: made.id as string, reader, write };
  }

  test('is as it is now, at its path and by its id, also after a rename and a deletion', async () => {
    const { server, alice, vault, reader, write } = await start();
    await using _ = server;
    const { id } = await write('a.md', 'one');
    const read = async (at: string) => {
      const { status, body } = await reader.get(at);
      return status === 200 ? body.content : status;
    };
    const both = async () => [await read('/notes/a.md'), await read(`/notes/by-id/${id}`)];
    assert.deepEqual(await both(), ['one', 'one']);
    for (const content of ['two', 'x'.repeat(70 * 1024), 'three [[b]]']) {
      await write('a.md', content);
      assert.deepEqual(await both(), [content, content]);
    }
    const headers = { 'x-vault-id': vault };
    await alice.post('/notes/rename', { old_path: 'a.md', new_path: 'b.md' }, headers);
    assert.deepEqual(await both(), [404, 'three [[b]]']);
    await alice.delete('/notes/b.md', headers);
    assert.deepEqual(await both(), [404, 404]);
    assert.deepEqual([await read('/notes/by-id/none'), await read('/notes/..%2fa.md')], [400, 422]);
  });

  test('has what was typed into it', async () => {
    const { server, key, reader, write } = await start();
    await using _ = server;
    const { id } = await write('a.md', 'typed: ');
    using socket = new FlakySocket(server.url);
    using editor = socket.open(id, key);
    await editor.synced();
    let expected = 'typed: ';
    for (const letter of ['a', 'b', 'c']) {
      assert.equal((await reader.get('/notes/a.md')).body.content, expected);
      editor.type(letter);
      await editor.synced();
      expected += letter;
      assert.equal((await reader.get('/notes/a.md')).body.content, expected);
    }
  });

  test('reaches nobody who may not read it any more', async () => {
    const { server, alice, vault, keyId, reader, write } = await start();
    await using _ = server;
    await write('a.md', 'secret');
    const asked = async () => {
      const { status, body } = await reader.get('/notes/a.md');
      assert.ok(status === 200 || !JSON.stringify(body).includes('secret'));
      return status === 200 ? body.content : status;
    };
    assert.deepEqual([await asked(), await asked()], ['secret', 'secret']);
    assert.equal((await alice.delete(`/vaults/${vault}`)).status, 200);
    assert.deepEqual([await asked(), await asked()], [404, 404]);
    assert.equal((await alice.delete(`/api-keys/${keyId}`)).status, 200);
    assert.equal(await asked(), 401);
  });

  test('reaches nobody by the header of another vault or the credential of another person', async () => {
    const { server, vault, reader, write } = await start();
    await using _ = server;
    await write('a.md', 'secret');
    for (let time = 0; time < 2; time++) assert.equal((await reader.get('/notes/a.md')).body.content, 'secret');
    const { key } = (await server.bob.post('/api-keys', { name: 'reader' })).body;
    for (const authorization of [`Bearer ${key}`, 'Bearer nvk_none', '']) {
      const other = new Caller(server.url, async () => ({ authorization, 'x-vault-id': vault }));
      for (let time = 0; time < 2; time++) {
        const { status, body } = await other.get('/notes/a.md');
        assert.ok(status === 401 || status === 404, String(status));
        assert.doesNotMatch(JSON.stringify(body), /secret/);
      }
    }
  });
});
