import assert from 'node:assert/strict';
import { type HardCase, settle, shared, sorted } from './world.ts';

/** Renames, names that collide, and names that a disk cannot hold. */
export const names: readonly HardCase[] = [
  [
    9,
    'a rename that looks like a deletion and a new file keeps the id',
    async (world) => {
      const { desk, ids } = world;
      await shared(world, { 'a.md': 'a unique text\n', 'p.txt': 'unique bytes' });
      const before = await ids();
      for (const [from, to] of [
        ['a.md', 'f/b.md'],
        ['p.txt', 'f/p.txt'],
      ] as const) {
        const text = desk.read(from);
        desk.remove(from);
        desk.put(to, text);
      }
      await settle(world);
      const now = await ids();
      assert.deepEqual([now.get('f/b.md'), now.get('f/p.txt')], [before.get('a.md'), before.get('p.txt')]);
      assert.equal(now.size, 2);
    },
  ],
  [
    10,
    'a rename that only changes the case of letters reaches the other machine',
    async (world) => {
      const { desk, lap, ids } = world;
      await shared(world, { 'readme.md': 'r\n', 'img/p.txt': 'p' });
      const before = await ids();
      desk.move('readme.md', 'README.md');
      desk.move('img/p.txt', 'img/P.txt');
      await settle(world);
      assert.deepEqual(sorted(lap.contents.keys()), ['README.md', 'img/P.txt']);
      assert.equal((await ids()).get('README.md'), before.get('readme.md'));
    },
  ],
  [
    11,
    'of two names that differ only by case, one is synced and the other listed where it is',
    async ({ desk, lap }) => {
      desk.put('a.md', 'small\n');
      desk.put('A.md', 'large\n');
      const { unsynced } = await desk.run();
      assert.equal(unsynced.length, 1);
      assert.match(unsynced[0]?.reason ?? '', /case of letters: rename/);
      await lap.sync();
      assert.equal(lap.contents.size, 1);
      assert.deepEqual(sorted(desk.contents.values()), ['large\n', 'small\n']);
      desk.move(unsynced[0]?.path ?? '', 'other.md');
      await desk.sync();
      await lap.sync();
      assert.deepEqual(lap.contents, desk.contents);
    },
  ],
  [
    12,
    'a name in another Unicode form is one name, and the disk keeps its form',
    async (world) => {
      const { desk, lap } = world;
      const [nfd, nfc] = ['u\u0308ber/e\u0301.md', '\u00fcber/\u00e9.md'];
      desk.put(nfd, 'one\n');
      await desk.sync();
      await lap.sync();
      lap.put(nfc, 'one\ntwo\n');
      await lap.sync();
      await desk.sync();
      assert.deepEqual(desk.contents, new Map([[nfd, 'one\ntwo\n']]));
      assert.deepEqual(lap.contents, new Map([[nfc, 'one\ntwo\n']]));
      assert.equal((await desk.sync()).done + (await lap.sync()).done, 0);
    },
  ],
  [
    13,
    'a name that Windows forbids stays where it is, and is listed elsewhere with the reason',
    async (world) => {
      const { desk, lap } = world;
      for (const name of ['what?.md', 'con.md', 'a:b.md', 'dot.'])
        desk.put(name.endsWith('.') ? `${name}/x.md` : name, 'x\n');
      desk.put('fine.md', 'fine\n');
      await desk.sync();
      const { kind, unsynced } = await lap.run();
      assert.equal(kind, 'in step');
      assert.deepEqual(sorted(unsynced.map(({ path }) => path)), ['a:b.md', 'con.md', 'dot./x.md', 'what?.md']);
      assert.ok(unsynced.every(({ reason }) => /cannot be on Windows: rename it/.test(reason)));
      assert.deepEqual(lap.contents, new Map([['fine.md', 'fine\n']]));
      assert.equal(desk.contents.size, 5);
      await world.post('/notes/rename', { old_path: 'what?.md', new_path: 'what.md' });
      await lap.run();
      assert.equal(lap.read('what.md'), 'x\n');
    },
  ],
  [
    14,
    'a file becomes a folder and a folder a file',
    async (world) => {
      const { desk, lap } = world;
      await shared(world, { 'x.txt': 'a file', 'y.txt/a.md': 'in a folder\n' });
      desk.remove('x.txt');
      desk.put('x.txt/b.md', 'now a folder\n');
      desk.remove('y.txt');
      desk.put('y.txt', 'now a file');
      await settle(world);
      assert.deepEqual(
        lap.contents,
        new Map([
          ['x.txt/b.md', 'now a folder\n'],
          ['y.txt', 'now a file'],
        ]),
      );
    },
  ],
];
