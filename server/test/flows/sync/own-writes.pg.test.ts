import assert from 'node:assert/strict';
import { appendFileSync, renameSync } from 'node:fs';
import { it } from 'node:test';
import { onEachEngine } from '../../kit/engines.ts';
import { suiteFolder } from '../../kit/programs/process.ts';
import { Random, seedOfRun } from '../../kit/random.ts';
import { oneServer } from '../../kit/server.ts';
import { SyncMachine } from '../../kit/sync-machine.ts';

/** How long the two devices write, one line each every half second. */
const LINES = 15;

onEachEngine('a device that syncs a folder', (open) => {
  const start = oneServer(() => ({ open }));
  const folder = suiteFolder();
  let count = 0;

  /** Two devices of a new account with one vault. */
  async function pair() {
    const { alice, url } = await start();
    const key = (await alice.post('/api-keys', { name: 'sync' })).body.key as string;
    const { id: vaultId } = (await alice.post('/vaults', { name: 'Notes' })).body.vault;
    const home = folder.at(`world ${count++}`);
    const machine = (name: string) => new SyncMachine({ home: `${home}/${name}`, url, key, vaultId });
    const [desk, lap] = [machine('desk'), machine('lap')];
    const settle = async (): Promise<Map<string, string>> => {
      for (let done = 1, round = 0; done > 0; round++) {
        assert.ok(round < 10, 'the devices come to rest');
        done = (await desk.sync()).done + (await lap.sync()).done;
      }
      assert.deepEqual(lap.contents, desk.contents);
      return desk.contents;
    };
    /** The desk is killed after its write is answered, `act` happens, and both go on. */
    const killed = async (act: () => void | Promise<void>) => {
      await desk.runKilled();
      await act();
      return settle();
    };
    return { desk, lap, settle, killed };
  }

  it('[13.5] has every line once when two append to one note every half second, also while they sync', async (t) => {
    const { desk, lap, settle } = await pair();
    const random = new Random(seedOfRun(t));
    desk.put('a.md', 'start\n');
    await settle();
    const lines: string[] = [];
    const append = (machine: SyncMachine, name: string) => {
      const line = `${name} ${lines.length}`;
      lines.push(line);
      appendFileSync(machine.at('a.md'), `${line}\n`);
    };
    for (const [name, machine] of Object.entries({ desk, lap })) {
      // Half of the lines are written while a request is answered, when the text that was sent is an old one already.
      let due = 0;
      machine.onAnswer = () => {
        if (due === 0 || random.chance(0.5)) return;
        due -= 1;
        append(machine, name);
      };
      machine.onRequest = (request) => {
        if (due === 0 && request === 'GET /sync/changes' && lines.length < 2 * LINES) due = 1;
      };
    }
    while (lines.length < 2 * LINES) {
      append(desk, 'desk');
      append(lap, 'lap');
      await Promise.all([desk.run(), lap.run()]);
    }
    // A line that is written during the last request would be sent only by another sync.
    for (const machine of [desk, lap]) machine.onAnswer = () => undefined;
    const text = (await settle()).get('a.md') ?? '';
    assert.deepEqual(text.trim().split('\n').sort(), ['start', ...lines].sort());
  });

  it('[13.5] keeps the other’s lines when it writes on over a merged answer that it has not seen', async () => {
    const { desk, lap, settle } = await pair();
    desk.put('a.md', 'base\n');
    await settle();
    lap.put('a.md', 'base\nlap 1\n');
    await lap.sync();
    desk.put('a.md', 'base\ndesk 1\n');
    desk.onAnswer = (request) => {
      if (request === 'POST /notes') desk.put('a.md', 'base\ndesk 1\ndesk 2\n');
      if (request === 'POST /notes') desk.onAnswer = () => undefined;
    };
    const text = (await settle()).get('a.md') ?? '';
    assert.deepEqual(text.trim().split('\n').sort(), ['base', 'desk 1', 'desk 2', 'lap 1']);
  });

  it('[13.6] takes a new note for its own after a kill, and what was written on for an edit of it', async () => {
    const { desk, killed } = await pair();
    desk.put('a.md', 'one\n');
    const contents = await killed(() => desk.put('a.md', 'two\n'));
    assert.deepEqual(contents, new Map([['a.md', 'two\n']]));
  });

  it('[13.6] takes a new note for its own after a kill although another device has written to it', async () => {
    const { desk, lap, killed } = await pair();
    desk.put('a.md', 'one\n');
    const contents = await killed(async () => {
      await lap.sync();
      lap.put('a.md', 'one\nlap\n');
      await lap.sync();
      desk.put('a.md', 'desk\none\n');
    });
    assert.deepEqual(contents, new Map([['a.md', 'desk\none\nlap\n']]));
  });

  it('[13.6] has one name of a new note that is renamed and edited after a kill, and none of one that is deleted', async () => {
    const { desk, killed } = await pair();
    desk.put('Untitled.md', 'one\n');
    desk.put('Untitled 2.md', 'gone\n');
    const contents = await killed(() => {
      desk.move('Untitled.md', 'named.md');
      appendFileSync(desk.at('named.md'), 'two\n');
      desk.remove('Untitled 2.md');
    });
    assert.deepEqual(contents, new Map([['named.md', 'one\ntwo\n']]));
  });

  it('[13.6] has one name of a renamed note that an editor replaces after a kill, and that of a second rename', async () => {
    const { desk, settle, killed } = await pair();
    desk.put('a.md', 'one\n');
    desk.put('x.md', 'two\n');
    await settle();
    desk.move('a.md', 'b.md');
    const first = await killed(() => {
      desk.put('.new', 'one\nmore\n');
      renameSync(desk.at('.new'), desk.at('b.md'));
    });
    assert.deepEqual([...first.keys()].sort(), ['b.md', 'x.md']);
    assert.equal(first.get('b.md'), 'one\nmore\n');
    desk.move('x.md', 'y.md');
    const second = await killed(() => desk.move('y.md', 'z.md'));
    assert.deepEqual([...second.keys()].sort(), ['b.md', 'z.md']);
  });

  it('[13.6] has one name of each note of a renamed folder that editors replace after a kill', async () => {
    const { desk, settle, killed } = await pair();
    for (const name of ['a', 'b', 'c']) desk.put(`old/${name}.md`, `${name}\n`);
    await settle();
    desk.move('old', 'new');
    const contents = await killed(() => {
      desk.put('.new', 'b\nmore\n');
      renameSync(desk.at('.new'), desk.at('new/b.md'));
    });
    assert.deepEqual([...contents.keys()].sort(), ['new/a.md', 'new/b.md', 'new/c.md']);
    assert.equal(contents.get('new/b.md'), 'b\nmore\n');
  });

  it('[13.6] does not return a line that is deleted after a kill, whether the server merged it or not', async () => {
    const { desk, lap, settle, killed } = await pair();
    desk.put('a.md', 'one\n');
    desk.put('b.md', 'one\n');
    await settle();
    desk.put('a.md', 'one\ntwo\n');
    const alone = await killed(() => desk.put('a.md', 'one\n'));
    assert.equal(alone.get('a.md'), 'one\n');
    lap.put('b.md', 'lap\none\n');
    await lap.sync();
    desk.put('b.md', 'one\ntwo\n');
    const merged = await killed(() => desk.put('b.md', 'one\n'));
    assert.equal(merged.get('b.md'), 'lap\none\n');
  });

  it('[13.6] has every line once when it loses the answer to each write and goes on writing', async () => {
    const { desk, lap, settle } = await pair();
    desk.put('a.md', 'start\n');
    await settle();
    const lines = ['start'];
    for (let round = 0; round < 6; round++) {
      for (const machine of [lap, desk]) {
        lines.push(`${round} ${machine === desk ? 'desk' : 'lap'}`);
        appendFileSync(machine.at('a.md'), `${lines.at(-1)}\n`);
      }
      await lap.sync();
      await desk.runCut();
    }
    const contents = await settle();
    assert.deepEqual([...contents.keys()], ['a.md']);
    assert.deepEqual(contents.get('a.md')?.trim().split('\n').sort(), lines.sort());
  });

  it('[13.6] makes no copy of its own attachment that changes after a kill, new or replaced', async () => {
    const { desk, killed } = await pair();
    desk.put('p.txt', 'one');
    const first = await killed(() => desk.put('p.txt', 'two'));
    assert.deepEqual(first, new Map([['p.txt', 'two']]));
    desk.put('p.txt', 'three');
    const second = await killed(() => desk.put('p.txt', 'four'));
    assert.deepEqual(second, new Map([['p.txt', 'four']]));
  });

  it('[13.6] keeps a file that is put back after a kill that followed its deletion in the vault', async () => {
    const { desk, settle, killed } = await pair();
    desk.put('a.md', 'one\n');
    desk.put('p.txt', 'one');
    await settle();
    desk.remove('a.md');
    desk.remove('p.txt');
    const contents = await killed(() => {
      desk.put('a.md', 'one\n');
      desk.put('p.txt', 'one');
    });
    assert.deepEqual([...contents.keys()].sort(), ['a.md', 'p.txt']);
  });
});
