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
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { sorted, type World, writesOf } from './world.ts';

/** How files are written, noticed and forgotten. */
export function disks(makeWorld: () => Promise<World>): void {
  it('19: a file that is still being written is sent once, when it is complete', async () => {
    const { desk, ids, lap } = await makeWorld();
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
    await lap.sync();
    assert.equal(lap.read('big.md'), 'part 0\npart 1\npart 2\npart 3\n');
    assert.equal((await ids()).size, 1);
  });

  it('20: a save by renaming, or by deleting and writing anew, is an edit of the same note', async () => {
    const { desk, lap, ids, settle, share } = await makeWorld();
    await share({ 'a.md': 'one\n', 'b.md': 'one\n' });
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
    await settle();
    assert.deepEqual(await ids(), before);
    assert.deepEqual(
      lap.contents,
      new Map([
        ['a.md', 'one\ntwo\n'],
        ['b.md', 'one\nthree\n'],
      ]),
    );
  });

  it('21: what a machine wrote itself is not sent back, and nothing changed costs one request', async () => {
    const { desk, lap, share } = await makeWorld();
    await share({ 'a.md': 'a\n', 'f/p.txt': 'p' });
    desk.put('a.md', 'a\nb\n');
    await desk.sync();
    await lap.sync();
    assert.deepEqual(writesOf(lap), []);
    for (const machine of [desk, lap]) {
      assert.equal((await machine.sync()).done, 0);
      assert.deepEqual(machine.requests, ['GET /sync/changes']);
    }
  });

  it('22: changes that nobody noticed are found by the next comparison of everything', async () => {
    const { desk, lap, share } = await makeWorld();
    await share({ 'a.md': 'a\n', 'b.md': 'b\n', 'c.md': 'c\n' });
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
  });

  it('23: links are neither followed nor written through, and the mode of a file is kept', async () => {
    const { desk, lap, write, share } = await makeWorld();
    await share({ 'a.md': 'a\n', 'f/b.md': 'b\n' });
    const outside = join(desk.place, 'outside.md');
    writeFileSync(outside, 'outside\n');
    symlinkSync(outside, desk.at('link.md'));
    linkSync(desk.at('a.md'), desk.at('twin.md'));
    execFileSync('chmod', ['600', desk.at('f/b.md')]);
    await desk.sync(['link.md']);
    await write('link.md', 'through the link\n');
    await write('f/b.md', 'b\nedited\n');
    await desk.run();
    assert.ok(lstatSync(desk.at('link.md')).isSymbolicLink());
    assert.equal(statSync(desk.at('f/b.md')).mode & 0o777, 0o600);
    assert.equal(desk.read('f/b.md'), 'b\nedited\n');
    await lap.sync();
    assert.equal(lap.read('twin.md'), 'a\n');
    assert.ok(!lap.contents.get('link.md')?.includes('outside'));
    assert.equal(desk.read('link.md'), 'outside\n');
  });

  it('24: new ignore rules delete nothing anywhere, and rules that go compare the files anew', async () => {
    const { desk, lap, ids, pass, settle, share } = await makeWorld();
    await share({ 'keep.md': 'k\n', 'private/a.md': 'a\n', 'private/b.md': 'b\n', 'c.log.txt': 'c' });
    writeFileSync(desk.at('.notevaultignore'), 'private/\n*.log.txt\n');
    await desk.sync();
    assert.equal((await ids()).size, 4);
    lap.put('private/a.md', 'a\nfrom the lap\n');
    lap.remove('private/b.md');
    await lap.sync();
    await desk.sync();
    assert.deepEqual([desk.read('private/a.md'), desk.read('private/b.md')], ['a\n', 'b\n']);
    rmSync(desk.at('.notevaultignore'));
    pass({ minutes: 2 });
    await settle();
    assert.deepEqual(
      sorted(desk.contents.values()).filter((text) => text !== 'k\n' && text !== 'c'),
      // The text from before is an earlier version of the vault's.
      ['a\nfrom the lap\n', 'b\n'],
    );
  });

  it('25: a machine that lost its state, all of it or amid its work, compares anew and loses nothing', async () => {
    const { desk, lap, settle, share } = await makeWorld();
    await share({ 'a.md': 'a\n', 'b.md': 'b\n', 'p.txt': 'p' });
    rmSync(desk.place, { recursive: true });
    mkdirSync(desk.place);
    mkdirSync(desk.at('.notevault/tmp'), { recursive: true });
    writeFileSync(desk.at('.notevault/tmp/new-unfinished'), 'half');
    desk.put('b.md', 'b\nedited\n');
    lap.remove('p.txt');
    await lap.sync();
    await settle();
    assert.deepEqual(readdirSync(desk.at('.notevault/tmp')), []);
    assert.deepEqual(sorted(desk.contents.values()), ['a\n', 'b\n', 'b\nedited\n', 'p']);
  });
}
