import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { before, describe, it } from 'node:test';
import { DataDamaged } from '../../src/backup/format.ts';
import { backUpIntoFolder } from '../../src/backup/take/run-backup.ts';
import { readConfig } from '../../src/config/config.ts';
import { databaseFile } from '../../src/data/data-folder.ts';
import { DAMAGES, prepareForDamage } from '../kit/database/damage.ts';
import { freshPostgres, whyNoPostgres } from '../kit/database/postgres.ts';
import { openRaw } from '../kit/database/raw-sql.ts';
import { assertFails, cli, Folder, startServe, suiteFolder } from '../kit/programs/process.ts';
import { aliceAt } from '../kit/signed-in.ts';

const folder = suiteFolder();
const sound = folder.at('sound');
const backups = folder.at('backups');

/** Text that does not compress much, so that long notes need overflow pages. */
const text = (bytes: number) => randomBytes(bytes).toString('base64');

/** A copy of the data with damage in its database. */
function damaged(name: string, damage: (file: string) => void) {
  const dataDir = folder.at(name);
  cpSync(sound, dataDir, { recursive: true });
  damage(databaseFile(dataDir));
  return { config: readConfig({ NOTEVAULT_DATA_DIR: dataDir }), env: { NOTEVAULT_DATA_DIR: dataDir } };
}

async function stateIn(dataDir: string) {
  await using raw = await openRaw({ file: databaseFile(dataDir) });
  const [row] = await raw.all('select taken_at, failure from backup_state');
  return row;
}

describe('a backup of a damaged database', () => {
  let kept: string[];
  let takenAt: unknown;
  before(async () => {
    const env = { NOTEVAULT_DATA_DIR: sound };
    await using server = await startServe({ env });
    const alice = await aliceAt(server.url);
    assert.equal((await alice.post('/vaults', { name: 'Diary' })).status, 201);
    for (let batch = 0; batch < 4; batch++) {
      const notes = Array.from({ length: 50 }, (_, at) => {
        return {
          path: `${batch}-${at}.md`,
          content: `[[${at}]] ${text(at % 10 === 0 ? 8000 : 300)}`,
          mtime: 1,
        };
      });
      const { status, body } = await alice.post('/notes/batch', { notes }, { 'x-idempotency-key': `b${batch}` });
      assert.equal(status, 200, JSON.stringify(body));
    }
    await server.stop();
    prepareForDamage(databaseFile(sound));
    await backUpIntoFolder(backups, 1, { config: readConfig(env), passphrase: null });
    kept = readdirSync(backups, { recursive: true }).map(String).sort();
    takenAt = (await stateIn(sound))?.taken_at;
  });

  for (const [name, damage] of Object.entries(DAMAGES)) {
    it(`a backup of a database with ${name} fails, is recorded as failed, and removes nothing`, async () => {
      const { config } = damaged(name.replaceAll(' ', '-'), damage);
      const backup = backUpIntoFolder(backups, 1, { config, passphrase: null });
      const isCut = name === 'a file that was cut';
      await assert.rejects(backup, isCut ? { name: 'DatabaseError', damaged: true } : DataDamaged);
      assert.deepEqual(readdirSync(backups, { recursive: true }).map(String).sort(), kept);
      // A cut file cannot be opened, so nothing can be recorded in it.
      if (isCut) return;
      assert.deepEqual({ ...(await stateIn(config.dataDir)) }, { taken_at: takenAt, failure: 'damaged' });
    });
  }

  it('a backup of a database with a damaged value fails with --deep only', async () => {
    const { env } = damaged('value', () => undefined);
    {
      await using raw = await openRaw({ file: databaseFile(env.NOTEVAULT_DATA_DIR) });
      const changed =
        'update link_texts set texts = zeroblob(length(texts)) where source_id = (select max(source_id) from link_texts)';
      assert.ok((await raw.run(changed)) > 0);
    }
    assertFails(
      await cli(['backup', backups, '--keep', '1', '--deep'], { env }),
      /The data is damaged, so no backup was taken .*a value of link_texts\.texts\. Stop every notevault process/,
    );
    assert.deepEqual(readdirSync(backups, { recursive: true }).map(String).sort(), kept);
    const there = folder.at('value-backups');
    assert.equal((await cli(['backup', there], { env })).code, 0);
    assertFails(await cli(['verify', there, '--deep'], { env }), /a value of link_texts\.texts does not open/);
  });

  it('a daily backup of a damaged database fails, is told to admins, and removes nothing', async () => {
    const { env } = damaged('daily', DAMAGES['an overwritten leaf page']);
    {
      await using raw = await openRaw({ file: databaseFile(env.NOTEVAULT_DATA_DIR) });
      await raw.run('update backup_state set taken_at = taken_at - $1', 2 * 24 * 3_600_000);
    }
    const daily = { ...env, NOTEVAULT_BACKUP_DIR: backups, NOTEVAULT_BACKUP_KEEP: '1' };
    await using server = await startServe({ env: daily });
    const alice = await aliceAt(server.url);
    const health = async () => (await alice.get('/admin/health')).body;
    const said = new Promise<void>((resolve) => {
      let all = '';
      server.child.stderr?.on('data', (text: string) => {
        all += text;
        if (/The daily backup failed: .*The data is damaged/.test(all)) resolve();
      });
    });
    await said;
    assert.match((await health()).backup_failed_at, /^\d{4}-/);
    assert.equal(Date.parse((await health()).last_backup_at), Number(takenAt) - 2 * 24 * 3_600_000);
    const { stdout } = await server.stop();
    assert.match(stdout, /"job":"backup","msg":"background job failed"/);
    assert.deepEqual(readdirSync(backups, { recursive: true }).map(String).sort(), kept);
  });

  it('a failed backup is told by status, doctor, /readyz, metrics and admins', async () => {
    const { env } = damaged('told', DAMAGES['an overwritten overflow page']);
    assert.equal((await cli(['backup', backups], { env })).code, 1);
    await using server = await startServe({ env: { ...env, NOTEVAULT_METRICS_TOKEN: 'metrics-token' } });
    const alice = await aliceAt(server.url);
    const { body } = await alice.get('/admin/health');
    assert.equal(Date.parse(body.last_backup_at), takenAt);
    assert.match(body.backup_failed_at, /^\d{4}-/);
    const ready = await fetch(`${server.url}/readyz`);
    const { backup, database } = (await ready.json()) as Record<string, string>;
    assert.deepEqual([ready.status, backup, database], [200, 'failed', 'damaged']);
    const headers = { authorization: 'Bearer metrics-token' };
    const metrics = await (await fetch(`${server.url}/metrics`, { headers })).text();
    assert.match(metrics, /^notevault_backup_failed 1$/m);
    assert.match(metrics, /^notevault_database_damaged 1$/m);
    const port = new URL(server.url).port;
    const status = await cli(['status', '--port', port], { env });
    assert.match(status.stdout, /^backup +FAULT: the last one failed at .*the data is damaged/m);
    assert.match(status.stdout, /^serves +FAULT: database damaged/m);
    const beside = await cli(['doctor', '--port', port], { env });
    assert.equal(beside.code, 1);
    assert.match(beside.stdout, /^FAULT backup: the last one failed at /m);
    assert.match(beside.stdout, /^FAULT stored pages: damaged: /m);
  });
});

describe('a backup of a damaged database on postgres', { skip: whyNoPostgres() ?? false }, () => {
  for (const table of ['entries', 'note_versions']) {
    it(`a backup of a PostgreSQL database fails when a page of ${table} cannot be read, and removes nothing`, async () => {
      using files = new Folder();
      await using fresh = await freshPostgres();
      const env = { NOTEVAULT_DATA_DIR: files.at('data'), NOTEVAULT_DATABASE_URL: fresh.url };
      const made = await cli(['admin', 'create-user', 'alice@example.org', '--password-stdin'], {
        env,
        input: 'long enough',
      });
      assert.equal(made.code, 0, made.stderr);
      const options = { config: readConfig(env), passphrase: null };
      const { name } = await backUpIntoFolder(files.at('backups'), 1, options);
      await using raw = await openRaw(fresh);
      await raw.run('update pg_class set relfilenode = 999999999 where relname = $1', table);
      await assert.rejects(backUpIntoFolder(files.at('backups'), 1, options), DataDamaged);
      assert.ok(existsSync(files.at('backups', name, 'manifest.json')));
      const [state] = await raw.all('select failure from backup_state');
      assert.deepEqual(state, { failure: 'damaged' });
    });
  }
});
