import assert from 'node:assert/strict';
import { appendFileSync, renameSync } from 'node:fs';
import { after, it } from 'node:test';
import { onEachEngine } from '../../kit/engines.ts';
import { Folder } from '../../kit/programs/process.ts';
import { Random, seedOfRun } from '../../kit/random.ts';
import { oneServer, type TestServer } from '../../kit/server.ts';
import { SyncMachine } from '../../kit/sync-machine.ts';

/** How long the two devices write, one line each every half second. */
const LINES = 15;

interface Devices {
  readonly desk: SyncMachine;
  readonly lap: SyncMachine;
}

onEachEngine('a device that syncs a folder', (open) => {
  const start = oneServer(() => ({ open }));
  const folder = new Folder();
  after(() => folder[Symbol.dispose]());
  let count = 0;

  async function devicesOf(server: TestServer): Promise<Devices> {
    const key = (await server.alice.post('/api-keys', { name: 'sync' })).body.key as string;
    const { id: vaultId } = (await server.alice.post('/vaults', { name: 'Notes' })).body.vault;
    const home = folder.at(`world ${count++}`);
    const machine = (name: string) => new SyncMachine({ home: `${home}/${name}`, url: server.url, key, vaultId });
    return { desk: machine('desk'), lap: machine('lap') };
  }

  async function settle({ desk, lap }: Devices): Promise<Map<string, string>> {
    for (let done = 1, round = 0; done > 0; round++) {
      assert.ok(round < 10, 'the devices come to rest');
      done = (await desk.sync()).done + (await lap.sync()).done;
    }
    assert.deepEqual(lap.contents, desk.contents);
    return desk.contents;
  }

  /** The desk is killed after its write is answered, `act` happens, and both go on. */
  async function killed(devices: Devices, act: () => void | Promise<void>): Promise<Map<string, string>> {
    await devices.desk.runKilled();
    await act();
    return settle(devices);
  }

  it('[13.5] has every line once when two append to one note every half second, also while they sync', async (t) => {
    await using server = await start();
    const devices = await devicesOf(server);
    const random = new Random(seedOfRun(t));
    devices.desk.put('a.md', 'start\n');
    await settle(devices);
    const lines: string[] = [];
    const append = (machine: SyncMachine, name: string) => {
      const line = `${name} ${lines.length}`;
      lines.push(line);
      appendFileSync(machine.at('a.md'), `${line}\n`);
    };
    for (const name of ['desk', 'lap'] as const) {
      // Half of the lines are written while a request is answered, when the text that was sent is an old one already.
      let due = 0;
      devices[name].onAnswer = () => {
        if (due === 0 || random.chance(0.5)) return;
        due -= 1;
        append(devices[name], name);
      };
      devices[name].onRequest = (request) => {
        if (due === 0 && request === 'GET /sync/changes' && lines.length < 2 * LINES) due = 1;
      };
    }
    while (lines.length < 2 * LINES) {
      append(devices.desk, 'desk');
      append(devices.lap, 'lap');
      await Promise.all([devices.desk.run(), devices.lap.run()]);
    }
    // A line that is written during the last request would be sent only by another sync.
    for (const name of ['desk', 'lap'] as const) devices[name].onAnswer = () => undefined;
    const text = (await settle(devices)).get('a.md') ?? '';
    assert.deepEqual(text.trim().split('\n').sort(), ['start', ...lines].sort());
  });

  it('[13.5] keeps the other’s lines when it writes on over a merged answer that it has not seen', async () => {
    await using server = await start();
    const devices = await devicesOf(server);
    const { desk, lap } = devices;
    desk.put('a.md', 'base\n');
    await settle(devices);
    lap.put('a.md', 'base\nlap 1\n');
    await lap.sync();
    desk.put('a.md', 'base\ndesk 1\n');
    desk.onAnswer = (request) => {
      if (request === 'POST /notes') desk.put('a.md', 'base\ndesk 1\ndesk 2\n');
      if (request === 'POST /notes') desk.onAnswer = () => undefined;
    };
    const text = (await settle(devices)).get('a.md') ?? '';
    assert.deepEqual(text.trim().split('\n').sort(), ['base', 'desk 1', 'desk 2', 'lap 1']);
  });

  it('[13.6] takes a new note for its own after a kill, and what was written on for an edit of it', async () => {
    await using server = await start();
    const devices = await devicesOf(server);
    const { desk } = devices;
    desk.put('a.md', 'one\n');
    const contents = await killed(devices, () => desk.put('a.md', 'two\n'));
    assert.deepEqual(contents, new Map([['a.md', 'two\n']]));
  });

  it('[13.6] takes a new note for its own after a kill although another device has written to it', async () => {
    await using server = await start();
    const devices = await devicesOf(server);
    const { desk, lap } = devices;
    desk.put('a.md', 'one\n');
    const contents = await killed(devices, async () => {
      await lap.sync();
      lap.put('a.md', 'one\nlap\n');
      await lap.sync();
      desk.put('a.md', 'desk\none\n');
    });
    assert.deepEqual(contents, new Map([['a.md', 'desk\none\nlap\n']]));
  });

  it('[13.6] has one name of a new note that is renamed and edited after a kill, and none of one that is deleted', async () => {
    await using server = await start();
    const devices = await devicesOf(server);
    const { desk } = devices;
    desk.put('Untitled.md', 'one\n');
    desk.put('Untitled 2.md', 'gone\n');
    const contents = await killed(devices, () => {
      desk.move('Untitled.md', 'named.md');
      appendFileSync(desk.at('named.md'), 'two\n');
      desk.remove('Untitled 2.md');
    });
    assert.deepEqual(contents, new Map([['named.md', 'one\ntwo\n']]));
  });

  it('[13.6] has one name of a renamed note that an editor replaces after a kill, and that of a second rename', async () => {
    await using server = await start();
    const devices = await devicesOf(server);
    const { desk } = devices;
    desk.put('a.md', 'one\n');
    desk.put('x.md', 'two\n');
    await settle(devices);
    desk.move('a.md', 'b.md');
    const first = await killed(devices, () => {
      desk.put('.new', 'one\nmore\n');
      renameSync(desk.at('.new'), desk.at('b.md'));
    });
    assert.deepEqual([...first.keys()].sort(), ['b.md', 'x.md']);
    assert.equal(first.get('b.md'), 'one\nmore\n');
    desk.move('x.md', 'y.md');
    const second = await killed(devices, () => desk.move('y.md', 'z.md'));
    assert.deepEqual([...second.keys()].sort(), ['b.md', 'z.md']);
  });

  it('[13.6] has one name of each note of a renamed folder that editors replace after a kill', async () => {
    await using server = await start();
    const devices = await devicesOf(server);
    const { desk } = devices;
    for (const name of ['a', 'b', 'c']) desk.put(`old/${name}.md`, `${name}\n`);
    await settle(devices);
    desk.move('old', 'new');
    const contents = await killed(devices, () => {
      desk.put('.new', 'b\nmore\n');
      renameSync(desk.at('.new'), desk.at('new/b.md'));
    });
    assert.deepEqual([...contents.keys()].sort(), ['new/a.md', 'new/b.md', 'new/c.md']);
    assert.equal(contents.get('new/b.md'), 'b\nmore\n');
  });

  it('[13.6] does not return a line that is deleted after a kill, whether the server merged it or not', async () => {
    await using server = await start();
    const devices = await devicesOf(server);
    const { desk, lap } = devices;
    desk.put('a.md', 'one\n');
    desk.put('b.md', 'one\n');
    await settle(devices);
    desk.put('a.md', 'one\ntwo\n');
    const alone = await killed(devices, () => desk.put('a.md', 'one\n'));
    assert.equal(alone.get('a.md'), 'one\n');
    lap.put('b.md', 'lap\none\n');
    await lap.sync();
    desk.put('b.md', 'one\ntwo\n');
    const merged = await killed(devices, () => desk.put('b.md', 'one\n'));
    assert.equal(merged.get('b.md'), 'lap\none\n');
  });

  it('[13.6] has every line once when it loses the answer to each write and goes on writing', async () => {
    await using server = await start();
    const devices = await devicesOf(server);
    const { desk, lap } = devices;
    desk.put('a.md', 'start\n');
    await settle(devices);
    const lines = ['start'];
    for (let round = 0; round < 6; round++) {
      for (const machine of [lap, desk]) {
        lines.push(`${round} ${machine === desk ? 'desk' : 'lap'}`);
        appendFileSync(machine.at('a.md'), `${lines.at(-1)}\n`);
      }
      await lap.sync();
      await desk.runCut();
    }
    const contents = await settle(devices);
    assert.deepEqual([...contents.keys()], ['a.md']);
    assert.deepEqual(contents.get('a.md')?.trim().split('\n').sort(), lines.sort());
  });

  it('[13.6] makes no copy of its own attachment that changes after a kill, new or replaced', async () => {
    await using server = await start();
    const devices = await devicesOf(server);
    const { desk } = devices;
    desk.put('p.txt', 'one');
    const first = await killed(devices, () => desk.put('p.txt', 'two'));
    assert.deepEqual(first, new Map([['p.txt', 'two']]));
    desk.put('p.txt', 'three');
    const second = await killed(devices, () => desk.put('p.txt', 'four'));
    assert.deepEqual(second, new Map([['p.txt', 'four']]));
  });

  it('[13.6] keeps a file that is put back after a kill that followed its deletion in the vault', async () => {
    await using server = await start();
    const devices = await devicesOf(server);
    const { desk } = devices;
    desk.put('a.md', 'one\n');
    desk.put('p.txt', 'one');
    await settle(devices);
    desk.remove('a.md');
    desk.remove('p.txt');
    const contents = await killed(devices, () => {
      desk.put('a.md', 'one\n');
      desk.put('p.txt', 'one');
    });
    assert.deepEqual([...contents.keys()].sort(), ['a.md', 'p.txt']);
  });
});
