/**
 * On a distributed PostgreSQL the tables of vaults are distributed by vault: every statement on one must name its vault,
 * so that it runs on one shard. Tested on the query plans of all statements.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BY_INDEX } from '../../../src/ports/database/postgres/session.ts';
import { migratedPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { openRaw, type Raw } from '../../kit/database/raw-sql.ts';
import { storeStatements } from '../../kit/database/store-statements.ts';

/** Statements that ask all shards, with the reason. An entry that is no longer needed fails the test. */
const ALL_SHARDS: Readonly<Record<string, string>> = {
  'notes.findVaultOf': 'the vault of a note, for sockets that name only the note: the directory of ids answers it',
  'notes.findForWrites': 'whether an id that a client sends is taken or spent anywhere: the directory answers it',
  'entries.insertEntry': 'the same, in the transaction that takes the id',
  'notes.findStates': 'a job compares the open documents of this process, some of each shard',
  'notes.findDueVersions': 'a job, which runs on each shard',
  'notes.findWaitingBetween': 'a job, which runs on each shard',
  'entries.findExpired': 'a job, which runs on each shard',
  'entries.findPurged': 'a job, which runs on each shard',
  'attachments.findDeleting': 'a job, which runs on each shard',
  'attachments.markStaleDeleting': 'a job, which runs on each shard',
  'activity-log.deleteExpired': 'a job, which runs on each shard',
  'idempotency.deleteExpired': 'a job, which runs on each shard',
  'search.findDue': 'a job, which runs on each shard',
  'search.findRetries': 'a job, which runs on each shard',
  'search.findUnused': 'a job, which runs on each shard',
  'search.findBehind': 'a job, which runs on each shard',
  'blobs.findAbandoned': 'a job, which runs on each shard',
  'blobs.findNextVault': 'a job, which runs on each shard',
  'vaults.findTrashes': 'a job, which runs on each shard',
  'vaults.findBehindInLinks': 'a job, which runs on each shard',
  'links.findVaults': 'a job, which runs on each shard',
  'vaults.beginEpochs': 'asked after a restore or a failover: every vault begins another epoch',
  'vaults.findLatestEpoch': 'asked once a day, before all stored bytes of all vaults are listed',
};

/** Tables that are not distributed by vault: accounts and what belongs to them, and the server's own. */
const NOT_BY_VAULT: readonly string[] = [
  'access_tokens',
  'analytics_erasures',
  'backup_state',
  'connection_permissions',
  'connections',
  'data_keys',
  'device_access_tokens',
  'device_attempts',
  'device_authorizations',
  'device_families',
  'device_refresh_tokens',
  'email_confirmations',
  'first_account',
  'imports',
  // Found by their tokens, like tickets.
  'invitation_uses',
  'invitations',
  'invites',
  'log_records',
  'login_tokens',
  'oauth_clients',
  'oauth_grants',
  'oauth_secrets',
  'oauth_tokens',
  'oauth_transients',
  'oidc_identities',
  'mail_state',
  'opened_notes',
  'outgoing_mails',
  'password_resets',
  'passkeys',
  'preferences',
  // Found by their tokens too.
  'public_links',
  'recovery_codes',
  'refresh_tokens',
  'schema_migrations',
  'server_identity',
  'sessions',
  'sign_in_attempts',
  'sign_in_networks',
  'sign_in_tickets',
  'tickets',
  'totp_secrets',
  // Of an account, which uploads into several vaults.
  'upload_parts',
  'uploads',
  'used_challenges',
  'users',
  // Lists of the vaults of an account and of the people of a vault; a vault's own data begins with vault_feeds.
  'vault_members',
  'vaults',
];

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly 'Recheck Cond'?: string;
  readonly Filter?: string;
  readonly Plans?: readonly PlanNode[];
}

/** The tables of vaults that a plan reads without naming a vault. */
function tablesOfAnyVault(node: PlanNode, byVault: ReadonlySet<string>): string[] {
  const table = node['Relation Name'] ?? '';
  const conditions = [node['Index Cond'], node['Recheck Cond'], node.Filter].join(' ');
  // A plan's ModifyTable node names the table too; what it changes is found by the nodes below it.
  const scans = byVault.has(table) && node['Node Type'] !== 'ModifyTable';
  const names = /\bvault_id = /.test(conditions);
  const below = (node.Plans ?? []).flatMap((plan) => tablesOfAnyVault(plan, byVault));
  return scans && !names ? [table, ...below] : below;
}

async function planOf(raw: Raw, sql: string): Promise<PlanNode> {
  const [row] = await raw.all(`explain (generic_plan, format json) ${sql}`);
  const plan = (row?.['QUERY PLAN'] as unknown as { Plan: PlanNode }[] | undefined)?.[0]?.Plan;
  assert.ok(plan !== undefined);
  return plan;
}

const skip = whyNoPostgres() ?? false;

test('every statement on tables of vaults names its vault', { skip }, async () => {
  await using fresh = await migratedPostgres();
  await using raw = await openRaw(fresh);
  for (const setting of BY_INDEX) await raw.run(setting);
  const byVault = new Set((await raw.tables()).filter((table) => !NOT_BY_VAULT.includes(table)));
  const crossing: string[] = [];
  for (const { name, sql } of await storeStatements()) {
    if (tablesOfAnyVault(await planOf(raw, sql('postgres')), byVault).length > 0) crossing.push(name);
  }
  assert.deepEqual(crossing.sort(), Object.keys(ALL_SHARDS).sort());
});

test('every table of vaults begins its primary key with the vault', { skip }, async () => {
  await using fresh = await migratedPostgres();
  await using raw = await openRaw(fresh);
  const keys = await raw.all(`select c.relname::text as name, a.attname::text as first
    from pg_index i join pg_class c on c.oid = i.indrelid
    join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
    where i.indisprimary and c.relnamespace = 'public'::regnamespace`);
  const others = keys.filter(({ first }) => first !== 'vault_id').map(({ name }) => String(name));
  assert.deepEqual(
    others.filter((name) => !NOT_BY_VAULT.includes(name)),
    [],
  );
  assert.deepEqual(
    NOT_BY_VAULT.filter((name) => !keys.some((key) => key.name === name)),
    [],
    'no table of this name',
  );
});
