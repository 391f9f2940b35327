import { type Client, escapeIdentifier } from 'pg';
import { type Config, directUrlOf } from '../../config/config.ts';
import { migrations } from '../../data/migrations.ts';
import { masterKeyFor, openBlobs } from '../../open-ports.ts';
import { systemClock } from '../../ports/clock/clock.ts';
import { openPostgres } from '../../ports/database/postgres/postgres.ts';
import type { CopyCheck } from '../verify/check-copy.ts';
import { checkWith } from '../verify/check-with.ts';
import type { RestorePoint, Returned } from './points.ts';
import {
  connectToRestore,
  inSchema,
  POINT_PREFIX,
  replaceTables,
  requireAlone,
  requireNoServer,
  serversOf,
} from './restore-postgres.ts';
import { settleRestored } from './settle.ts';
import { requireHealthy } from './stage-folder.ts';

export async function listPointsOfPostgres(config: Config): Promise<RestorePoint[]> {
  await using client = await connectToRestore(config);
  return await pointsOf(client);
}

async function pointsOf(client: Client): Promise<RestorePoint[]> {
  const { rows } = await client.query<{ name: string; bytes: string }>(
    `select n.nspname::text as name, coalesce(sum(pg_total_relation_size(c.oid)), 0)::text as bytes
      from pg_namespace n join pg_class c on c.relnamespace = n.oid and c.relkind = 'r'
      where starts_with(n.nspname::text, $1) group by n.nspname order by n.nspname`,
    [POINT_PREFIX],
  );
  return rows.map(({ name, bytes }) => ({ name, bytes: Number(bytes) }));
}

/**
 * Returns to a restore point of a PostgreSQL database. Its own tables are brought up to date, which can be repeated, and
 * change places with the present ones in one transaction.
 */
export async function returnToPointOfPostgres(
  config: Config,
  name: string,
  revokeCredentials: boolean,
): Promise<Returned> {
  const servers = serversOf(config);
  await using client = await connectToRestore(config);
  await requireAlone(client, servers);
  const checked = await prepare(config, inSchema(directUrlOf(config) ?? '', name), revokeCredentials);
  requireHealthy(checked);
  await requireNoServer(client, servers);
  const restorePoint = await replaceTables(client, servers, name);
  await client.query(`drop schema ${escapeIdentifier(name)}`);
  return { checked, restorePoint };
}

/** Brings the tables of the point up to date, and tries them. */
async function prepare(config: Config, url: string, revokeCredentials: boolean): Promise<CopyCheck> {
  const clock = systemClock();
  await using opened = new AsyncDisposableStack();
  const db = opened.use(await openPostgres({ url, poolSize: config.databasePool }));
  await db.migrate(migrations);
  await settleRestored(db, clock, revokeCredentials);
  const blobs = opened.use(await openBlobs(config, db, clock));
  const key = await masterKeyFor(config, db, clock, { unfinishedRotation: false });
  return await checkWith({ db, blobs, key, config, clock });
}
