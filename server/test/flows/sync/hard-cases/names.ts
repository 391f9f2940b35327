import assert from 'node:assert/strict';
import { it } from 'node:test';
import { sorted, type World } from './world.ts';

/** Renames, names that collide, and names that a disk cannot hold. */
export function names(makeWorld: () => Promise<World>): void {
  it('9: a rename that looks like a deletion and a new file keeps the id', async () => {
    const { desk, ids, settle, share } = await makeWorld();
    await share({ 'a.md': 'a unique text\n', 'p.txt': 'unique bytes' });
    const before = await ids();
    for (const [from, to] of [
      ['a.md', 'f/b.md'],
      ['p.txt', 'f/p.txt'],
    ] as const) {
      const text = desk.read(from);
      desk.remove(from);
      desk.put(to, text);
    }
    await settle();
    const now = await ids();
    assert.deepEqual([now.get('f/b.md'), now.get('f/p.txt')], [before.get('a.md'), before.get('p.txt')]);
    assert.equal(now.size, 2);
  });

  it('10: a rename that only changes the case of letters reaches the other machine', async () => {
    const { desk, lap, ids, settle, share } = await makeWorld();
    await share({ 'readme.md': 'r\n', 'img/p.txt': 'p' });
    const before = await ids();
    desk.move('readme.md', 'README.md');
    desk.move('img/p.txt', 'img/P.txt');
    await settle();
    assert.deepEqual(sorted(lap.contents.keys()), ['README.md', 'img/P.txt']);
    assert.equal((await ids()).get('README.md'), before.get('readme.md'));
  });

  it('11: of two names that differ only by case, one is synced and the other listed where it is', async () => {
    const { desk, lap } = await makeWorld();
    desk.put('a.md', 'small\n');
    desk.put('A.md', 'large\n');
    const { unsynced } = await desk.run();
    assert.equal(unsynced.length, 1);
    assert.match(unsynced[0]?.reason ?? '', /upper and lower case: rename/);
    await lap.sync();
    assert.equal(lap.contents.size, 1);
    assert.deepEqual(sorted(desk.contents.values()), ['large\n', 'small\n']);
    desk.move(unsynced[0]?.path ?? '', 'other.md');
    await desk.sync();
    await lap.sync();
    assert.deepEqual(lap.contents, desk.contents);
  });

  it('12: a name in another Unicode form is one name, and the disk keeps its form', async () => {
    const { desk, lap } = await makeWorld();
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
  });

  it('13: a name that Windows forbids stays and is listed with the reason, and arrives once it is renamed', async () => {
    const { desk, lap, write, post, ids, settle, share } = await makeWorld();
    const listed = async (machine: typeof desk, where: string) => {
      const { kind, unsynced } = await machine.run();
      assert.equal(kind, 'in step');
      for (const { reason } of unsynced)
        assert.ok(reason.endsWith(`which Windows does not allow: rename it ${where}`), reason);
      return sorted(unsynced.map(({ path }) => path));
    };
    await share({ 'fine.md': 'fine\n', 'moved.md': 'moved\n' });
    for (const name of ['what?.md', 'con.md', 'dot./x.md', 'p:q.txt']) desk.put(name, `${name}\n`);
    desk.put('aux/empty/gone.md', '');
    desk.remove('aux/empty/gone.md');
    desk.move('moved.md', 'moved|on.md');
    const here = await listed(desk, 'here');
    assert.deepEqual(here, ['aux/empty', 'con.md', 'dot./x.md', 'moved|on.md', 'p:q.txt', 'what?.md']);
    assert.deepEqual(sorted((await ids()).keys()), ['fine.md', 'moved.md']);
    assert.deepEqual(await listed(desk, 'here'), here, 'they stay listed');
    // Their texts are synced all the same, where the vault has them under another name.
    desk.put('moved|on.md', 'moved\nedited\n');
    await desk.run();
    await write('a:b.md', 'made in the vault\n');
    assert.deepEqual(await listed(lap, 'in the vault'), ['a:b.md']);
    assert.deepEqual(sorted(lap.contents.keys()), ['fine.md', 'moved.md']);
    assert.equal(lap.read('moved.md'), 'moved\nedited\n');

    for (const name of ['what?.md', 'con.md', 'dot./x.md', 'p:q.txt', 'moved|on.md'])
      desk.move(name, name.replace(/[?:|]/, '-').replace('con.', 'cons.').replace('dot./', 'dot/'));
    desk.remove('aux');
    desk.remove('dot.');
    await post('/notes/rename', { old_path: 'a:b.md', new_path: 'a-b.md' });
    await settle();
    const names = ['a-b.md', 'cons.md', 'dot/x.md', 'fine.md', 'moved-on.md', 'p-q.txt', 'what-.md'];
    assert.deepEqual(sorted(lap.contents.keys()), names);
  });

  it('14: a file becomes a folder and a folder a file', async () => {
    const { desk, lap, settle, share } = await makeWorld();
    await share({ 'x.txt': 'a file', 'y.txt/a.md': 'in a folder\n' });
    desk.remove('x.txt');
    desk.put('x.txt/b.md', 'now a folder\n');
    desk.remove('y.txt');
    desk.put('y.txt', 'now a file');
    await settle();
    assert.deepEqual(
      lap.contents,
      new Map([
        ['x.txt/b.md', 'now a folder\n'],
        ['y.txt', 'now a file'],
      ]),
    );
  });
}
