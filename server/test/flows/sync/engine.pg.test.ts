import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { fixedToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import { VaultServer } from '@notevault/sync/adapters/vault-server.ts';
import { SyncEngine } from '@notevault/sync/engine/engine.ts';
import type { UnsyncedFile } from '@notevault/sync/engine/ports.ts';
import { Approval } from '@notevault/sync/plan/approval.ts';
import { nodeHashing } from '../../../../cli/src/sync/run/node-hashing.ts';
import { Scheduler } from '../../../../packages/sync/test/simulation/scheduler.ts';
import { SimDisk } from '../../../../packages/sync/test/simulation/sim-disk.ts';
import { SimStore } from '../../../../packages/sync/test/simulation/sim-store.ts';
import { testVault } from '../../kit/content/test-vault.ts';
import { onEachEngine, rawOf } from '../../kit/engines.ts';
import { Random } from '../../kit/random.ts';
import { startServer, type TestServer } from '../../kit/server.ts';

/** A device with its folder in memory, and the requests it sent. */
class Device {
  readonly disk: SimDisk;
  readonly requests: string[] = [];
  readonly #engine: Promise<SyncEngine>;
  readonly #scheduler: Scheduler;

  constructor(server: TestServer, key: string, vault: string, name: string) {
    this.#scheduler = new Scheduler(new Random(1));
    this.disk = new SimDisk({ hasFileIds: true, foldsCase: false, takesColons: true }, this.#scheduler, new Random(1));
    const transport = new Transport(server.url, fixedToken(key), {
      deviceId: name,
      fetch: (input, init) => {
        this.requests.push(`${init?.method} ${new URL(String(input)).pathname.replace(/^\/api/, '')}`);
        return fetch(input, init);
      },
    });
    const sleep = async (ms: number) => {
      this.#scheduler.ticks += ms;
    };
    const clock = { ...this.#scheduler.clock(), sleep, uuid: () => crypto.randomUUID() };
    const remote = new VaultServer(new NotevaultClient(transport).vault(vault));
    const ports = { disk: this.disk, server: remote, store: new SimStore(), clock, hashing: nodeHashing };
    this.#engine = SyncEngine.open(ports, { device: name });
  }

  async sync(expected: readonly UnsyncedFile[] = []): Promise<void> {
    this.requests.length = 0;
    // Long enough for every file to have come to rest.
    this.#scheduler.ticks += 10_000;
    const engine = await this.#engine;
    const { kind, unsynced } = await engine.sync({ approval: new Approval() });
    assert.deepEqual([kind, unsynced], ['in step', expected]);
  }
}

async function devices(server: TestServer): Promise<[Device, Device]> {
  const key = (await server.alice.post('/api-keys', { name: 'sync' })).body.key;
  const { id } = (await server.alice.post('/vaults', { name: 'Notes' })).body.vault;
  return [new Device(server, key, id, 'desk'), new Device(server, key, id, 'lap')];
}

onEachEngine('the sync engine against a server', (open) => {
  it('the sync engine brings a vault up and down to the byte, and asks once when nothing changed', async () => {
    await using server = await startServer({ open });
    const [desk, lap] = await devices(server);
    const { notes } = testVault('en');
    for (const [path, content] of notes) desk.disk.userWrite(path, content);
    await desk.sync();
    assert.ok(desk.requests.length < 10 + notes.size / 50, `${desk.requests.length} requests for ${notes.size} notes`);
    await lap.sync();
    assert.deepEqual(
      lap.requests.filter((request) => request.startsWith('GET /notes')),
      [],
      'the notes come with the change feed',
    );
    assert.deepEqual(lap.disk.contents, new Map([...lap.disk.contents.keys()].map((path) => [path, notes.get(path)])));
    assert.equal(lap.disk.contents.size, notes.size);
    for (const device of [desk, lap]) {
      await device.sync();
      assert.deepEqual(device.requests, ['GET /sync/changes']);
    }
  });

  it('the sync engine merges edits, follows folder renames with one request, and keeps both new files', async () => {
    await using server = await startServer({ open });
    const [desk, lap] = await devices(server);
    for (let index = 0; index < 40; index++) desk.disk.userWrite(`old/${index}.md`, `note ${index}\n`);
    desk.disk.userWrite('old/p.txt', 'bytes');
    await desk.sync();
    await lap.sync();
    desk.disk.userMoveFolder('old', 'new');
    await desk.sync();
    assert.deepEqual(
      desk.requests.filter((request) => !request.startsWith('GET')),
      ['POST /folders/rename'],
    );
    desk.disk.userWrite('new/1.md', 'desk\nnote 1\n');
    lap.disk.userWrite('old/1.md', 'note 1\nlap\n');
    desk.disk.userWrite('both.md', 'of the desk\n');
    lap.disk.userWrite('both.md', 'of the lap\n');
    await desk.sync();
    await lap.sync();
    assert.equal(
      lap.requests.filter((request) => request.startsWith('GET /notes/by-id')).length,
      3,
      'what changed, and once the text with which a new file is compared',
    );
    await desk.sync();
    assert.deepEqual(desk.disk.contents, lap.disk.contents);
    assert.equal(desk.disk.contents.get('new/1.md'), 'desk\nnote 1\nlap\n');
    const both = [...desk.disk.contents].filter(([path]) => path.startsWith('both'));
    assert.deepEqual(both.map(([, content]) => content).sort(), ['of the desk\n', 'of the lap\n']);
    assert.deepEqual(desk.disk.folders, ['new']);
  });

  it('the sync engine carries deletions both ways, and an edit is worth more than one', async () => {
    await using server = await startServer({ open });
    const [desk, lap] = await devices(server);
    for (const path of ['a.md', 'b.md', 'c.txt']) desk.disk.userWrite(path, `${path}\n`);
    await desk.sync();
    await lap.sync();
    desk.disk.userDelete('a.md');
    desk.disk.userDelete('b.md');
    desk.disk.userDelete('c.txt');
    lap.disk.userWrite('b.md', 'b.md\nedited\n');
    await desk.sync();
    await desk.sync();
    await lap.sync();
    await desk.sync();
    const left = new Map([['b.md', 'b.md\nedited\n']]);
    assert.deepEqual([desk.disk.contents, lap.disk.contents], [left, left]);
    assert.deepEqual(lap.disk.trashed.sort(), ['a.md\n', 'c.txt\n']);
  });

  it('the sync engine keeps a file whose server row is damaged, reports its edits, and syncs all others', async () => {
    await using server = await startServer({ open });
    const [desk, lap] = await devices(server);
    desk.disk.userWrite('damaged.md', 'of the desk\n');
    desk.disk.userWrite('sound.md', 'sound\n');
    await desk.sync();
    await lap.sync();
    await using raw = await rawOf(server.db);
    const rows = await raw.all("select id, seq from entries where kind = 'note' order by seq");
    const [id, last] = [String(rows[0]?.id), Number(rows.at(-1)?.seq)];
    // Written again by somebody, and then damaged: it is the next row of the feed.
    await raw.run('update entries set meta = $2, seq = $3 where id = $1', id, Buffer.alloc(64), last + 1);
    await raw.run('update vault_feeds set change_seq = $1', last + 1);
    desk.disk.userWrite('later.md', 'later\n');
    await desk.sync();
    await lap.sync();
    assert.deepEqual(lap.disk.contents, desk.disk.contents);
    assert.equal(lap.disk.contents.get('damaged.md'), 'of the desk\n');

    lap.disk.userWrite('damaged.md', 'edited\n');
    lap.disk.userWrite('last.md', 'last\n');
    const reason = 'is damaged on the server and cannot be synced: keep this file, and ask the operator to restore it';
    await lap.sync([{ path: 'damaged.md', reason }]);
    await desk.sync();
    assert.equal(desk.disk.contents.get('last.md'), 'last\n');
    assert.equal(lap.disk.contents.get('damaged.md'), 'edited\n');
    assert.equal(desk.disk.contents.get('damaged.md'), 'of the desk\n');
  });
});
