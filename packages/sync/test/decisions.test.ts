import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Approval } from '../src/plan/approval.ts';
import { LoneDevice } from './simulation/lone-device.ts';

const notes = (count: number) =>
  Array.from({ length: count }, (_, index) => [`${index}.md`, `note ${index}\n`] as const);

async function synced(count: number): Promise<LoneDevice> {
  const device = new LoneDevice();
  for (const [path, text] of notes(count)) device.disk.userWrite(path, text);
  assert.equal((await device.sync()).kind, 'in step');
  return device;
}

test('deletions that wait for approval do not hold up other changes, and are carried out once approved', async () => {
  const device = await synced(30);
  for (const [path] of notes(25)) device.disk.userDelete(path);
  device.disk.userWrite('29.md', 'edited\n');
  const waiting = await device.sync();
  assert.equal(waiting.kind, 'waiting');
  assert.deepEqual(waiting.brakes, [{ side: 'remote', kind: 'deletions', files: 25, of: 30 }]);
  assert.equal(waiting.pending.length, 25);
  assert.equal(device.both[1].get('29.md'), 'edited\n');
  assert.equal(device.both[1].size, 30);
  assert.equal((await device.sync({ approval: new Approval((brakes) => brakes[0]?.files === 25) })).kind, 'in step');
  assert.equal(device.both[1].size, 5);
});

test('deletions that come one by one need approval like those that come together, also after a restart', async () => {
  const device = await synced(300);
  for (const [path] of notes(20)) {
    device.disk.userDelete(path);
    assert.equal((await device.sync()).kind, 'in step', path);
  }
  device.disk.userDelete('20.md');
  const waiting = await device.sync();
  assert.deepEqual([waiting.kind, waiting.brakes[0]?.files, device.both[1].size], ['waiting', 21, 280]);
  assert.equal((await device.sync({ approval: new Approval((brakes) => brakes[0]?.files === 21) })).kind, 'in step');
  assert.equal(device.both[1].size, 279);
  // After an approval the count begins anew.
  device.disk.userDelete('21.md');
  assert.equal((await device.sync()).kind, 'in step');
});

test('an approval covers the plan it was given for, and not what is deleted while that is carried out', async () => {
  const device = await synced(40);
  for (const [path] of notes(25)) device.disk.userDelete(path);
  const [later] = [notes(40).slice(25)];
  const onOperation = () => {
    for (const [path] of later.splice(0)) device.disk.userDelete(path);
  };
  const approval = new Approval();
  const engine = await device.engine({ onOperation });
  const waiting = await engine.sync({ approval });
  assert.deepEqual(waiting.brakes, [{ side: 'remote', kind: 'deletions', files: 15, of: 15 }]);
  assert.equal(device.both[1].size, 15);
  assert.equal((await engine.sync({ approval })).kind, 'waiting');
});

test('a folder that follows the server, or leads it, is asked before what is deleted meanwhile', async () => {
  for (const side of ['local', 'remote'] as const) {
    const device = await synced(40);
    device.disk.userWrite('0.md', 'edited here\n');
    let isFirst = true;
    const onOperation = () => {
      if (!isFirst) return;
      isFirst = false;
      const rows = device.server.live.slice(1, 31);
      for (const row of rows) side === 'local' ? device.server.agentDelete(row) : device.disk.userDelete(row.path);
    };
    const engine = await device.engine({ onOperation });
    await (side === 'local' ? engine.followServer() : engine.makeAuthoritative());
    const { kind, brakes } = await engine.sync({ approval: new Approval() });
    assert.deepEqual([kind, brakes], ['waiting', [{ side, kind: 'deletions', files: 30, of: 40 }]]);
  }
});

test('the vault’s version of a settings file wins the first sync, and the local one goes to the trash', async () => {
  const device = new LoneDevice();
  device.server.agentCreate('.obsidian/hotkeys.json', 'of the vault');
  device.disk.userWrite('.obsidian/hotkeys.json', 'of the desk');
  const { kind, unsynced } = await device.sync();
  assert.deepEqual([kind, unsynced], ['in step', []]);
  const expected = new Map([['.obsidian/hotkeys.json', 'of the vault']]);
  assert.deepEqual(device.both, [expected, expected]);
  assert.deepEqual(device.disk.replaced, ['of the desk']);
});

test('of two edits of a settings file the later one is taken, and the earlier one is in the trash', async () => {
  for (const isLaterHere of [true, false]) {
    const device = new LoneDevice();
    device.disk.userWrite('.obsidian/app.json', 'first');
    await device.sync();
    const [row] = device.server.live;
    assert.ok(row);
    if (!isLaterHere) device.disk.userWrite('.obsidian/app.json', 'of the desk');
    device.pass(60_000);
    device.server.agentWrite(row, 'of the vault', device.now / 1000);
    device.pass(60_000);
    if (isLaterHere) device.disk.userWrite('.obsidian/app.json', 'of the desk');
    assert.equal((await device.sync()).kind, 'in step');
    const [taken, kept] = isLaterHere ? ['of the desk', 'of the vault'] : ['of the vault', 'of the desk'];
    assert.deepEqual(device.both[0], device.both[1]);
    assert.equal(device.both[1].get('.obsidian/app.json'), taken);
    assert.deepEqual([...device.disk.trashed, ...device.disk.replaced], [kept]);
  }
});

test('deletions of a quarter of an hour ago do not count with those of now', async () => {
  const device = await synced(300);
  for (const [path] of notes(20)) device.disk.userDelete(path);
  assert.equal((await device.sync()).kind, 'in step');
  device.pass(15 * 60 * 1000);
  device.disk.userDelete('20.md');
  assert.equal((await device.sync()).kind, 'in step');
});

test('putting back restores what was deleted on either side, in the vault under the same ids', async () => {
  const device = await synced(30);
  const before = device.both[0];
  const ids = new Set(device.server.live.map(({ id }) => id));
  for (const [path] of notes(25)) device.disk.userDelete(path);
  const engine = await device.engine();
  assert.equal((await engine.sync()).kind, 'waiting');
  await engine.putBack();
  assert.equal((await engine.sync()).kind, 'in step');
  assert.deepEqual(device.both, [before, before]);

  for (const row of device.server.live.slice(0, 25)) device.server.agentDelete(row);
  const again = await device.engine();
  assert.deepEqual((await again.sync()).brakes, [{ side: 'local', kind: 'deletions', files: 25, of: 30 }]);
  await again.putBack();
  assert.equal((await again.sync()).kind, 'in step');
  assert.deepEqual(device.both, [before, before]);
  assert.deepEqual(new Set(device.server.live.map(({ id }) => id)), ids);
  assert.deepEqual(device.disk.trashed, []);
});

test('putting back after nearly all files changed takes the contents of the other side', async () => {
  const device = await synced(20);
  const before = device.both[1];
  for (const [path] of notes(20)) device.disk.userWrite(path, 'scrambled\n');
  const engine = await device.engine();
  const { kind, brakes } = await engine.sync();
  assert.deepEqual([kind, brakes[0]?.kind, brakes[0]?.side], ['waiting', 'everything changed', 'remote']);
  await engine.putBack();
  assert.equal((await engine.sync({ approval: new Approval() })).kind, 'in step');
  assert.deepEqual(device.both, [before, before]);
});

test('a folder that follows the server gets its contents and names, and trashes its own other files', async () => {
  const device = await synced(6);
  const expected = new Map(device.both[1]);
  device.disk.userWrite('0.md', 'edited here\n');
  device.disk.userDelete('1.md');
  device.disk.userMove('2.md', 'renamed.md');
  device.disk.userWrite('new.md', 'new here\n');
  device.disk.userMakeFolder('empty');
  const engine = await device.engine();
  await engine.followServer();
  assert.equal((await engine.sync({ approval: new Approval() })).kind, 'in step');
  assert.deepEqual(device.both, [expected, expected]);
  assert.deepEqual(device.disk.folders, []);
  assert.ok(device.disk.trashed.includes('new here\n'));
});

test('a folder that is authoritative gives the vault its contents, and keeps what that loses', async () => {
  const device = await synced(6);
  const rows = device.server.live;
  const [edited, deleted, kept] = rows;
  assert.ok(edited && deleted && kept);
  device.server.agentWrite(edited, 'edited there\n');
  device.server.agentDelete(deleted);
  device.server.agentCreate('new.md', 'new there\n');
  device.disk.userWrite(kept.path, 'edited here\n');
  const expected = new Map(device.disk.contents);
  const engine = await device.engine();
  await engine.makeAuthoritative();
  assert.equal((await engine.sync({ approval: new Approval() })).kind, 'in step');
  assert.deepEqual(device.both, [expected, expected]);
  for (const text of ['edited there\n', 'new there\n']) assert.ok(device.disk.trashed.includes(text), text);
});

test('a sync that only pulls merges notes edited on both sides in the folder, and sends nothing', async () => {
  const device = await synced(2);
  device.disk.userWrite('0.md', 'of the desk\nnote 0\n');
  device.disk.userWrite('1.md', 'of the desk\n');
  const [zero] = device.server.live;
  assert.ok(zero);
  device.server.agentWrite(zero, 'note 0\nof the vault\n');
  const pull = async () => (await device.engine({ direction: 'pull' })).sync();
  const pulled = await pull();
  assert.equal(pulled.kind, 'in step');
  assert.deepEqual(
    [device.disk.contents.get('0.md'), device.both[1].get('0.md')],
    ['of the desk\nnote 0\nof the vault\n', 'note 0\nof the vault\n'],
  );
  assert.deepEqual(
    pulled.pending.map(({ type }) => type),
    ['pushContent', 'pushContent'],
  );
  assert.equal((await pull()).done, 0);
  device.server.agentWrite(zero, 'note 0\nof the vault\nmore\n');
  await pull();
  assert.equal(device.disk.contents.get('0.md'), 'of the desk\nnote 0\nof the vault\nmore\n');
  assert.equal((await device.sync()).kind, 'in step');
  assert.deepEqual(device.both[0], device.both[1]);
  assert.equal(device.both[1].get('0.md'), 'of the desk\nnote 0\nof the vault\nmore\n');
});

test('a check reads every file again and finds a change that left size and times as they were', async () => {
  const device = await synced(3);
  const engine = await device.engine();
  const real = device.disk.readBytes.bind(device.disk);
  let read = 0;
  device.disk.readBytes = (file) => {
    read += 1;
    return real(file);
  };
  await engine.sync();
  assert.equal(read, 0);
  await engine.checkAll();
  assert.equal((await engine.sync()).kind, 'in step');
  assert.equal(read, 3);
});
