import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { test } from 'node:test';
import { fileOf, uploadRaw } from '../../../test/kit/content/files.ts';
import { onEachEngine } from '../../../test/kit/engines.ts';
import { startServer } from '../../../test/kit/server.ts';
import type { Blobs } from '../../ports/blobs/blobs.ts';
import * as store from './lease.store.ts';
import { BackupLease, backupState } from './lease.ts';
import { hasEnded } from './lease-holder.ts';

async function stored(blobs: Blobs): Promise<number> {
  return (await Array.fromAsync(blobs.list())).flat().length;
}

onEachEngine('the lease of a backup', (open) => {
  test('the lease of a backup keeps the bytes of replaced and purged attachments until it ends', async () => {
    await using server = await startServer({ open, trashLimits: { notes: 0, textBytes: 0, attachmentBytes: () => 0 } });
    const { alice, app, blobs, clock, db } = server;
    const { body } = await alice.post('/vaults', { name: 'Kept' });
    const inIt = { 'x-vault-id': body.vault.id };
    await uploadRaw(alice, 'a.png', fileOf('png'), inIt);
    await uploadRaw(alice, 'a.png', fileOf('png'), inIt);
    clock.advance({ minutes: 11 });
    {
      await using _lease = await BackupLease.acquire(db, clock);
      assert.equal(await app.attachments.collect(), 0);
      assert.equal(await stored(blobs), 2);
      await alice.delete(`/vaults/${body.vault.id}`);
      assert.equal((await alice.post(`/vaults/${body.vault.id}/purge`, {})).status, 200);
      clock.advance({ minutes: 2 });
      assert.equal(await app.attachments.collectOrphans(), 0);
      assert.equal(await stored(blobs), 2, 'a purge during a backup leaves the bytes');
    }
    clock.advance({ days: 40 });
    await app.attachments.collectOrphans();
    assert.equal(await stored(blobs), 0);
  });

  test('a failed backup is remembered until one ends well, and moves no time of the last one', async () => {
    await using server = await startServer({ open });
    const { clock, db } = server;
    const takenAt = clock.now();
    await using lease = await BackupLease.acquire(db, clock);
    await lease.succeeded(takenAt);
    clock.advance({ minutes: 1 });
    await lease.failed('damaged');
    const state = await backupState(db, clock);
    assert.deepEqual(state, { running: true, takenAt, failure: { at: clock.now(), reason: 'damaged' } });
    clock.advance({ minutes: 1 });
    await lease.succeeded(clock.now());
    assert.deepEqual(await backupState(db, clock), { running: true, takenAt: clock.now(), failure: null });
  });

  test('the lease of a backup ends at once when its process is gone', {
    skip: !existsSync('/proc/self/stat'),
  }, async () => {
    await using server = await startServer({ open });
    const { clock, db } = server;
    const code = `import { leaseHolder } from '${import.meta.resolve('./lease-holder.ts')}';
      process.stdout.write(leaseHolder('${clock.uuid()}'));`;
    const args = ['--input-type=module-typescript', '--eval', code];
    const holder = execFileSync(process.execPath, args, { encoding: 'utf8' });
    const now = clock.now();
    const times = { now, until: now + 60_000, due: Number.MAX_SAFE_INTEGER, latestLease: now, latestTaken: now };
    await db.transact((handle) => handle.run(store.acquire, { holder, ...times }));
    assert.equal((await backupState(db, clock)).running, false);
    await using _next = await BackupLease.acquire(db, clock);
    assert.equal((await backupState(db, clock)).running, true);
    await assert.rejects(BackupLease.acquire(db, clock), /Another backup of this data is running/);
    assert.equal(hasEnded(clock.uuid()), false, 'a holder that names no process');
  });

  test('the lease of a backup ends by itself when its process was killed', async () => {
    await using server = await startServer({ open });
    const { clock, db } = server;
    // Not disposed of, as if the process was gone; its timer is of the real time.
    const killed = await BackupLease.acquire(db, clock);
    assert.equal((await backupState(db, clock)).running, true);
    clock.advance({ minutes: 4 });
    assert.equal((await backupState(db, clock)).running, false);
    assert.throws(() => killed.check(), /could not be reached for minutes/);
    await using _next = await BackupLease.acquire(db, clock);
    await killed[Symbol.asyncDispose]();
    assert.equal((await backupState(db, clock)).running, true, 'the old holder does not end the lease of the next');
  });
});
