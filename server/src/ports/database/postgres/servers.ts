import { Client } from 'pg';

/** Counts the servers on a database: each holds one connection to the bus. */
export async function countServers(url: string): Promise<number> {
  const client = new Client({ connectionString: url, application_name: 'notevault doctor' });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const sql = `select count(*)::int as servers from pg_stat_activity
      where datname = current_database() and application_name = 'notevault bus'`;
    return (await client.query<{ servers: number }>(sql)).rows[0]?.servers ?? 0;
  } finally {
    await client.end();
  }
}
