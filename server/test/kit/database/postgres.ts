import { createHash, randomBytes } from 'node:crypto';
import { Client, Pool } from 'pg';
import { migrations } from '../../../src/data/migrations.ts';
import { openPostgres } from '../../../src/ports/database/postgres/postgres.ts';
import { startCluster, whyNoCluster } from './postgres-cluster.ts';

/** An empty PostgreSQL database, dropped on disposal. */
export interface FreshDatabase extends AsyncDisposable {
  readonly url: string;
}

/** The reason why there is no PostgreSQL to test with, for `skip`; undefined when there is one. */
export function whyNoPostgres(): string | undefined {
  if (process.env.TEST_ENGINES === 'sqlite') return 'this run is of SQLite alone';
  return process.env.TEST_POSTGRES_URL === undefined ? whyNoCluster() : undefined;
}

/** An empty database on the server of `TEST_POSTGRES_URL`, or else on one started for this process. */
export async function freshPostgres(): Promise<FreshDatabase> {
  // template0 allows no connections; a connection would make the copy fail.
  return copyOf('template0', await serverUrl());
}

/** Like freshPostgres, on a server of its own whose commits are on disk, for measurements. */
export async function durablePostgres(): Promise<FreshDatabase> {
  const cluster = await startCluster({ durable: true });
  const database = await copyOf('template0', cluster.url);
  return {
    url: database.url,
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]();
      cluster[Symbol.dispose]();
    },
  };
}

/** Like freshPostgres, at the latest schema. */
export async function migratedPostgres(): Promise<FreshDatabase> {
  template ??= makeTemplate(await serverUrl());
  return copyOf(await template, await serverUrl());
}

async function copyOf(template: string, server: string): Promise<FreshDatabase> {
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  await administer(server, `create database ${name} template ${template} strategy file_copy`);
  return {
    url: urlOf(server, name),
    [Symbol.asyncDispose]: () => administer(server, `drop database if exists ${name} with (force)`),
  };
}

let template: Promise<string> | undefined;

/** An arbitrary number, the same for all processes that test on one server. */
const TEMPLATE_LOCK = 20_261_122;

/**
 * The name of a database at the latest schema, created by the first process that needs it. Nothing else connects to it.
 */
async function makeTemplate(server: string): Promise<string> {
  const digest = createHash('sha256').update(JSON.stringify(migrations)).digest('hex');
  const name = `test_template_${digest.slice(0, 16)}`;
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    // The lock is held until the connection ends.
    await client.query(`select pg_advisory_lock(${TEMPLATE_LOCK})`);
    const { rowCount } = await client.query('select from pg_database where datname = $1', [name]);
    if (rowCount === 1) return name;
    await client.query(`drop database if exists ${name}_unfinished with (force)`);
    await client.query(`create database ${name}_unfinished template template0`);
    const db = await openPostgres({ url: urlOf(server, `${name}_unfinished`) });
    await db.migrate(migrations);
    await db[Symbol.asyncDispose]();
    await client.query(`alter database ${name}_unfinished rename to ${name}`);
    return name;
  } finally {
    await client.end();
  }
}

function urlOf(server: string, database: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.href;
}

let started: Promise<string> | undefined;

function serverUrl(): Promise<string> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given !== undefined) return Promise.resolve(given);
  started ??= startCluster().then((cluster) => cluster.url);
  return started;
}

/** One connection to each server, which creates and drops the databases of this process, and does not keep it alive. */
const administrators = new Map<string, Pool>();

async function administer(url: string, sql: string): Promise<void> {
  const pool =
    administrators.get(url) ??
    new Pool({ connectionString: url, max: 1, idleTimeoutMillis: 0, allowExitOnIdle: true })
      // The server has ended; the next statement connects anew.
      .on('error', () => undefined);
  administrators.set(url, pool);
  await pool.query(sql);
}
