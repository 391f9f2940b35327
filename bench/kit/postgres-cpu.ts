import { readdir, readFile } from 'node:fs/promises';
import { Client } from 'pg';

const CLOCK_TICKS = 100;

/**
 * Processor time in seconds that a PostgreSQL server on this machine has used so far, also by backends that have ended.
 * Its administrator must be able to log in.
 */
export async function postgresCpu(url: string): Promise<number> {
  const postmaster = await postmasterOf(url);
  let ticks = 0;
  for (const pid of await readdir('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [parent, user, system, endedUser, endedSystem] = [1, 11, 12, 13, 14].map((at) => fields[at] ?? 0);
    if (parent === postmaster) ticks += (user ?? 0) + (system ?? 0);
    if (Number(pid) === postmaster) ticks += (user ?? 0) + (system ?? 0) + (endedUser ?? 0) + (endedSystem ?? 0);
  }
  return ticks / CLOCK_TICKS;
}

async function postmasterOf(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    return Number((await readFile(`${rows[0]?.data_directory}/postmaster.pid`, 'utf8')).split('\n')[0]);
  } finally {
    await client.end();
  }
}
