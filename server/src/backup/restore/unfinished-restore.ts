import type { Finding } from '../../doctor.ts';
import { connect } from '../../ports/database/postgres/client.ts';

/** The schema of a PostgreSQL database in which a restore prepares its tables. */
export const STAGING = 'notevault_restoring';

/** Returns a finding about what a killed restore left in a PostgreSQL database; null when it left nothing. */
export async function examineRestore(url: string): Promise<Finding | null> {
  await using client = await connect({ connectionString: url, application_name: 'notevault doctor' });
  const { rowCount } = await client.query('select from pg_namespace where nspname = $1', [STAGING]);
  if (rowCount === 0) return null;
  const says =
    `a restore runs, or was killed before it changed anything: the schema ${STAGING} has its copy. The next ` +
    `restore removes it; without one, run "drop schema ${STAGING} cascade"`;
  return { what: 'restore', ok: true, warning: true, says };
}
