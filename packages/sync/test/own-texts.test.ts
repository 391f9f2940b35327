import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasLinesOf } from '../src/engine/own-texts.ts';
import { LoneDevice } from './simulation/lone-device.ts';

test('a text has the lines of another one if they stand in it in the same order, whatever is between them', () => {
  const text = 'one\ntwo\r\n\n  three  \ntwo\n';
  for (const part of ['', '\n\n', 'one', 'two\n  three', 'one\n\n\ntwo\ntwo\n', 'two\r\n  three\r\n'])
    assert.ok(hasLinesOf(text, part), JSON.stringify(part));
  for (const other of ['two\none', 'three', 'one\none', 'tw', 'one two', 'two\ntwo\ntwo'])
    assert.ok(!hasLinesOf(text, other), JSON.stringify(other));
});

test('a note edited after its state was lost is merged based on the version that it came from', async () => {
  const device = new LoneDevice();
  device.disk.userWrite('a.md', 'one\ntwo\n');
  await device.sync();
  const [row] = device.server.live;
  assert.ok(row);
  device.server.agentWrite(row, 'one there\ntwo\n');
  device.loseState();
  device.disk.requireWritable = async () => {
    device.disk.userWrite('a.md', 'one\ntwo\nthree\n');
    device.disk.requireWritable = async () => undefined;
  };
  assert.equal((await device.sync()).kind, 'in step');
  const expected = new Map([['a.md', 'one there\ntwo\nthree\n']]);
  assert.deepEqual(device.both, [expected, expected]);
});

test('a preview counts equal files despite renames of others, and decides nothing about known texts', async () => {
  const device = new LoneDevice();
  for (const path of ['1.md', '2.md', '3.md', 'old.md', 'other.md']) device.disk.userWrite(path, `${path}\n`);
  await device.sync();
  const rows = device.server.live;
  for (const row of rows.slice(3)) device.server.agentWrite(row, 'later\n');
  device.disk.userWrite('other.md', 'of its own\n');
  device.loseState();
  const engine = await device.engine();
  const types = async () => (await engine.preview()).operations.map(({ type }) => type).sort();
  const expected = ['adopt', 'adopt', 'adopt', 'moveLocal', 'writeLocal'];
  assert.deepEqual([await types(), await types()], [expected, expected]);
  assert.equal((await device.stored()).synced.length, 0);
  assert.equal((await engine.sync()).kind, 'in step');
  assert.deepEqual(device.both[0], device.both[1]);
  assert.equal(device.both[1].size, 6);
});
