import assert from 'node:assert/strict';
import { test } from 'node:test';
import { migrations } from '../../../src/data/migrations.ts';
import { BlobError, type Blobs } from '../../../src/ports/blobs/blobs.ts';
import { databaseBlobs } from '../../../src/ports/blobs/database.ts';
import { testClock } from '../../kit/clock.ts';
import { interruptible } from '../../kit/database/interruptible-database.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { startServer } from '../../kit/server.ts';

onEachEngine('/readyz', (open) => {
  test('/readyz says what the server can do, and is refused while the database is away', async () => {
    const db = interruptible(await open());
    await using server = await startServer({ open: async () => db });
    const ready = () => server.anyone.get('/../readyz');
    const all = { status: 'ok', database: 'ok', migrations: 'ok', blobs: 'ok', storage: 'ok', backup: 'ok' };
    const { status, body } = await ready();
    assert.deepEqual([status, body], [200, all]);
    db.away = true;
    const refused = await ready();
    assert.deepEqual([refused.status, refused.body], [503, { error: 'unavailable' }]);
    db.away = false;
    assert.equal((await ready()).status, 200);
  });

  test('/readyz stays ready without the store of attachments, which it asks once in half a minute', async () => {
    const db = await open();
    const clock = testClock();
    const stored = databaseBlobs(db, clock);
    let reads = 0;
    let isAway = true;
    const read: Blobs['read'] = async (...given) => {
      reads += 1;
      if (isAway) throw new BlobError('unavailable', 'It is away.');
      return await stored.read(...given);
    };
    const blobs = new Proxy(stored, {
      get(target, name) {
        const own: unknown = name === 'read' ? read : Reflect.get(target, name, target);
        return typeof own === 'function' ? own.bind(target) : own;
      },
    });
    await using server = await startServer({ open: async () => db, clock, blobs });
    const state = async () => (await server.anyone.get('/../readyz')).body.blobs;
    assert.deepEqual([await state(), await state(), reads], ['unavailable', 'unavailable', 1]);
    isAway = false;
    clock.advance({ seconds: 30 });
    assert.deepEqual([await state(), reads], ['ok', 2]);
  });

  test('/readyz reports a schema that a newer version has changed', async () => {
    const db = await open();
    await using server = await startServer({ open: async () => db });
    const later = { number: migrations.length + 1, name: 'later', version: '9.9.9', ddl: '' };
    await db.migrate([...migrations, later]);
    const { status, body } = await server.anyone.get('/../readyz');
    assert.deepEqual([status, body.migrations], [200, 'newer']);
  });
});
