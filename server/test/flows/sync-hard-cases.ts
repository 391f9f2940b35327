import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { FolderGone } from '@notevault/sync/engine/ports.ts';
import type { Database } from '../../src/ports/database/database.ts';
import { Folder } from '../kit/process.ts';
import { startServer, type TestServer } from '../kit/server.ts';
import { SyncMachine } from '../kit/sync-machine.ts';

/** Two machines that sync with one vault, and its notes as the server has them. */
interface World {
  readonly desk: SyncMachine;
  readonly lap: SyncMachine;
  /** Ids of the notes and attachments of the vault, by path. */
  ids(): Promise<Map<string, string>>;
  /** Writes a note as another client does. */
  write(path: string, content: string): Promise<void>;
  post(path: string, body: unknown): Promise<{ readonly status: number }>;
  /** Lets time pass on the server. */
  pass(time: { minutes: number }): void;
}

/** Syncs both machines until nothing is left to do, and expects their folders to be equal. */
async function settle({ desk, lap }: World): Promise<void> {
  for (let round = 0; round < 10; round++) {
    const done = (await desk.sync()).done + (await lap.sync()).done;
    if (round > 0 && done === 0) break;
  }
  assert.deepEqual(lap.contents, desk.contents);
}

/** Both machines have these files. */
async function shared(world: World, files: Record<string, string>): Promise<void> {
  for (const [path, text] of Object.entries(files)) world.desk.put(path, text);
  await settle(world);
}

const sorted = (values: Iterable<string>) => [...values].sort();
const writesOf = ({ requests }: SyncMachine) => requests.filter((request) => !request.startsWith('GET'));

const cases: readonly (readonly [number, string, (world: World) => Promise<void>])[] = [
  [
    1,
    'edits of one note on two machines merge; of two new contents of a file the server’s keeps the name',
    async (world) => {
      const { desk, lap } = world;
      await shared(world, { 'a.md': 'one\ntwo\nthree\n', 'p.txt': 'base' });
      desk.put('a.md', 'ONE\ntwo\nthree\n');
      lap.put('a.md', 'one\ntwo\nTHREE\n');
      desk.put('p.txt', 'of the desk');
      lap.put('p.txt', 'of the lap');
      await settle(world);
      assert.equal(desk.read('a.md'), 'ONE\ntwo\nTHREE\n');
      assert.equal(desk.read('p.txt'), 'of the desk');
      const copy = [...desk.contents].find(([path]) => path.startsWith('p (conflict '));
      assert.equal(copy?.[1], 'of the lap');
    },
  ],
  [
    2,
    'an edit wins over a deletion, on whichever machine it is made',
    async (world) => {
      const { desk, lap } = world;
      await shared(world, { 'a.md': 'a\n', 'b.md': 'b\n', 'c.txt': 'c', 'd.txt': 'd' });
      desk.remove('a.md');
      desk.remove('c.txt');
      lap.put('a.md', 'a\nedited\n');
      lap.put('c.txt', 'edited');
      lap.remove('b.md');
      lap.remove('d.txt');
      desk.put('b.md', 'b\nedited\n');
      desk.put('d.txt', 'edited');
      await settle(world);
      const expected = { 'a.md': 'a\nedited\n', 'b.md': 'b\nedited\n', 'c.txt': 'edited', 'd.txt': 'edited' };
      assert.deepEqual(desk.contents, new Map(Object.entries(expected)));
    },
  ],
  [
    3,
    'equal files on both sides that never were synced are adopted without a transfer',
    async ({ desk, lap }) => {
      for (const machine of [desk, lap]) {
        machine.put('a.md', 'same\n');
        machine.put('f/p.txt', 'same');
      }
      await desk.sync();
      await lap.sync();
      assert.deepEqual(
        lap.requests.filter((request) => !/changes|explicit/.test(request)),
        [],
      );
      assert.deepEqual(lap.contents, desk.contents);
    },
  ],
  [
    4,
    'different files of one name that never were synced are both kept, and nothing is concatenated',
    async (world) => {
      const { desk, lap } = world;
      desk.put('a.md', 'of the desk\n');
      desk.put('only desk.md', 'd\n');
      lap.put('a.md', 'of the lap\n');
      lap.put('only lap.md', 'l\n');
      await settle(world);
      assert.deepEqual(sorted(desk.contents.values()), ['d\n', 'l\n', 'of the desk\n', 'of the lap\n']);
    },
  ],
  [
    5,
    'a rename on one machine and an edit on the other give the new name with the new text',
    async (world) => {
      const { desk, lap } = world;
      await shared(world, { 'a.md': 'one\n', 'p.txt': 'p' });
      desk.move('a.md', 'f/b.md');
      lap.put('a.md', 'one\ntwo\n');
      desk.move('p.txt', 'f/q.txt');
      lap.put('p.txt', 'P');
      await settle(world);
      assert.deepEqual(
        desk.contents,
        new Map([
          ['f/b.md', 'one\ntwo\n'],
          ['f/q.txt', 'P'],
        ]),
      );
    },
  ],
  [
    6,
    'two renames of one file end in one name and no copy',
    async (world) => {
      const { desk, lap } = world;
      await shared(world, { 'a.md': 'a\n', 'p.txt': 'p' });
      desk.move('a.md', 'b.md');
      lap.move('a.md', 'c.md');
      desk.move('p.txt', 'q.txt');
      lap.move('p.txt', 'r.txt');
      await settle(world);
      assert.deepEqual(sorted(desk.contents.keys()), ['b.md', 'q.txt']);
    },
  ],
  [
    7,
    'files that swap or rotate their names keep their ids',
    async (world) => {
      const { desk, lap, ids } = world;
      await shared(world, { 'a.md': 'a\n', 'b.md': 'b\n', 'x.txt': 'x', 'y.txt': 'y', 'z.txt': 'z' });
      const before = await ids();
      for (const [from, to] of [
        ['a.md', 't'],
        ['b.md', 'a.md'],
        ['t', 'b.md'],
        ['x.txt', 't'],
        ['y.txt', 'x.txt'],
        ['z.txt', 'y.txt'],
        ['t', 'z.txt'],
      ] as const)
        desk.move(from, to);
      await settle(world);
      const now = await ids();
      for (const [from, to] of [
        ['a.md', 'b.md'],
        ['b.md', 'a.md'],
        ['x.txt', 'z.txt'],
        ['y.txt', 'x.txt'],
        ['z.txt', 'y.txt'],
      ] as const)
        assert.equal(now.get(to), before.get(from), `${from} is ${to} now`);
      assert.equal(lap.read('b.md'), 'a\n');
      assert.equal(now.size, 5);
    },
  ],
  [
    8,
    'two folders that the machines move into one another lose and double nothing',
    async (world) => {
      const { desk, lap } = world;
      await shared(world, { 'A/a.md': 'a\n', 'B/b.md': 'b\n' });
      desk.move('A', 'B/A');
      lap.move('B', 'A/B');
      await settle(world);
      assert.deepEqual(sorted(desk.contents.values()), ['a\n', 'b\n']);
    },
  ],
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
  [
    15,
    'many deletions wait for a yes in both directions, and renames are not counted as deletions',
    async (world) => {
      const { desk, lap } = world;
      await shared(
        world,
        Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f/${index}.md`, `${index}\n`])),
      );
      desk.move('f', 'g');
      assert.equal((await desk.run({})).kind, 'in step');
      assert.equal((await lap.run({})).kind, 'in step');
      for (let index = 0; index < 21; index++) desk.remove(`g/${index}.md`);
      const held = await desk.run({});
      assert.deepEqual(
        [held.kind, held.brakes],
        ['waiting', [{ side: 'remote', kind: 'deletions', files: 21, of: 40 }]],
      );
      assert.equal((await desk.run()).kind, 'in step');
      const there = await lap.run({});
      assert.deepEqual([there.kind, there.brakes[0]?.side, lap.contents.size], ['waiting', 'local', 40]);
      await lap.sync();
      assert.deepEqual(lap.contents, desk.contents);
    },
  ],
  [
    16,
    'a folder that is missing, emptied or replaced stops the sync and deletes nothing in the vault',
    async (world) => {
      const { desk, ids } = world;
      await shared(world, Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`${index}.md`, `${index}\n`])));
      renameSync(desk.root, `${desk.root}.away`);
      await assert.rejects(desk.run(), FolderGone);
      mkdirSync(desk.root);
      await assert.rejects(desk.run(), /is not the folder that was synced/);
      rmSync(desk.root, { recursive: true });
      renameSync(`${desk.root}.away`, desk.root);
      for (const name of readdirSync(desk.root)) if (name !== '.notevault') desk.remove(name);
      assert.equal((await desk.run({})).kind, 'waiting');
      assert.equal((await ids()).size, 10);
    },
  ],
  [
    17,
    'new times on every file send nothing, and new contents of every file wait for a yes',
    async (world) => {
      const { desk } = world;
      const paths = Array.from({ length: 12 }, (_, index) => `${index}.md`);
      await shared(world, Object.fromEntries(paths.map((path) => [path, `${path}\n`])));
      for (const path of paths) utimesSync(desk.at(path), 1_600_000_000, 1_600_000_000);
      await desk.sync();
      assert.deepEqual(writesOf(desk), []);
      for (const path of paths) desk.put(path, 'scrambled\n');
      const { kind, brakes } = await desk.run({});
      assert.deepEqual([kind, brakes[0]?.kind], ['waiting', 'everything changed']);
    },
  ],
  [
    18,
    'clocks that are days apart decide nothing',
    async (world) => {
      const { desk, lap } = world;
      const day = 24 * 60 * 60 * 1000;
      await shared(world, { 'a.md': 'one\n', 'p.txt': 'one' });
      desk.wallOffset = 5 * day;
      lap.wallOffset = -5 * day;
      desk.put('p.txt', 'from the future');
      utimesSync(desk.at('p.txt'), Date.now() / 1000 + 432_000, Date.now() / 1000 + 432_000);
      await settle(world);
      lap.put('p.txt', 'from the past');
      lap.put('a.md', 'one\ntwo\n');
      for (const path of ['p.txt', 'a.md']) utimesSync(lap.at(path), 1_000_000_000, 1_000_000_000);
      await settle(world);
      assert.deepEqual(
        desk.contents,
        new Map([
          ['a.md', 'one\ntwo\n'],
          ['p.txt', 'from the past'],
        ]),
      );
    },
  ],
  [
    19,
    'a file that is still being written is sent once, when it is complete',
    async ({ desk, ids, ...world }) => {
      // Its times say nothing on this clock, so that the pace of this machine does not count.
      desk.wallOffset = -3_600_000;
      desk.put('big.md', 'part 0\n');
      let parts = 0;
      desk.onSleep = () => {
        parts += 1;
        if (parts < 4) appendFileSync(desk.at('big.md'), `part ${parts}\n`);
      };
      let result = await desk.run();
      for (let tries = 0; tries < 5 && result.kind === 'unsettled'; tries++) result = await desk.run();
      assert.equal(result.kind, 'in step');
      assert.deepEqual(writesOf(desk), ['POST /notes/batch']);
      await world.lap.sync();
      assert.equal(world.lap.read('big.md'), 'part 0\npart 1\npart 2\npart 3\n');
      assert.equal((await ids()).size, 1);
    },
  ],
  [
    20,
    'a save by renaming, or by deleting and writing anew, is an edit of the same note',
    async (world) => {
      const { desk, lap, ids } = world;
      await shared(world, { 'a.md': 'one\n', 'b.md': 'one\n' });
      const before = await ids();
      writeFileSync(desk.at('.a.md.swp'), 'swap');
      writeFileSync(desk.at('a.md~'), 'backup');
      writeFileSync(desk.at('a.md.tmp'), 'one\ntwo\n');
      renameSync(desk.at('a.md.tmp'), desk.at('a.md'));
      desk.remove('b.md');
      desk.onSleep = () => {
        if (!existsSync(desk.at('b.md'))) desk.put('b.md', 'one\nthree\n');
      };
      await desk.sync();
      desk.remove('a.md~');
      await settle(world);
      assert.deepEqual(await ids(), before);
      assert.deepEqual(
        lap.contents,
        new Map([
          ['a.md', 'one\ntwo\n'],
          ['b.md', 'one\nthree\n'],
        ]),
      );
    },
  ],
  [
    21,
    'what a machine wrote itself is not sent back, and nothing changed costs two requests',
    async (world) => {
      const { desk, lap } = world;
      await shared(world, { 'a.md': 'a\n', 'f/p.txt': 'p' });
      desk.put('a.md', 'a\nb\n');
      await desk.sync();
      await lap.sync();
      assert.deepEqual(writesOf(lap), []);
      for (const machine of [desk, lap]) {
        assert.equal((await machine.sync()).done, 0);
        assert.deepEqual(machine.requests, ['GET /sync/changes', 'GET /folders/explicit']);
      }
    },
  ],
  [
    22,
    'changes that nobody noticed are found by the next comparison of everything',
    async (world) => {
      const { desk, lap } = world;
      await shared(world, { 'a.md': 'a\n', 'b.md': 'b\n', 'c.md': 'c\n' });
      await desk.open(async ({ engine }) => {
        assert.equal((await engine.sync()).done, 0);
        // No watcher is involved: the engine lists the folder each time.
        desk.put('a.md', 'a\nedited\n');
        desk.remove('b.md');
        desk.move('c.md', 'deep/d.md');
        desk.put('new.md', 'new\n');
        assert.equal((await engine.sync()).kind, 'in step');
      });
      await lap.sync();
      assert.deepEqual(lap.contents, desk.contents);
    },
  ],
  [
    23,
    'links are neither followed nor written through, and the mode of a file is kept',
    async (world) => {
      const { desk, lap } = world;
      await shared(world, { 'a.md': 'a\n', 'f/b.md': 'b\n' });
      const outside = join(desk.place, 'outside.md');
      writeFileSync(outside, 'outside\n');
      symlinkSync(outside, desk.at('link.md'));
      linkSync(desk.at('a.md'), desk.at('twin.md'));
      execFileSync('chmod', ['600', desk.at('f/b.md')]);
      await desk.sync(['link.md']);
      await world.write('link.md', 'through the link\n');
      await world.write('f/b.md', 'b\nedited\n');
      await desk.run();
      assert.ok(lstatSync(desk.at('link.md')).isSymbolicLink());
      assert.equal(statSync(desk.at('f/b.md')).mode & 0o777, 0o600);
      assert.equal(desk.read('f/b.md'), 'b\nedited\n');
      await lap.sync();
      assert.equal(lap.read('twin.md'), 'a\n');
      assert.ok(!lap.contents.get('link.md')?.includes('outside'));
      assert.equal(desk.read('link.md'), 'outside\n');
    },
  ],
  [
    24,
    'new ignore rules delete nothing anywhere, and rules that go compare the files anew',
    async (world) => {
      const { desk, lap, ids } = world;
      await shared(world, { 'keep.md': 'k\n', 'private/a.md': 'a\n', 'private/b.md': 'b\n', 'c.log.txt': 'c' });
      writeFileSync(desk.at('.notevaultignore'), 'private/\n*.log.txt\n');
      await desk.sync();
      assert.equal((await ids()).size, 4);
      lap.put('private/a.md', 'a\nfrom the lap\n');
      lap.remove('private/b.md');
      await lap.sync();
      await desk.sync();
      assert.deepEqual([desk.read('private/a.md'), desk.read('private/b.md')], ['a\n', 'b\n']);
      rmSync(desk.at('.notevaultignore'));
      world.pass({ minutes: 2 });
      await settle(world);
      assert.deepEqual(
        sorted(desk.contents.values()).filter((text) => text !== 'k\n' && text !== 'c'),
        ['a\n', 'a\nfrom the lap\n', 'b\n'],
      );
    },
  ],
  [
    25,
    'a machine that lost its state, in the middle of its work or all of it, compares anew and loses nothing',
    async (world) => {
      const { desk, lap } = world;
      await shared(world, { 'a.md': 'a\n', 'b.md': 'b\n', 'p.txt': 'p' });
      rmSync(desk.place, { recursive: true });
      mkdirSync(desk.place);
      mkdirSync(desk.at('.notevault/tmp'), { recursive: true });
      writeFileSync(desk.at('.notevault/tmp/new-unfinished'), 'half');
      desk.put('b.md', 'b\nedited\n');
      lap.remove('p.txt');
      await lap.sync();
      await settle(world);
      assert.deepEqual(readdirSync(desk.at('.notevault/tmp')), []);
      assert.deepEqual(sorted(desk.contents.values()), ['a\n', 'b\n', 'b\nedited\n', 'p']);
    },
  ],
];

/** Registers a test for each case, against one server. */
export function defineHardCases(open: () => Promise<Database>): void {
  const folder = new Folder();
  let server: TestServer;
  let key = '';
  before(async () => {
    server = await startServer({ open });
    key = (await server.alice.post('/api-keys', { name: 'sync' })).body.key;
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  for (const [number, title, run] of cases) {
    it(`${number}: ${title}`, async () => {
      const vaultId = (await server.alice.post('/vaults', { name: `Case ${number}` })).body.vault.id as string;
      const machine = (name: string) =>
        new SyncMachine({ home: folder.at(`${number}`, name), url: server.url, key, vaultId });
      const at = { 'x-vault-id': vaultId };
      await run({
        desk: machine('desk'),
        lap: machine('lap'),
        async ids() {
          const { notes, attachments } = (await server.alice.get('/sync/manifest', at)).body;
          const rows = [...notes, ...attachments] as { path: string; id: string }[];
          return new Map(rows.map(({ path, id }) => [path, id]));
        },
        async write(path, content) {
          assert.equal((await server.alice.post('/notes', { path, content, mtime: 1 }, at)).status, 200);
        },
        post: (path, body) => server.alice.post(path, body, at),
        pass: (time) => void server.clock.advance(time),
      });
    });
  }
}
