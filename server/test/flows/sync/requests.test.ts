import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Setting } from '@notevault/sync/rules/settings-files.ts';
import { onSqlite } from '../../kit/engines.ts';
import { suiteFolder } from '../../kit/programs/process.ts';
import { startServer, type TestServer } from '../../kit/server.ts';
import { SyncMachine } from '../../kit/sync-machine.ts';

onSqlite('what a sync of folders sends', (open) => {
  const folder = suiteFolder();

  async function machines(server: TestServer, name: string, settings: readonly Setting[] = []) {
    const key = (await server.alice.post('/api-keys', { name })).body.key as string;
    const vaultId = (await server.alice.post('/vaults', { name })).body.vault.id as string;
    const machine = (home: string, own: readonly Setting[]) =>
      new SyncMachine({ home: folder.at(name, home), url: server.url, key, vaultId, settings: own });
    return { desk: machine('desk', settings), lap: machine('lap', settings), phone: machine('phone', []) };
  }
  const writesOf = ({ requests }: SyncMachine) => requests.filter((request) => !request.startsWith('GET'));

  it('renames a folder of 1,000 notes with one request, and brings no note down for it', async () => {
    await using server = await startServer({ open });
    const { desk, lap } = await machines(server, 'Rename');
    for (let index = 0; index < 1000; index++) desk.put(`old/f${index % 20}/${index}.md`, `# Note ${index}\n`);
    await desk.sync();

    assert.ok(desk.requests.length < 20, `${desk.requests.length} requests for 1,000 notes`);
    await lap.sync();
    assert.ok(lap.requests.length < 10, `${lap.requests.length} requests for 1,000 notes`);
    desk.move('old', 'new');
    await desk.sync();
    assert.deepEqual(writesOf(desk), ['POST /folders/rename']);
    await lap.sync();
    assert.deepEqual(
      lap.requests.filter((request) => !/^GET \/(sync\/changes|folders\/explicit)$/.test(request)),
      [],
    );
    assert.deepEqual(lap.contents, desk.contents);
    assert.ok(lap.contents.has('new/f7/7.md'));
    for (const machine of [desk, lap]) {
      assert.equal((await machine.sync()).done, 0);
      assert.deepEqual(machine.requests, ['GET /sync/changes']);
    }
  });

  it('a sync of folders treats reordered settings as unchanged, and sends those that were changed', async () => {
    await using server = await startServer({ open });
    const { desk, lap } = await machines(server, 'Values', ['app']);
    const path = '.obsidian/app.json';
    desk.put(path, '{"a":1,"b":[1,2]}');
    await desk.sync();
    await lap.sync();
    // One has sent the file, the other has received it.
    for (const machine of [desk, lap]) {
      machine.put(path, '{\n  "b": [1, 2],\n  "a": 1\n}\n');
      await machine.sync();
      assert.deepEqual(writesOf(machine), []);
      assert.match(machine.read(path), /\n/, 'the file stays as it is here');
    }
    desk.put(path, '{"a":2,"b":[1,2]}');
    await desk.sync();
    assert.deepEqual(writesOf(desk), [`PUT /attachments/${path}`]);
    await lap.sync();
    assert.equal(lap.read(path), '{"a":2,"b":[1,2]}');
    lap.put(path, '{"a":2,"b":[2,1]}');
    await lap.sync();
    assert.deepEqual(writesOf(lap), [`PUT /attachments/${path}`]);
  });

  it('a sync of folders treats a canvas that server and Obsidian rewrote with other spaces as unchanged', async () => {
    await using server = await startServer({ open });
    const { desk, lap } = await machines(server, 'Canvas');
    const canvas = (file: string, space?: string) =>
      JSON.stringify(
        { nodes: [{ id: 'a', type: 'file', file, x: 0, y: 0, width: 9, height: 9 }], edges: [] },
        null,
        space,
      );
    desk.put('n.md', 'text');
    desk.put('x.canvas', canvas('n.md'));
    await desk.sync();
    await lap.sync();
    desk.move('n.md', 'm.md');
    desk.put('x.canvas', canvas('m.md', '\t'));
    await desk.sync();
    assert.deepEqual(writesOf(desk), ['POST /notes/rename']);
    assert.deepEqual(
      [...desk.contents],
      [
        ['m.md', 'text'],
        ['x.canvas', canvas('m.md', '\t')],
      ],
    );
    await lap.sync();
    assert.equal(lap.read('x.canvas'), canvas('m.md'));
    for (const machine of [desk, lap]) {
      assert.equal((await machine.sync()).done, 0);
      assert.deepEqual(machine.requests, ['GET /sync/changes']);
    }
    desk.move('m.md', 'o.md');
    desk.put('x.canvas', canvas('o.md', '\t').replace('9', '8'));
    await desk.sync();
    assert.equal([...desk.contents.keys()].length, 3, 'another change of the canvas is kept as a conflict');
  });

  it('a sync of folders sends the Obsidian settings that are switched on, without plugins, and only once', async () => {
    await using server = await startServer({ open });
    const { desk, lap, phone } = await machines(server, 'Settings', ['themes', 'community-plugins']);
    desk.put('a.md', 'a\n');
    const synced = ['themes/Moss/theme.css', 'snippets/wide.css', 'community-plugins.json'];
    const left = ['plugins/x/main.js', 'plugins/x/manifest.json', 'workspace.json', 'app.json'];
    for (const path of [...synced, ...left]) desk.put(`.obsidian/${path}`, '{}');
    await desk.sync();
    desk.put('f/tool.js', 'x');
    const tool = (await desk.run()).unsynced.find(({ path }) => path === 'f/tool.js');
    assert.match(tool?.reason ?? '', /has an extension that the server’s operator has not allowed/);
    desk.remove('f');
    await desk.sync();
    await lap.sync();
    for (const path of synced) assert.equal(lap.read(`.obsidian/${path}`), '{}');
    for (const path of left) assert.throws(() => lap.read(`.obsidian/${path}`), /ENOENT/);
    await desk.sync();
    assert.deepEqual(desk.requests, ['GET /sync/changes']);
    // A machine without the switch leaves the settings of the vault and its own alone.
    phone.put('.obsidian/themes/own.css', 'own');
    await phone.sync();
    await lap.sync();
    assert.equal(phone.read('.obsidian/themes/own.css'), 'own');
    assert.throws(() => phone.read('.obsidian/snippets/wide.css'), /ENOENT/);
    assert.equal(lap.read('.obsidian/snippets/wide.css'), '{}');
  });
});
