import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { freshPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { freePort } from '../../kit/programs/free-port.ts';
import { cli, Folder, startServe } from '../../kit/programs/process.ts';

const skip = whyNoPostgres() ?? false;
if (skip !== false) process.stderr.write(`NOT TESTED: the doctor on PostgreSQL: ${skip}\n`);

describe('notevault doctor on PostgreSQL', { skip }, () => {
  test('finds how a request to the public address arrives at one of two servers', async () => {
    await using database = await freshPostgres();
    using folder = new Folder();
    const port = String(await freePort());
    const env = {
      NOTEVAULT_DATA_DIR: folder.at('data'),
      NOTEVAULT_DATABASE_URL: database.url,
      NOTEVAULT_PUBLIC_URL: `http://127.0.0.1:${port}`,
      NOTEVAULT_PORT: port,
    };
    {
      await using _first = await startServe({ env });
      await using _second = await startServe({ env: { ...env, NOTEVAULT_PORT: '0' } });
      const beside = await cli(['doctor'], { env });
      assert.match(beside.stdout, /ok {4}servers: 2 on this database\n/, beside.stdout + beside.stderr);
      assert.match(beside.stdout, new RegExp(`ok {4}host header: 127.0.0.1:${port}\\n`));
      assert.match(beside.stdout, /ok {4}web sockets: open\n/);
      assert.equal(beside.code, 0, beside.stdout);
    }
    const alone = await cli(['doctor'], { env });
    assert.match(alone.stdout, /ok {4}servers: none is running/);
    assert.equal(alone.code, 0, alone.stdout);
  });
});
