import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onSqlite } from '../../test/kit/engines.ts';
import { startServer } from '../../test/kit/server.ts';
import { DatabaseError } from '../ports/database/database.ts';
import { StorageState } from '../telemetry/storage-state.ts';
import { readinessOf } from './readiness.ts';

const damage = () => Promise.reject(new DatabaseError('unavailable', 'damaged', undefined, { damaged: true }));
const away = () => Promise.reject(new DatabaseError('unavailable', 'away'));

onSqlite('the readiness of a damaged database', (open) => {
  test('the readiness of a damaged database is refused only when nothing of it can be read', async () => {
    await using server = await startServer({ open });
    const { blobs, clock } = server;
    const ready = async (get: () => Promise<never>, probe: () => Promise<void>) => {
      const storage = new StorageState(clock.now, () => undefined);
      const db = storage.watchDatabase({ ...server.db, engine: 'sqlite', get });
      return await readinessOf({ db, blobs, clock, keys: { probe }, storage })();
    };
    const sound = () => Promise.resolve();
    assert.equal((await ready(damage, sound)).database, 'damaged');
    await assert.rejects(ready(damage, damage), { damaged: true });
    await assert.rejects(ready(away, sound), { damaged: false });
  });
});
