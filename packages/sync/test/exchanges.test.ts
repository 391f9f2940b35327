import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Server } from '../src/engine/ports.ts';
import { Calm, CalmDevice as Device } from './simulation/calm-device.ts';
import { SimServer } from './simulation/sim-server.ts';

const contentsOf = (server: SimServer) =>
  Object.fromEntries(
    server.live.map(({ path, content }) => [path, content]).sort(([a = ''], [b = '']) => (a < b ? -1 : 1)),
  );

test('in twelve rounds, a device that syncs at any moment of another’s swap sees only the two names', async () => {
  const server = new SimServer(new Calm(1));
  const names = new Set<string>();
  let isSwapping = false;
  const others: readonly Device[] = [new Device(server), new Device(server)];
  const one = new Device(server, {
    onRequest: async () => {
      for (const { path } of server.live) names.add(path);
      if (!isSwapping) return;
      isSwapping = false;
      for (const other of others) await other.sync();
      isSwapping = true;
    },
  });
  one.disk.userWrite('p.md', 'first\n');
  one.disk.userWrite('q.md', 'second\n');
  await one.sync();
  for (const other of others) await other.sync();
  for (let round = 1; round <= 12; round++) {
    one.rotate('p.md', 'q.md');
    isSwapping = true;
    assert.equal((await one.sync()).kind, 'in step');
    isSwapping = false;
    for (const other of others) assert.equal((await other.sync()).kind, 'in step');
    const expected =
      round % 2 === 1 ? { 'p.md': 'second\n', 'q.md': 'first\n' } : { 'p.md': 'first\n', 'q.md': 'second\n' };
    for (const contents of [contentsOf(server), one.contents, ...others.map((other) => other.contents)])
      assert.deepEqual(contents, expected, `round ${round}`);
  }
  assert.deepEqual([...names].sort(), ['p.md', 'q.md']);
});

for (const hasFileIds of [true, false]) {
  const disks = hasFileIds ? 'with' : 'without';
  test(`rotations, case and folder swaps take one request and one disk change, on disks ${disks} file ids`, async () => {
    const server = new SimServer(new Calm(1));
    const [one, other] = [new Device(server, { hasFileIds }), new Device(server, { hasFileIds })];
    const files = ['a.md', 'b.md', 'c.md', 'f/x.md', 'f/1.png', 'g/x.md', 'g/1.png'];
    for (const path of files) one.disk.userWrite(path, `${path}\n`);
    await one.sync();
    await other.sync();
    const turns: (readonly (readonly string[])[])[] = [
      [['a.md', 'b.md', 'c.md']],
      [
        ['f/x.md', 'g/x.md'],
        ['f/1.png', 'g/1.png'],
      ],
    ];
    for (const circles of turns) {
      for (const circle of circles) one.rotate(...circle);
      one.operations.length = 0;
      other.operations.length = 0;
      await one.sync();
      assert.deepEqual(
        one.operations.map(({ type }) => type),
        circles.map(() => 'moveRemoteMany'),
      );
      await other.sync();
      assert.deepEqual(
        other.operations.map(({ type }) => type),
        circles.map(() => 'moveLocalMany'),
      );
      assert.deepEqual([other.contents, contentsOf(server)], [one.contents, one.contents]);
    }
    const rows = new Map(server.live.map((row) => [row.path, row.id]));
    const move = (from: string, to: string) => ({ id: rows.get(from) ?? '', from, to });
    assert.notEqual(server.renameMany([move('a.md', 'B.md'), move('b.md', 'A.md')]), null);
    const ids = new Map(server.live.map(({ id, path }) => [id, path]));
    for (const device of [one, other]) {
      assert.equal((await device.sync()).kind, 'in step');
      assert.deepEqual(device.contents, contentsOf(server));
    }
    assert.deepEqual(new Map(server.live.map(({ id, path }) => [id, path])), ids);
  });
}

test('a circle that is longer than a request ends in the same names', async () => {
  const server = new SimServer(new Calm(1));
  const device = new Device(server);
  const paths = Array.from({ length: 150 }, (_, at) => `${at}.md`);
  for (const path of paths) device.disk.userWrite(path, `${path}\n`);
  await device.sync();
  device.rotate(...paths);
  device.operations.length = 0;
  assert.equal((await device.sync()).kind, 'in step');
  assert.deepEqual(
    device.operations.map((operation) => 'moves' in operation && operation.moves.length),
    [100, 51],
  );
  assert.deepEqual(device.contents, contentsOf(server));
});

test('a swap undone or repeated on another device before it arrives leaves each file with one name', async () => {
  const server = new SimServer(new Calm(1));
  const [one, other] = [new Device(server), new Device(server)];
  for (const path of ['p.md', 'q.md']) one.disk.userWrite(path, `${path}\n`);
  await one.sync();
  await other.sync();
  one.rotate('p.md', 'q.md');
  other.rotate('p.md', 'q.md');
  await one.sync();
  assert.equal((await other.sync()).kind, 'in step');
  assert.deepEqual([other.contents, contentsOf(server)], [one.contents, one.contents]);
  assert.equal(server.live.length, 2);
});

test('a server without name exchange keeps both names, receives no partial renames, and all other changes', async () => {
  const server = new SimServer(new Calm(1));
  const device = new Device(server);
  const old: Server = {
    ...server.reachedBy(async () => undefined),
    moveMany: async () => ({ kind: 'refused', reason: 'cannot yet' }),
  };
  for (const path of ['p.md', 'q.md', 'r.md']) device.disk.userWrite(path, `${path}\n`);
  await device.sync(old);
  device.rotate('p.md', 'q.md');
  device.disk.userWrite('r.md', 'edited\n');
  const { kind, unsynced } = await device.sync(old);
  assert.deepEqual([kind, unsynced], ['in step', [{ path: 'p.md', reason: 'cannot yet' }]]);
  assert.deepEqual(contentsOf(server), { 'p.md': 'p.md\n', 'q.md': 'q.md\n', 'r.md': 'edited\n' });
});
