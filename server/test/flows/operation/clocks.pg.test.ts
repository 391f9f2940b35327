import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, test } from 'node:test';
import { readConfig } from '../../../src/config/config.ts';
import { PROBE_HEADER, probeValue } from '../../../src/http/monitoring/seen-request.ts';
import { openDatabase, sharedClock } from '../../../src/open-ports.ts';
import { MasterKeyring } from '../../../src/ports/keyring/master-key.ts';
import { type TestClock, testClock } from '../../kit/clock.ts';
import { migratedPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { Folder } from '../../kit/programs/process.ts';
import { startServer } from '../../kit/server.ts';

describe('servers of one database', { skip: whyNoPostgres() ?? false }, () => {
  test('sessions and the probe of doctor are valid on servers whose clocks are two hours apart', async () => {
    await using fresh = await migratedPostgres();
    using folder = new Folder();
    await using opened = new AsyncDisposableStack();
    const config = readConfig({ NOTEVAULT_DATA_DIR: folder.path, NOTEVAULT_DATABASE_URL: fresh.url });
    const start = async (hours: number, masterKey?: Buffer) => {
      const clock = sharedClock(config, testClock(Date.now() + hours * 3_600_000));
      const db = opened.use(await openDatabase(config, clock));
      const beside = masterKey === undefined ? {} : { masterKey };
      const kit = { open: async () => db, clock: clock as TestClock, blobs: 'database', ...beside } as const;
      return opened.use(await startServer(kit));
    };
    const first = await start(0);
    await first.alice.post('/vaults', { name: 'Home' });
    const others = [await start(2, first.masterKey), await start(-2, first.masterKey)];
    const keyring = new MasterKeyring(first.masterKey, randomBytes);
    for (const from of [first, ...others]) {
      const headers = { [PROBE_HEADER]: probeValue(keyring, from.clock.now()) };
      for (const at of others) {
        const { body } = await at.anyone.get('/health', headers);
        assert.ok(body.seen !== undefined, '`notevault doctor` beside one server is answered by the others');
      }
    }
    const { email, password } = first.alice;
    for (const from of [first, ...others]) {
      const login = await from.anyone.post('/auth/login', { email, password });
      for (const at of [first, ...others]) {
        assert.equal((await at.bearer(login.body.access_token).get('/vaults')).status, 200);
      }
      const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? '';
      for (const at of others) assert.equal((await at.anyone.post('/auth/refresh', undefined, { cookie })).status, 200);
    }
  });
});
