import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { startCluster, whyNoCluster } from './postgres-cluster.ts';

/** An empty PostgreSQL database, dropped when disposed of. */
export interface FreshDatabase extends AsyncDisposable {
  readonly url: string;
}

/** Why there is no PostgreSQL to test with, for `skip`; undefined when there is. */
export function whyNoPostgres(): string | undefined {
  return process.env.TEST_POSTGRES_URL === undefined ? whyNoCluster() : undefined;
}

/** On the server of `TEST_POSTGRES_URL`, else on one started for this process. */
export async function freshPostgres(): Promise<FreshDatabase> {
  const server = await serverUrl();
  const name = `test_${process.pid}_${randomBytes(6).toString('hex')}`;
  // template0 has no connections, which would make the copy fail.
  await administer(server, `create database ${name} template template0`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    [Symbol.asyncDispose]: () => administer(server, `drop database if exists ${name} with (force)`),
  };
}

let started: Promise<string> | undefined;

function serverUrl(): Promise<string> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given !== undefined) return Promise.resolve(given);
  started ??= startCluster().then((cluster) => cluster.url);
  return started;
}

async function administer(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
