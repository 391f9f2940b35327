import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../test/kit/engines.ts';
import { startServer } from '../../test/kit/server.ts';
import { backupState, recordRestored } from '../backup/take/lease.ts';
import { DatabaseError } from '../ports/database/database.ts';
import { StorageState } from '../telemetry/storage-state.ts';
import { isDatabaseDamaged, readinessOf } from './readiness.ts';

const damage = () => Promise.reject(new DatabaseError('unavailable', 'damaged', undefined, { damaged: true }));
const away = () => Promise.reject(new DatabaseError('unavailable', 'away'));

onSqlite('the readiness of a damaged database', (open) => {
  test('the readiness of a damaged database is refused only when nothing of it can be read', async () => {
    await using server = await startServer({ open });
    const { blobs, clock } = server;
    const ready = async (get: () => Promise<never>, probe: () => Promise<void>) => {
      const storage = new StorageState({ elapsed: clock.elapsed, onDamage: () => undefined });
      const db = storage.watchDatabase({ ...server.db, engine: 'sqlite', get });
      return await readinessOf({ db, blobs, clock, keys: { probe }, storage })();
    };
    const sound = () => Promise.resolve();
    assert.equal((await ready(damage, sound)).database, 'damaged');
    await assert.rejects(ready(damage, damage), { damaged: true });
    await assert.rejects(ready(away, sound), { damaged: false });
  });

  test('a sound backup ends the state of damage that was found while the clock was ahead', async () => {
    await using server = await startServer({ open });
    const { db, clock } = server;
    const storage = new StorageState({ elapsed: clock.elapsed, onDamage: () => undefined });
    const isDamaged = async () => isDatabaseDamaged(storage, await backupState(db, clock), clock.now());
    await recordRestored(db, clock.now());
    assert.equal(await isDamaged(), false);
    clock.shiftWall({ days: 400 });
    await assert.rejects(storage.watchDatabase({ ...db, get: damage }).get({} as never, {}));
    assert.equal(await isDamaged(), true);
    clock.shiftWall({ days: -400 });
    clock.advance({ minutes: 1 });
    assert.equal(await isDamaged(), true, 'the backup is older');
    await recordRestored(db, clock.now());
    clock.advance({ minutes: 1 });
    assert.equal(await isDamaged(), false);
  });
});
