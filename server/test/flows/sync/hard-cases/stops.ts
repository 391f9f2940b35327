import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { it } from 'node:test';
import { FolderGone } from '@notevault/sync/engine/ports.ts';
import { type World, writesOf } from './world.ts';

/** Cases that must not be taken for a change of everything. */
export function stops(makeWorld: () => Promise<World>): void {
  it('15: many deletions wait for a yes in both directions, and renames are not counted as deletions', async () => {
    const { desk, lap, share } = await makeWorld();
    await share(Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f/${index}.md`, `${index}\n`])));
    desk.move('f', 'g');
    assert.equal((await desk.run({})).kind, 'in step');
    assert.equal((await lap.run({})).kind, 'in step');
    for (let index = 0; index < 21; index++) desk.remove(`g/${index}.md`);
    const held = await desk.run({});
    assert.deepEqual([held.kind, held.brakes], ['waiting', [{ side: 'remote', kind: 'deletions', files: 21, of: 40 }]]);
    assert.equal((await desk.run()).kind, 'in step');
    const there = await lap.run({});
    assert.deepEqual([there.kind, there.brakes[0]?.side, lap.contents.size], ['waiting', 'local', 40]);
    await lap.sync();
    assert.deepEqual(lap.contents, desk.contents);
  });

  it('16: a folder that is missing, emptied or replaced stops the sync and deletes nothing in the vault', async () => {
    const { desk, ids, share } = await makeWorld();
    await share(Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`${index}.md`, `${index}\n`])));
    renameSync(desk.root, `${desk.root}.away`);
    await assert.rejects(desk.run(), FolderGone);
    mkdirSync(desk.root);
    await assert.rejects(desk.run(), /is not the folder that was synced/);
    rmSync(desk.root, { recursive: true });
    renameSync(`${desk.root}.away`, desk.root);
    for (const name of readdirSync(desk.root)) if (name !== '.notevault') desk.remove(name);
    assert.equal((await desk.run({})).kind, 'waiting');
    assert.equal((await ids()).size, 10);
  });

  it('17: new times on every file send nothing, and new contents of every file wait for a yes', async () => {
    const { desk, share } = await makeWorld();
    const paths = Array.from({ length: 12 }, (_, index) => `${index}.md`);
    await share(Object.fromEntries(paths.map((path) => [path, `${path}\n`])));
    for (const path of paths) utimesSync(desk.at(path), 1_600_000_000, 1_600_000_000);
    await desk.sync();
    assert.deepEqual(writesOf(desk), []);
    for (const path of paths) desk.put(path, 'scrambled\n');
    const { kind, brakes } = await desk.run({});
    assert.deepEqual([kind, brakes[0]?.kind], ['waiting', 'everything changed']);
  });

  it('18: clocks that are days apart decide nothing', async () => {
    const { desk, lap, settle, share } = await makeWorld();
    const day = 24 * 60 * 60 * 1000;
    await share({ 'a.md': 'one\n', 'p.txt': 'one' });
    desk.wallOffset = 5 * day;
    lap.wallOffset = -5 * day;
    desk.put('p.txt', 'from the future');
    utimesSync(desk.at('p.txt'), Date.now() / 1000 + 432_000, Date.now() / 1000 + 432_000);
    await settle();
    lap.put('p.txt', 'from the past');
    lap.put('a.md', 'one\ntwo\n');
    for (const path of ['p.txt', 'a.md']) utimesSync(lap.at(path), 1_000_000_000, 1_000_000_000);
    await settle();
    assert.deepEqual(
      desk.contents,
      new Map([
        ['a.md', 'one\ntwo\n'],
        ['p.txt', 'from the past'],
      ]),
    );
  });
}
