import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLike, likeness } from '../src/engine/likeness.ts';
import { Calm, CalmDevice as Device } from './simulation/calm-device.ts';
import { SimServer } from './simulation/sim-server.ts';

/** A text of some hundred letters. Texts of two numbers have no sequence of words in common. */
const prose = (number: number, sentences = 12) =>
  Array.from({ length: sentences }, (_, at) => `Word${number}x${at} begins sentence ${number}-${at} here.\n`).join('');

const contentsOf = (server: SimServer) => Object.fromEntries(server.live.map(({ path, content }) => [path, content]));

async function pair(hasFileIds: boolean) {
  const server = new SimServer(new Calm(1));
  const [one, other] = [new Device(server, { hasFileIds }), new Device(server, { hasFileIds })];
  return { server, one, other };
}

for (const hasFileIds of [true, false]) {
  const disks = hasFileIds ? 'with' : 'without';

  test(`a note renamed after a kill between file and state has one name, on disks ${disks} file ids`, async () => {
    const { server, one, other } = await pair(hasFileIds);
    for (let at = 0; at < 6; at++) {
      one.disk.userWrite(`${at}.md`, prose(at));
      await one.sync();
      await other.syncKilledAtWrite();
      assert.equal(other.disk.contents.get(`${at}.md`), prose(at));
      assert.ok(other.disk.userMove(`${at}.md`, `renamed ${at}.md`));
      await other.sync();
      await one.sync();
    }
    const expected = Array.from({ length: 6 }, (_, at) => `renamed ${at}.md`);
    for (const paths of [
      Object.keys(contentsOf(server)),
      [...one.disk.contents.keys()],
      [...other.disk.contents.keys()],
    ])
      assert.deepEqual(paths.sort(), expected);
    assert.equal(server.live.length, 6);
  });

  test(`lines removed after such a kill do not return, in new and replaced notes, on disks ${disks} file ids`, async () => {
    for (const isNew of [true, false]) {
      const { server, one, other } = await pair(hasFileIds);
      one.disk.userWrite('a.md', prose(1));
      await one.sync();
      if (!isNew) {
        await other.sync();
        one.disk.userWrite('a.md', `${prose(1)}${prose(2, 3)}`);
        await one.sync();
      }
      await other.syncKilledAtWrite();
      const lines = (other.disk.contents.get('a.md') ?? '').split('\n');
      const kept = lines.filter((_, at) => at !== 2 && at !== lines.length - 3).join('\n');
      other.disk.userWrite('a.md', kept);
      assert.equal((await other.sync()).kind, 'in step');
      await one.sync();
      assert.deepEqual(contentsOf(server), { 'a.md': kept }, `${isNew}`);
      assert.deepEqual(one.contents, { 'a.md': kept });
    }
  });

  test(`a file renamed again after a kill during its rename keeps the last name, on disks ${disks} file ids`, async () => {
    const { server, one, other } = await pair(hasFileIds);
    one.disk.userWrite('a.md', prose(1));
    one.disk.userWrite('b.md', prose(2));
    await one.sync();
    await other.sync();
    one.disk.userMove('a.md', 'c.md');
    await one.sync();
    await other.syncKilledAtWrite();
    assert.ok(other.disk.userMove('c.md', 'd.md'));
    await other.sync();
    await one.sync();
    assert.deepEqual(Object.keys(contentsOf(server)).sort(), ['b.md', 'd.md']);
    assert.deepEqual(one.contents, contentsOf(server));
  });

  test(`a note saved by file replacement and renamed at once keeps its id, on disks ${disks} file ids`, async () => {
    const { server, one, other } = await pair(hasFileIds);
    for (let at = 0; at < 5; at++) one.disk.userWrite(`${at}.md`, prose(at));
    await one.sync();
    await other.sync();
    const id = server.live.find(({ path }) => path === '2.md')?.id;
    const theirs = `${prose(2)}Added by the other device.\n`;
    other.disk.userWrite('2.md', theirs);
    await other.sync();
    const mine = prose(2).replace('begins sentence 2-5', 'is the beginning of sentence 2-5');
    one.disk.userReplace('2.md', mine, 'renamed.md');
    assert.equal((await one.sync()).kind, 'in step');
    const row = server.live.find(({ path }) => path === 'renamed.md');
    assert.equal(row?.id, id);
    assert.equal(row?.content, `${mine}Added by the other device.\n`);
    assert.equal(server.live.length, 5);
    await other.sync();
    assert.deepEqual(other.contents, one.contents);
  });
}

test('a replacing file counts as new if short, mostly different, as close to another note, or not alone', async () => {
  const cases: [name: string, change: (device: Device) => void][] = [
    ['mostly another one', ({ disk }) => disk.userReplace('1.md', `${prose(1, 3)}${prose(9, 9)}`, 'new.md')],
    ['short', ({ disk }) => disk.userReplace('short.md', 'a few words more\n', 'new.md')],
    ['as near to another one', ({ disk }) => disk.userReplace('4.md', `${prose(4)}more\n`, 'new.md')],
    [
      'two came',
      ({ disk }) => {
        disk.userReplace('1.md', `${prose(1)}more\n`, 'new.md');
        disk.userWrite('another.md', prose(7));
      },
    ],
    [
      'two vanished',
      ({ disk }) => {
        disk.userReplace('1.md', `${prose(1)}more\n`, 'new.md');
        disk.userDelete('2.md');
      },
    ],
  ];
  for (const [name, change] of cases) {
    const server = new SimServer(new Calm(1));
    const device = new Device(server);
    for (const at of [1, 2, 3]) device.disk.userWrite(`${at}.md`, prose(at));
    device.disk.userWrite('short.md', 'a few words\n');
    for (const name of ['4', 'twin of 4']) device.disk.userWrite(`${name}.md`, `${prose(4)}${name}\n`);
    await device.sync();
    const ids = new Set(server.live.map(({ id }) => id));
    change(device);
    assert.equal((await device.sync()).kind, 'in step');
    const row = server.live.find(({ path }) => path === 'new.md');
    assert.ok(row !== undefined && !ids.has(row.id), name);
    assert.deepEqual(device.contents, contentsOf(server));
  }
});

test('likeness counts rows of words that both texts have, in any order and script', () => {
  const text = prose(1);
  assert.equal(likeness(text, text).shared, likeness(text, text).most);
  assert.ok(isLike(likeness(text, `${prose(1, 7)}${prose(2, 5)}`)));
  assert.ok(!isLike(likeness(text, `${prose(1, 5)}${prose(2, 7)}`)));
  assert.ok(!isLike(likeness('one two three four', 'one two three four')), 'too short');
  const chinese = Array.from({ length: 300 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join('');
  assert.ok(isLike(likeness(chinese, `${chinese.slice(0, 200)}另外${chinese.slice(210)}`)));
  assert.ok(!isLike(likeness(chinese, chinese.slice(0, 140))));
  assert.equal(likeness('', text).shared, 0);
});
