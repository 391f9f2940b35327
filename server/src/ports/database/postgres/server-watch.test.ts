import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PoolClient } from 'pg';
import { DatabaseError as SqlError } from 'pg';
import { ServerWatch } from './server-watch.ts';

const ignored = { timeRead: () => undefined, serverChanged: async () => undefined };

/** A connection to a server that gives these answers. */
function connectionTo(server: { standby?: number; system: string | null; timeline: string | null }): PoolClient {
  const refused = () => Promise.reject(new SqlError('permission denied', 0, 'error'));
  const query = async (sql: string) => {
    if (sql.includes('standby')) return { rows: [{ standby: server.standby ?? 0, recordable: 1, now: '1000' }] };
    const { system, timeline } = server;
    if (timeline === null || (system === null && sql.includes('pg_control_system'))) return refused();
    return { rows: [{ identity: sql.includes('pg_control_system') ? `${system} ${timeline}` : timeline }] };
  };
  return { query } as unknown as PoolClient;
}

test('a direct connection is checked when it is new, and a pooled one again after a second', async () => {
  for (const [isPooled, later] of [
    [false, null],
    [true, '1 00000002'],
  ] as const) {
    let now = 0;
    const watch = new ServerWatch(ignored, { isPooled, elapsed: () => now });
    const server = { system: '1', timeline: '00000001' };
    const connection = connectionTo(server);
    assert.equal(await watch.check(connection), '1 00000001');
    server.timeline = '00000002';
    assert.equal(await watch.check(connection), null);
    now += 1000;
    assert.equal(await watch.check(connection), later);
    assert.equal(await watch.check(connectionTo(server)), '1 00000002');
  }
});

test('a server that keeps its system identifier or its timeline to itself is known by the rest', async () => {
  const watch = new ServerWatch(ignored, { isPooled: false });
  assert.equal(await watch.check(connectionTo({ system: null, timeline: '00000003' })), '00000003');
  assert.equal(await watch.check(connectionTo({ system: null, timeline: null })), null);
});

test('a connection to a standby is refused each time', async () => {
  const watch = new ServerWatch(ignored, { isPooled: false });
  const connection = connectionTo({ standby: 1, system: '1', timeline: '00000001' });
  for (let nth = 0; nth < 2; nth += 1) await assert.rejects(watch.check(connection), { code: 'unavailable' });
});

test('the time of the server is reported with its round trip', async () => {
  const read: number[] = [];
  let now = 0;
  const timeRead = (...time: number[]) => read.push(...time);
  const watch = new ServerWatch({ ...ignored, timeRead }, { isPooled: false, elapsed: () => (now += 5) });
  await watch.check(connectionTo({ system: '1', timeline: '00000001' }));
  assert.deepEqual(read, [1000, 5]);
});
