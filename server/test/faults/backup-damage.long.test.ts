import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { restoreBackup } from '../../src/backup/restore/restore.ts';
import { verifyBackup } from '../../src/backup/verify/verify-backup.ts';
import { readConfig } from '../../src/config/config.ts';
import { keyFile } from '../../src/open-ports.ts';
import { fileOf, uploadRaw } from '../kit/content/files.ts';
import { Caller } from '../kit/person.ts';
import { cli, Folder, startServe } from '../kit/programs/process.ts';
import { Random, seedOfRun } from '../kit/random.ts';
import { registerAt } from '../kit/setup-tokens.ts';

const TRIES = 1000;

test(`verify and restore refuse a backup with one damaged byte, ${TRIES} times, and name the file`, async (t) => {
  const random = new Random(seedOfRun(t));
  using folder = new Folder();
  const env = { NOTEVAULT_DATA_DIR: folder.at('data') };
  await fill(env);
  assert.equal((await cli(['backup', folder.at('backups')], { env })).code, 0);
  const files = readdirSync(folder.at('backups'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'lock.sqlite')
    .map((entry) => join(entry.parentPath, entry.name));
  const config = readConfig({
    NOTEVAULT_DATA_DIR: folder.at('restored'),
    NOTEVAULT_MASTER_KEY: readFileSync(keyFile(env.NOTEVAULT_DATA_DIR), 'utf8').trim(),
  });
  for (let each = 0; each < TRIES; each++) {
    const file = random.pick(files);
    const bytes = readFileSync(file);
    const at = random.below(statSync(file).size);
    const before = bytes.readUInt8(at);
    bytes.writeUInt8(before ^ (1 << random.below(8)), at);
    writeFileSync(file, bytes);
    const request = { path: folder.at('backups'), config, passphrase: null };
    const isNamed = (error: unknown) => error instanceof Error && error.message.includes(basename(file));
    await assert.rejects(verifyBackup({ ...request, deep: false }), isNamed, `${file} at ${at}`);
    await assert.rejects(restoreBackup({ ...request, revokeCredentials: false }), isNamed, `${file} at ${at}`);
    assert.deepEqual(readdirSync(config.dataDir), ['lock.sqlite']);
    bytes.writeUInt8(before, at);
    writeFileSync(file, bytes);
  }
  const whole = await verifyBackup({ path: folder.at('backups'), config, passphrase: null, deep: true });
  assert.deepEqual(whole.opened?.faults, []);
});

async function fill(env: { NOTEVAULT_DATA_DIR: string }): Promise<void> {
  await using server = await startServe({ env });
  const credentials = { email: 'alice@example.org', password: 'a long enough password' };
  const { body } = await registerAt(server.url, credentials);
  const alice = new Caller(server.url, async () => ({ authorization: `Bearer ${body.access_token}` }));
  await alice.post('/vaults', { name: 'Diary' });
  for (let at = 0; at < 20; at++) await alice.post('/notes', { path: `n${at}.md`, content: `Note ${at}`, mtime: 1 });
  for (const name of ['a.png', 'b.png']) await uploadRaw(alice, name, fileOf('png', 50_000));
  await server.stop();
}
