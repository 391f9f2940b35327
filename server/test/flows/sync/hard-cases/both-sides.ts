import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sorted, type World } from './world.ts';

/** Changes on two machines at once. */
export function bothSides(makeWorld: () => Promise<World>): void {
  it('1: edits of one note on two machines merge; of two contents of a file the server’s keeps the name', async () => {
    const { desk, lap, settle, share } = await makeWorld();
    await share({ 'a.md': 'one\ntwo\nthree\n', 'p.txt': 'base' });
    desk.put('a.md', 'ONE\ntwo\nthree\n');
    lap.put('a.md', 'one\ntwo\nTHREE\n');
    desk.put('p.txt', 'of the desk');
    lap.put('p.txt', 'of the lap');
    await settle();
    assert.equal(desk.read('a.md'), 'ONE\ntwo\nTHREE\n');
    assert.equal(desk.read('p.txt'), 'of the desk');
    const copy = [...desk.contents].find(([path]) => path.startsWith('p (conflict '));
    assert.equal(copy?.[1], 'of the lap');
  });

  it('2: an edit wins over a deletion, on whichever machine it is made', async () => {
    const { desk, lap, settle, share } = await makeWorld();
    await share({ 'a.md': 'a\n', 'b.md': 'b\n', 'c.txt': 'c', 'd.txt': 'd' });
    desk.remove('a.md');
    desk.remove('c.txt');
    lap.put('a.md', 'a\nedited\n');
    lap.put('c.txt', 'edited');
    lap.remove('b.md');
    lap.remove('d.txt');
    desk.put('b.md', 'b\nedited\n');
    desk.put('d.txt', 'edited');
    await settle();
    const expected = { 'a.md': 'a\nedited\n', 'b.md': 'b\nedited\n', 'c.txt': 'edited', 'd.txt': 'edited' };
    assert.deepEqual(desk.contents, new Map(Object.entries(expected)));
  });

  it('3: equal files on both sides that never were synced are adopted without a transfer', async () => {
    const { desk, lap } = await makeWorld();
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
  });

  it('4: different files of one name that never were synced are both kept, and nothing is concatenated', async () => {
    const { desk, lap, settle } = await makeWorld();
    desk.put('a.md', 'of the desk\n');
    desk.put('only desk.md', 'd\n');
    lap.put('a.md', 'of the lap\n');
    lap.put('only lap.md', 'l\n');
    await settle();
    assert.deepEqual(sorted(desk.contents.values()), ['d\n', 'l\n', 'of the desk\n', 'of the lap\n']);
  });

  it('5: a rename on one machine and an edit on the other give the new name with the new text', async () => {
    const { desk, lap, settle, share } = await makeWorld();
    await share({ 'a.md': 'one\n', 'p.txt': 'p' });
    desk.move('a.md', 'f/b.md');
    lap.put('a.md', 'one\ntwo\n');
    desk.move('p.txt', 'f/q.txt');
    lap.put('p.txt', 'P');
    await settle();
    assert.deepEqual(
      desk.contents,
      new Map([
        ['f/b.md', 'one\ntwo\n'],
        ['f/q.txt', 'P'],
      ]),
    );
  });

  it('6: two renames of one file end in one name and no copy', async () => {
    const { desk, lap, settle, share } = await makeWorld();
    await share({ 'a.md': 'a\n', 'p.txt': 'p' });
    desk.move('a.md', 'b.md');
    lap.move('a.md', 'c.md');
    desk.move('p.txt', 'q.txt');
    lap.move('p.txt', 'r.txt');
    await settle();
    assert.deepEqual(sorted(desk.contents.keys()), ['b.md', 'q.txt']);
  });

  it('7: files that swap or rotate their names keep their ids', async () => {
    const { desk, lap, ids, settle, share } = await makeWorld();
    await share({ 'a.md': 'a\n', 'b.md': 'b\n', 'x.txt': 'x', 'y.txt': 'y', 'z.txt': 'z' });
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
    await settle();
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
  });

  it('8: two folders that the machines move into one another lose and double nothing', async () => {
    const { desk, lap, settle, share } = await makeWorld();
    await share({ 'A/a.md': 'a\n', 'B/b.md': 'b\n' });
    desk.move('A', 'B/A');
    lap.move('B', 'A/B');
    await settle();
    assert.deepEqual(sorted(desk.contents.values()), ['a\n', 'b\n']);
  });
}
