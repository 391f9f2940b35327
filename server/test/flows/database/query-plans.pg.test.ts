/**
 * No statement of any store may scan a table, or all rows of a vault, to find a few rows; checked in the query plans of
 * both engines.
 */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrations } from '../../../src/data/migrations.ts';
import type { Database } from '../../../src/ports/database/database.ts';
import { openPostgres } from '../../../src/ports/database/postgres/postgres.ts';
import { BY_INDEX } from '../../../src/ports/database/postgres/session.ts';
import { openSqlite } from '../../../src/ports/database/sqlite/sqlite.ts';
import type { Engine } from '../../../src/ports/database/statement.ts';
import { freshPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { openRaw, type Raw } from '../../kit/database/raw-sql.ts';
import { storeStatements } from '../../kit/database/store-statements.ts';
import { scratchFolder } from '../../kit/scratch.ts';

/** Statements that may scan a table or a vault, with the reason. An entry that is no longer needed fails the test. */
const WALKS: Readonly<Record<string, string>> = {
  'accounts.findFirstAccount': 'the table has one row at most',
  'accounts.lockAdmins': 'the table has one row at most',
  'accounts.findOtherAdmin': 'asked when an admin is taken away, by an operator or by deleting an account',
  'accounts.findSomeUsers': 'asked on the command line, for the only account',
  'accounts.findErasures': 'takes a slice of what waits to be sent: each row is there to be sent',
  'accounts.countUsers': 'an admin asks for the state of the server, which counts all accounts',
  'accounts.countSessions': 'an admin asks for the state of the server, which counts all sessions',
  'accounts.listInvites': 'an admin lists the invites; there are as many as were made in a week',
  'accounts.deleteExpiredInvites': 'asked when an operator makes an invite; there are as many as were made in a week',
  'accounts.markAllConfirmed': 'asked on the command line: the operator confirms every address',
  'accounts.countSubjects': 'a job counts the attempts of the last day, a hundred thousand at most',
  'accounts.deleteBeyond': 'a job deletes attempts beyond a hundred thousand',
  'mails.countMails': 'an admin asks for the state of the server; mails wait for a day at most',
  'imports.findArchives': 'a job looks through the imports of the last day, of which each account runs one at a time',
  'keys.keysUnderOtherMasters': 'a rotation of the master key goes through every key',
  'keys.countByMaster': 'asked once at each start: under which master keys the data is',
  'keys.keysAfter': 'an examination of the data goes through every key',
  'oauth.deleteUnusedBeyond': 'a registration counts the clients that nobody let in, a few thousand at most',
  'idempotency.purgeOfVault': 'a purge takes all rows of the vault, a slice at a time',
  'blobs.findSome': 'a purge takes all rows of the vault, a slice at a time',
  'vaults.beginEpochs': 'asked on the command line: every vault of restored data begins another epoch',
  'vaults.sumActiveOfAll': 'an admin asks for the state of the server, which counts what all vaults hold',
  'vaults.findRequested': 'whether anything waits in the vault, which the first row answers',
  'vaults.findDefaultOpenable': 'whether anything waits in the vault, which the first row answers',
  'vaults.deleteVault': 'its foreign keys look for rows left of the vault; it goes last, when there are none',
  'database.replaceIdentity': 'the table has one row at most',
  'entries.findSomeEntries': 'a purge takes all rows of the vault, a slice at a time',
  'links.findResolutions': 'takes a slice of the names that wait in the vault, which are there to be resolved',
  'links.findCanvases': 'a move of thousands of entries looks at every canvas of the vault',
  'links.findSomeCanvas': 'whether there is any canvas in the vault, which the first row answers',
  'members.listInvitations': 'an owner lists what waits, a thousand at most',
  'members.findLatestInvitation': 'the last of an index by time, which the first row answers',
  'members.findLatestRemoval': 'asked when an owner invites; a vault has as many as people have left it',
  'credentials.deleteTicketsOf': 'asked when somebody is removed from a vault; its tickets last for minutes',
  'uploads.findAnnounced': 'the uploads into a vault, of which each account has sixteen open at most',
  'uploads.findInto': 'the uploads into some vaults, of which each account has sixteen open at most',
  'public-links.listLinks': 'an owner or admin lists the links of a vault, a thousand at most',
  'public-links.deleteLinksIn': 'an admin ends the links of a vault, a thousand at most',
  'notes.findWaitingIn': 'asks for whatever waits in the vault: nothing, or what was typed in the last seconds',
  'notes.findSomeVersions': 'a purge takes all rows of the vault, a slice at a time',
  'entries.purgeSpentIds': 'a purge takes all rows of the vault, a slice at a time',
  'search.deleteSomeVectors': 'a purge takes all rows of the vault, a slice at a time',
  'sync.findOldDevices': 'asked when a new device comes; a vault has a thousand at most',
  'sync.purgeDevices': 'a purge takes all rows of the vault, of which there are a thousand at most',
  'activity-log.purgeRows': 'a purge takes all rows of the vault, a slice at a time',
  'attachments.purgeBlobRows': 'a purge takes all rows of the vault, a slice at a time',
};

/** Statements allowed to walk on PostgreSQL only, whose plan shows less of an index than SQLite's. */
const WALKS_ON_POSTGRES: Readonly<Record<string, string>> = {
  'vaults.findLatestEpoch': 'asked once a day, before all stored bytes are listed',
  'search.findRetries': 'the index has only notes whose vectors failed',
  'links.countDangling': 'an owner asks how many links of the vault have no target, which reads its links',
};

/** Tables with one row per vault, or with its members, a hundred at most: a condition on the vault alone is enough. */
const ROW_PER_VAULT = [
  ...['vaults', 'vault_feeds', 'search_indexes', 'search_embeddings', 'progress', 'stored', 'f', 'v'],
  ...['vault_members', 'm'],
];

/** The tables and vaults that SQLite's plan scans from end to end. */
async function walksOnSqlite(raw: Raw, sql: string): Promise<string[]> {
  const rows = await raw.all(`explain query plan ${sql}`);
  return rows
    .map((row) => String(row.detail))
    .filter((detail) => {
      if (/^SCAN (?!\d+-ROW VALUES CLAUSE|\d+ CONSTANT ROWS|CONSTANT ROW|\(|(?:first_)?referring\b)/.test(detail))
        return true;
      const [, table = '', columns] = /^SEARCH (\w+) USING .*\((.*)\)/.exec(detail) ?? [];
      return columns === 'vault_id=?' && !ROW_PER_VAULT.includes(table);
    });
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

const isRowPerVault = (name: string) => ROW_PER_VAULT.some((table) => name === table || name === `${table}_pkey`);

/** Like walksOnSqlite, on tables without rows, whose plans prepared statements keep. */
async function walksOnPostgres(raw: Raw, sql: string): Promise<string[]> {
  const [row] = await raw.all(`explain (generic_plan, format json) ${sql}`);
  const plan = (row?.['QUERY PLAN'] as unknown as { Plan: PlanNode }[] | undefined)?.[0]?.Plan;
  assert.ok(plan !== undefined);
  const walks = (node: PlanNode): string[] => {
    const kind = node['Node Type'];
    const table = node['Relation Name'] ?? node['Index Name'] ?? '';
    const condition = node['Index Cond'];
    const isIndexed = /Index (Only )?Scan$/.test(kind);
    const ofVault = isIndexed && /^\(+(\w+\.)?vault_id = [^()]*\)+$/.test(condition ?? '') && !isRowPerVault(table);
    const whole = kind === 'Seq Scan' || ofVault || (isIndexed && condition === undefined);
    return [...(whole ? [`${kind} of ${table}`] : []), ...(node.Plans ?? []).flatMap(walks)];
  };
  return walks(plan);
}

async function migrated(db: Database): Promise<void> {
  await db.migrate(migrations);
  await db[Symbol.asyncDispose]();
}

async function check(engine: Engine, walksOf: (sql: string) => Promise<string[]>): Promise<Set<string>> {
  const all = await storeStatements();
  assert.ok(all.length > 80, 'the stores were found');
  const walking = new Set<string>();
  const faults: string[] = [];
  for (const { name, sql } of all) {
    const walks = await walksOf(sql(engine));
    if (walks.length === 0) continue;
    walking.add(name);
    if (!(name in WALKS) && !(engine === 'postgres' && name in WALKS_ON_POSTGRES))
      faults.push(`${name}: ${walks.join('; ')}`);
  }
  assert.deepEqual(faults, []);
  for (const name of Object.keys(WALKS))
    assert.ok(
      all.some((each) => each.name === name),
      `${name} is no statement`,
    );
  return walking;
}

test('every statement of every store uses an index on SQLite', async () => {
  const folder = scratchFolder('test');
  const file = join(folder, 'test.sqlite');
  try {
    await migrated(await openSqlite({ file }));
    await using raw = await openRaw({ file });
    const walking = await check('sqlite', (sql) => walksOnSqlite(raw, sql));
    assert.deepEqual([...walking].sort(), Object.keys(WALKS).sort(), 'exceptions that are none any more');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

test('every statement of every store uses an index on PostgreSQL', { skip: whyNoPostgres() ?? false }, async () => {
  await using fresh = await freshPostgres();
  await migrated(await openPostgres({ url: fresh.url }));
  await using raw = await openRaw(fresh);
  for (const setting of BY_INDEX) await raw.run(setting);
  await check('postgres', (sql) => walksOnPostgres(raw, sql));
});
