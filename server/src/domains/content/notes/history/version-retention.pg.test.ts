import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { addVersions } from '../../../../../test/kit/content/versions.ts';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { startServer, type TestServer, type TestServerOptions } from '../../../../../test/kit/server.ts';
import type { Database } from '../../../../ports/database/database.ts';
import type { WriteContext } from '../../entries/entries.ts';
import { findDueVersions } from './versions.store.ts';

/** A note that alice writes by operations: her session would end while the test's clock runs on. */
async function diary(server: TestServer) {
  const { app, clock, alice } = server;
  const { vault: made } = (await alice.post('/vaults', { name: 'Notes' })).body;
  const principal = await app.accounts.authenticate(`Bearer ${(await alice.signed()).accessToken}`);
  const vault = await app.vaults.openVault(principal, made.id, 'write');
  const context: WriteContext<unknown> = { vault, actor: { kind: 'session', name: 'test' }, device: null };
  const upsert = async (content: string) => {
    const { note } = await app.notes.upsert(context, { path: 'a.md', content, mtime: 1 });
    return note.id as NoteId;
  };
  return {
    upsert,
    context,
    left: async (id: NoteId) => (await app.notes.versions(vault, id)).map(({ version }) => version),
    /** Thins at a moment, given in hours since the test began. */
    async thinAt(hours: number): Promise<void> {
      clock.advance({ ms: START + hours * HOUR_MS - clock.now() });
      await app.notes.thinVersions();
    },
  };
}

const HOUR_MS = 3_600_000;
const DAY = 24;
/** When clocks of tests begin: at noon. */
const START = Date.UTC(2026, 0, 15, 12);

onEachEngine('thinning of versions', (open) => {
  const started = (config: TestServerOptions['config'] = {}) => startServer({ open, config });

  test('keeps all versions for a day, then the last of each hour, then the last of each day, then none', async () => {
    await using server = await started();
    const { upsert, left, thinAt } = await diary(server);
    let id = await upsert('0');
    // Every half hour from noon: versions 1 to 7; the last one stays the current one.
    for (let half = 1; half <= 6; half++) {
      server.clock.advance({ minutes: 30 });
      id = await upsert(`${half}`);
    }
    await thinAt(DAY - 0.01);
    assert.deepEqual(await left(id), [7, 6, 5, 4, 3, 2, 1]);
    await thinAt(DAY);
    assert.deepEqual(await left(id), [7, 6, 5, 4, 3, 2]);
    await thinAt(DAY + 1.9);
    assert.deepEqual(await left(id), [7, 6, 5, 4, 2]);
    await thinAt(DAY + 3);
    assert.deepEqual(await left(id), [7, 6, 4, 2]);
    await thinAt(30 * DAY);
    assert.deepEqual(await left(id), [7, 6, 4, 2]);
    await thinAt(30 * DAY + 3);
    // The current version was made on the same day, so it is the day’s last one.
    assert.deepEqual(await left(id), [7]);
  });

  test('keeps the last version of a day for a year', async () => {
    await using server = await started();
    const { upsert, left, thinAt } = await diary(server);
    let id = await upsert('0');
    for (let day = 1; day <= 3; day++) {
      for (const hours of [1, 23]) {
        server.clock.advance({ hours });
        id = await upsert(`${day} ${hours}`);
      }
    }
    await thinAt(40 * DAY);
    assert.deepEqual(await left(id), [7, 6, 4, 2]);
    await thinAt(364 * DAY);
    assert.deepEqual(await left(id), [7, 6, 4, 2]);
    await thinAt(366 * DAY);
    assert.deepEqual(await left(id), [7, 6, 4]);
    await thinAt(1000 * DAY);
    assert.deepEqual(await left(id), [7]);
  });

  test('keeps what a batch or a restore replaced until the longest retention is over', async () => {
    await using server = await started();
    const { upsert, left, thinAt, context } = await diary(server);
    const id = await upsert('1');
    await server.app.notes.upsertMany(context, [{ path: 'a.md', content: '2', mtime: 1 }]);
    await upsert('3');
    await server.app.notes.restore(context, id, 1);
    await upsert('5');
    await thinAt(2 * DAY);
    assert.deepEqual(await left(id), [5, 3, 1]);
    await thinAt(300 * DAY);
    assert.deepEqual(await left(id), [5, 3, 1]);
    await thinAt(365 * DAY);
    assert.deepEqual(await left(id), [5]);
  });

  test('takes the ages from options, and a second run finds nothing to do', async () => {
    await using server = await started({ versionsHourlyDays: 2, versionsDailyDays: 3 });
    const { upsert, left, thinAt } = await diary(server);
    let id = await upsert('0');
    for (let hour = 1; hour <= 3; hour++) {
      server.clock.advance({ hours: 1 });
      id = await upsert(`${hour}`);
    }
    await thinAt(2 * DAY - 0.01);
    assert.deepEqual(await left(id), [4, 3, 2, 1]);
    await thinAt(2 * DAY + 4);
    assert.deepEqual(await left(id), [4]);
    assert.equal(await server.app.notes.thinVersions(), 0);
    assert.equal(await dueNow(server.db, server.clock.now()), 0);
  });

  test('handles any number of versions in slices', async () => {
    await using server = await started();
    const { context, upsert, left, thinAt } = await diary(server);
    const id = await upsert('last');
    await addVersions(server, context.vault.id, id, 250);
    await thinAt(DAY);
    assert.deepEqual(await left(id), [251]);
  });
});

async function dueNow(db: Database, now: number): Promise<number> {
  return (await db.all(findDueVersions, { now, limit: 10 })).length;
}
