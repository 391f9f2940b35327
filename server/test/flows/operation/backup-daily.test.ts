import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Caller } from '../../kit/person.ts';
import { Folder, startServe } from '../../kit/programs/process.ts';
import { registerAt } from '../../kit/setup-tokens.ts';

test('a server with NOTEVAULT_BACKUP_DIR takes the missed backup after its start, and admins see when', async () => {
  using folder = new Folder();
  const backups = folder.at('backups');
  const env = { NOTEVAULT_DATA_DIR: folder.at('data'), NOTEVAULT_BACKUP_DIR: backups };
  await using server = await startServe({ env });
  const credentials = { email: 'alice@example.org', password: 'a long enough password' };
  const { body } = await registerAt(server.url, credentials);
  const alice = new Caller(server.url, async () => ({ authorization: `Bearer ${body.access_token}` }));
  const lastBackup = async () => (await alice.get('/admin/health')).body.last_backup_at as string | null;
  // It is taken at the lowest priority, so on a busy machine only the runner of the tests says when it hangs.
  while ((await lastBackup()) === null) await delay(50);
  const [taken = ''] = readdirSync(backups).filter((name) => name.endsWith('Z'));
  assert.equal((await lastBackup())?.replaceAll(/[-:.]/g, ''), taken);
  assert.ok(existsSync(folder.at('backups', taken, 'manifest.json')));
});
