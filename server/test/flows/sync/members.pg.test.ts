import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { ServerUnreachable, VaultGone } from '@notevault/sync/engine/ports.ts';
import { onEachEngine, rawOf } from '../../kit/engines.ts';
import type { Caller } from '../../kit/person.ts';
import { Folder } from '../../kit/programs/process.ts';
import { oneServer } from '../../kit/server.ts';
import { startShared } from '../../kit/shared-vault.ts';
import { SyncMachine } from '../../kit/sync-machine.ts';

type Shared = Awaited<ReturnType<typeof startShared>>;

/** The contents of a folder, with conflict copies under a fixed name. */
const named = (machine: SyncMachine) =>
  Object.fromEntries(
    [...machine.contents].map(([path, content]) => [path.replace(/\(conflict [^)]*\)/, '(conflict)'), content]),
  );
const sent = ({ requests }: SyncMachine) => requests.filter((request) => !request.startsWith('GET'));
const READS_ONLY = /^is only in this folder and not uploaded: you have read-only access to this vault$/;

onEachEngine('a folder of a member', (open) => {
  const start = oneServer(() => ({ open }));
  const folder = new Folder();
  let count = 0;
  after(() => folder[Symbol.dispose]());

  /** A machine that syncs the shared vault with a credential of a member, which names it. */
  async function machineOf({ server, vault }: Shared, member: Caller, default_access = 'none') {
    const named = { default_access, vault_access: { [vault]: 'write' } };
    const made = await member.post('/connections/pat', { name: 'desk', ...named });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const home = folder.at(`machine ${count++}`);
    return new SyncMachine({ home, url: server.url, key: made.body.key, vaultId: vault });
  }

  /** Reads the contents of the vault, by path. */
  async function inVault({ alice, headers }: Shared): Promise<Record<string, string>> {
    const { changes } = (await alice.get('/sync/changes?fields=all&limit=500', headers)).body;
    const live = (changes as { deleted: boolean; path: string; content?: string }[]).filter(({ deleted }) => !deleted);
    return Object.fromEntries(live.map(({ path, content = 'bytes' }) => [path, content]));
  }

  async function write(
    { alice, headers }: Pick<Shared, 'alice' | 'headers'>,
    path: string,
    content: string,
  ): Promise<void> {
    assert.equal((await alice.post('/notes', { path, content, mtime: 1 }, headers)).status, 200);
  }

  it('[S8] [M13] a viewer’s edits, renames and deletions are undone in one run, kept beside, and never sent', async () => {
    await using shared = await startShared(await start());
    for (const path of ['b.md', 'c.md', 'f/d.md']) await write(shared, path, `${path}\n`);
    const body = { path: 'p.txt', content_base64: Buffer.from('bytes').toString('base64'), mtime: 1 };
    assert.equal((await shared.alice.post('/attachments', body, shared.headers)).status, 200);
    await shared.join(shared.carol, 'viewer');
    const machine = await machineOf(shared, shared.carol);
    await machine.sync();
    const before = await inVault(shared);
    assert.deepEqual(Object.fromEntries(machine.contents), before);

    machine.put('a.md', 'one, edited\n');
    machine.put('p.txt', 'other bytes');
    machine.remove('b.md');
    machine.move('c.md', 'renamed.md');
    machine.move('f', 'g');
    machine.put('new.md', 'mine\n');
    const result = await machine.run();
    assert.deepEqual([result.kind, result.isReadOnly, sent(machine)], ['in step', true, []]);
    const restored = {
      ...before,
      'a (conflict).md': 'one, edited\n',
      'p (conflict).txt': 'other bytes',
      'new.md': 'mine\n',
    };
    assert.deepEqual(named(machine), restored);
    assert.equal(result.unsynced.length, 3);
    for (const { reason } of result.unsynced) assert.match(reason, READS_ONLY);
    assert.deepEqual(await inVault(shared), before);

    // Nothing repeats, and what others write still arrives.
    await write(shared, 'b.md', 'b.md\nmore\n');
    const later = await machine.run();
    assert.deepEqual([later.kind, later.done, later.unsynced.length, sent(machine)], ['in step', 1, 3, []]);
    assert.deepEqual(named(machine), { ...restored, 'b.md': 'b.md\nmore\n' });
  });

  it('[S3] an editor’s offline edits are kept beside when the role is lowered, and sent when it is raised', async () => {
    await using shared = await startShared(await start());
    const carol = await shared.join(shared.carol, 'editor');
    const machine = await machineOf(shared, shared.carol);
    await machine.sync();
    machine.put('a.md', 'one, offline\n');
    assert.equal((await shared.alice.patch(`${shared.path}/${carol}`, { role: 'viewer' })).status, 200);
    await write(shared, 'a.md', 'one, by alice\n');
    await machine.run();
    assert.deepEqual(named(machine), { 'a.md': 'one, by alice\n', 'a (conflict).md': 'one, offline\n' });
    assert.deepEqual(await inVault(shared), { 'a.md': 'one, by alice\n' });

    assert.equal((await shared.alice.patch(`${shared.path}/${carol}`, { role: 'editor' })).status, 200);
    machine.put('a.md', 'one, by alice\nand carol\n');
    await machine.sync();
    assert.deepEqual(await inVault(shared), Object.fromEntries(machine.contents));
    assert.equal(machine.read('a.md'), 'one, by alice\nand carol\n');
    assert.equal(machine.contents.size, 2);
  });

  it('a write that meets a role lowered a moment ago is no error: its text is kept beside', async () => {
    await using shared = await startShared(await start());
    const carol = await shared.join(shared.carol, 'editor');
    const machine = await machineOf(shared, shared.carol);
    await machine.sync();
    await shared.alice.patch(`${shared.path}/${carol}`, { role: 'viewer' });
    machine.put('a.md', 'one, too late\n');
    let isBefore = true;
    machine.answer = (url) => {
      if (url.pathname !== '/api/sync/changes' || !isBefore) return null;
      isBefore = false;
      const cursor = url.searchParams.get('cursor');
      return Response.json({ changes: [], has_more: false, resume_cursor: cursor, next_cursor: null, access: 'write' });
    };
    assert.equal((await machine.run()).kind, 'in step');
    assert.deepEqual(named(machine), { 'a.md': 'one', 'a (conflict).md': 'one, too late\n' });
    assert.equal(sent(machine).length, 1);
  });

  it('[S6] edits of members wait while the account of the owner is suspended', async () => {
    await using shared = await startShared({ open });
    const carol = await shared.join(shared.carol, 'editor');
    const dave = await shared.join(shared.dave, 'editor');
    const { status } = await shared.alice.patch(`${shared.path}/${dave}`, { role: 'owner' });
    assert.equal(status, 200);
    const machine = await machineOf(shared, shared.carol);
    await machine.sync();
    machine.put('a.md', 'one, and more\n');
    const suspend = (suspended: boolean) => shared.alice.patch(`/admin/users/${dave}`, { suspended });
    assert.equal((await suspend(true)).status, 200);
    await assert.rejects(machine.run(), { name: ServerUnreachable.name, message: /owner is suspended/ });
    assert.deepEqual(named(machine), { 'a.md': 'one, and more\n' });
    assert.equal((await suspend(false)).status, 200);
    await machine.sync();
    assert.deepEqual(await inVault(shared), { 'a.md': 'one, and more\n' }, carol);
  });

  it('devices of two people that call themselves alike keep watermarks of their own', async () => {
    const { server, alice, carol, headers, vault, idOf, join } = await startShared(await start());
    const id = await join(carol, 'editor');
    const same = { ...headers, 'x-device-id': 'same' };
    const cursorOf = async (caller: Caller) => (await caller.get('/sync/changes', same)).body.resume_cursor as string;
    const early = await cursorOf(carol);
    assert.equal((await carol.get(`/sync/changes?cursor=${early}`, same)).status, 200);
    await write({ alice, headers }, 'b.md', 'b\n');
    const late = await cursorOf(alice);
    assert.equal((await alice.get(`/sync/changes?cursor=${late}`, same)).status, 200);
    await using raw = await rawOf(server.db);
    const rows = await raw.all('select user_id, watermark from sync_devices where vault_id = $1', vault);
    const marks = new Map(rows.map(({ user_id, watermark }) => [String(user_id), Number(watermark)]));
    assert.deepEqual([marks.size, marks.get(id)], [2, 1], 'what one has read, the other has not');
    assert.equal(marks.get(await idOf(alice)), 2);
  });

  it('[S10] the folder of a removed member stays as it is, and nothing of it is sent', async () => {
    await using shared = await startShared(await start());
    const carol = await shared.join(shared.carol, 'editor');
    // Its credential also reaches vaults of her own, so it is not revoked.
    const machine = await machineOf(shared, shared.carol, 'write');
    await machine.sync();
    machine.put('a.md', 'one, offline\n');
    machine.put('mine.md', 'mine\n');
    assert.equal((await shared.alice.delete(`${shared.path}/${carol}`)).status, 204);
    await assert.rejects(machine.run(), { name: VaultGone.name });
    assert.deepEqual(named(machine), { 'a.md': 'one, offline\n', 'mine.md': 'mine\n' });
    assert.deepEqual(sent(machine), []);
    assert.deepEqual(await inVault(shared), { 'a.md': 'one' });
  });
});
