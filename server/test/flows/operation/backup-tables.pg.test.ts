import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { restoreBackup } from '../../../src/backup/restore/restore.ts';
import { backUpIntoFolder } from '../../../src/backup/take/run-backup.ts';
import { verifyBackup } from '../../../src/backup/verify/verify-backup.ts';
import { readConfig } from '../../../src/config/config.ts';
import { databaseFile } from '../../../src/data/data-folder.ts';
import { openDatabase } from '../../../src/open-ports.ts';
import { systemClock } from '../../../src/ports/clock/clock.ts';
import { MASTER_KEY_BYTES } from '../../../src/ports/keyring/master-key.ts';
import { MailError } from '../../../src/ports/mail/mail.ts';
import { fillEveryTable } from '../../kit/database/every-table.ts';
import { freshPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { openRaw } from '../../kit/database/raw-sql.ts';
import { Mailbox } from '../../kit/mailbox.ts';
import { Folder } from '../../kit/programs/process.ts';
import { startServer } from '../../kit/server.ts';

/** Tables that a restore empties wholly or partly: credentials that may have been revoked since. */
const NOT_KEPT = new Set([
  ...['access_tokens', 'device_authorizations', 'invites', 'oauth_transients', 'password_resets'],
  ...['email_confirmations', 'login_tokens', 'outgoing_mails'],
  ...['refresh_tokens', 'sessions', 'sign_in_tickets', 'tickets', 'uploads', 'upload_parts', 'backup_state'],
  'server_identity',
]);
const TABLES = {
  sqlite: "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'",
  postgres: "select relname::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace",
};

type Place = { readonly file: string } | { readonly url: string };

const BLOB_TABLES = ['blobs', 'blob_chunks'];
const ENGINES = ['sqlite', 'postgres'] as const;
const masterKey = systemClock().random(MASTER_KEY_BYTES);

/** A place for data, with its configuration. */
async function make(
  name: string,
  engine: (typeof ENGINES)[number],
  blobs: 'disk' | 'database',
  opened: AsyncDisposableStack,
  folder: Folder,
) {
  const postgres = engine === 'postgres' ? opened.use(await freshPostgres()) : null;
  const dataDir = folder.at(name);
  mkdirSync(dataDir, { mode: 0o700 });
  const config = readConfig({
    ...{ NOTEVAULT_DATA_DIR: dataDir, NOTEVAULT_BLOBS: blobs },
    NOTEVAULT_MASTER_KEY: masterKey.toString('base64'),
    ...(postgres === null ? {} : { NOTEVAULT_DATABASE_URL: postgres.url }),
  });
  return { config, place: postgres ?? { file: databaseFile(dataDir) } };
}

/** Backs up a place with rows in every table. Resolves to how many each table has. */
async function backUpFilled({ config, place }: Awaited<ReturnType<typeof make>>, backups: string) {
  await using db = await openDatabase(config);
  const mailer = new Mailbox();
  mailer.failure = new MailError('unreachable');
  const stored = { open: async () => db, masterKey, blobs: 'database' } as const;
  const options = { ...stored, mailer, config: { analytics: 'log', publicUrl: 'https://notes.example.org' } } as const;
  await using server = await startServer(options);
  using _editor = await fillEveryTable(server);
  await backUpIntoFolder(backups, null, { config, passphrase: null });
  return await countRows(place);
}

/** The rows that a restore of some data keeps, except those of tables with other names. */
function keptOf(counts: Map<string, number>, without: readonly string[] = []) {
  return [...counts].filter(([name]) => !NOT_KEPT.has(name) && !without.includes(name)).sort();
}

/** Trying restored data folds an edit into its note, whose text before is a version. */
function folded(counts: Map<string, number>): Map<string, number> {
  const flushed = counts.get('note_updates') ?? 0;
  const plus = (table: string) => (counts.get(table) ?? 0) + flushed;
  const more = [
    ['note_versions', plus('note_versions')],
    ['activity', plus('activity')],
  ] as const;
  return new Map([...counts, ...more, ['note_updates', 0]]);
}

/** How many rows each table has. */
async function countRows(place: Place): Promise<Map<string, number>> {
  await using raw = await openRaw(place);
  const counts = new Map<string, number>();
  for (const { name } of await raw.all('url' in place ? TABLES.postgres : TABLES.sqlite)) {
    const [row] = await raw.all(`select count(*) as count from ${String(name)}`);
    counts.set(String(name), Number(row?.count));
  }
  return counts;
}

const noPostgres = whyNoPostgres() ?? false;

describe('a backup of data with rows in every table', () => {
  for (const engine of ENGINES) {
    const skip = engine === 'postgres' && noPostgres;
    test(`a backup of data with rows in every table is good, and is restored with all of them on ${engine}`, {
      skip,
    }, async () => {
      using folder = new Folder();
      await using opened = new AsyncDisposableStack();
      const from = await make('data', engine, 'database', opened, folder);
      const to = await make('elsewhere', engine, 'database', opened, folder);
      const before = await backUpFilled(from, folder.at('backups'));
      const empty = [...before].filter(([, rows]) => rows === 0).map(([name]) => name);
      // Only the servers of a PostgreSQL database are told apart.
      const unused = engine === 'sqlite' ? ['server_identity'] : [];
      assert.deepEqual(empty, unused, 'fillEveryTable writes rows to every table of the schema');

      const request = { path: folder.at('backups'), config: to.config, passphrase: null };
      assert.deepEqual((await verifyBackup({ ...request, deep: true })).opened?.faults, []);
      await restoreBackup({ ...request, revokeCredentials: false });
      assert.deepEqual(keptOf(await countRows(to.place)), keptOf(folded(before)));
    });
  }

  test('a backup moves from SQLite to PostgreSQL and back, and its attachments out of the database and back', {
    skip: noPostgres,
  }, async () => {
    using folder = new Folder();
    await using opened = new AsyncDisposableStack();
    const from = await make('first', 'sqlite', 'database', opened, folder);
    const between = await make('second', 'postgres', 'disk', opened, folder);
    const to = await make('third', 'sqlite', 'database', opened, folder);
    const before = folded(await backUpFilled(from, folder.at('backups')));
    const restore = { passphrase: null, revokeCredentials: false };
    await restoreBackup({ ...restore, path: folder.at('backups'), config: between.config });
    const moved = await countRows(between.place);
    assert.deepEqual(keptOf(moved, BLOB_TABLES), keptOf(before, BLOB_TABLES));
    assert.deepEqual(
      BLOB_TABLES.map((name) => moved.get(name)),
      [0, 0],
    );

    await backUpIntoFolder(folder.at('again'), null, { config: between.config, passphrase: null });
    const again = { ...restore, path: folder.at('again'), config: to.config };
    assert.deepEqual((await verifyBackup({ ...again, deep: true })).opened?.faults, []);
    await restoreBackup(again);
    // A backup of attachments apart has none of the parts of uploads, which are in the database otherwise.
    const after = await countRows(to.place);
    assert.deepEqual(keptOf(after, BLOB_TABLES), keptOf(before, BLOB_TABLES));
    assert.notEqual(after.get('blobs'), 0);
  });
});
