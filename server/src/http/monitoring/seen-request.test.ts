import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { onSqlite } from '../../../test/kit/engines.ts';
import { startServer, type TestServer } from '../../../test/kit/server.ts';
import { MASTER_KEY_BYTES, MasterKeyring } from '../../ports/keyring/master-key.ts';
import { PROBE_HEADER, probeValue } from './seen-request.ts';

async function health(server: TestServer, headers: Record<string, string>) {
  const answer = await fetch(`${server.url}/api/health`, { headers });
  assert.equal(answer.status, 200);
  return (await answer.json()) as { status: string; version: string; seen?: unknown };
}

onSqlite('GET /api/health', (open) => {
  test('GET /api/health says how it was reached to whoever has the master key, in every process', async () => {
    await using first = await startServer({ open, config: { trustProxy: ['127.0.0.1'] } });
    await using second = await startServer({ open, masterKey: first.masterKey, clock: first.clock });
    const value = probeValue(new MasterKeyring(first.masterKey, randomBytes), first.clock.now());
    const headers = { [PROBE_HEADER]: value, 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' };
    const seen = { peer: '127.0.0.1', forwardedFor: '203.0.113.7' };
    const trusting = await health(first, headers);
    assert.deepEqual(trusting.seen, { ...seen, host: new URL(first.url).host, scheme: 'https', isTrusted: true });
    const other = await health(second, headers);
    assert.deepEqual(other.seen, { ...seen, host: new URL(second.url).host, scheme: 'http', isTrusted: false });
  });

  test('GET /api/health says nothing of how it was reached without a fresh value under the master key', async () => {
    await using server = await startServer({ open });
    const keyring = new MasterKeyring(server.masterKey, randomBytes);
    const foreign = new MasterKeyring(randomBytes(MASTER_KEY_BYTES), randomBytes);
    const now = server.clock.now();
    const fresh = probeValue(keyring, now);
    const values = [
      ...[probeValue(foreign, now), probeValue(keyring, now - 301_000), probeValue(keyring, now + 301_000)],
      ...[`${now}`, `${now}.`, `${fresh}A`, ` 0${fresh}`, fresh.replace(/^\d+/, String(now + 1)), 'NaN', '.', '-'],
    ];
    for (const value of values) {
      assert.ok(!('seen' in (await health(server, { [PROBE_HEADER]: value }))), value);
    }
    assert.ok(!('seen' in (await health(server, {}))));
    assert.notEqual((await health(server, { [PROBE_HEADER]: fresh })).seen, undefined);
  });
});
