import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { postgresUser } from '../database/postgres-cluster.ts';
import { scratchFolder } from '../scratch.ts';
import { until } from '../until.ts';
import { freePort } from './free-port.ts';

/** The reason why there is no pooler to test with, for `skip`; undefined when there is one. */
export function whyNoPgbouncer(): string | undefined {
  if (spawnSync('pgbouncer', ['--version']).status !== 0) return 'pgbouncer is not installed';
  if (process.getuid?.() === 0 && postgresUser() === undefined) {
    return 'pgbouncer refuses to run as root, and there is no user "postgres" to run it as';
  }
  return undefined;
}

/** A pgbouncer in transaction mode; `url` leads over it to the database. */
export interface Pgbouncer extends AsyncDisposable {
  readonly url: string;
}

/** Starts a pgbouncer with fewer connections to the server than its clients have to it, so that they take turns. */
export async function startPgbouncer(database: string): Promise<Pgbouncer> {
  const target = new URL(database);
  const port = await freePort();
  const folder = scratchFolder('pgbouncer');
  const identity = process.getuid?.() === 0 ? postgresUser() : undefined;
  const file = join(folder, 'pgbouncer.ini');
  const settings = [
    '[databases]',
    `* = host=${target.hostname} port=${target.port} user=${target.username}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 3',
  ];
  writeFileSync(file, settings.join('\n'));
  if (identity !== undefined) for (const path of [folder, file]) chownSync(path, identity.uid, identity.gid);
  const child = spawn('pgbouncer', [file], { ...identity, cwd: folder, stdio: ['ignore', 'ignore', 'ignore'] });
  const kill = () => void child.kill('SIGKILL');
  process.once('exit', kill);
  const url = new URL(database);
  url.hostname = '127.0.0.1';
  url.port = String(port);
  await until(() => answers(url.href), 'pgbouncer');
  return {
    url: url.href,
    async [Symbol.asyncDispose]() {
      process.off('exit', kill);
      const ended = once(child, 'exit');
      kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answers(url: string): Promise<boolean> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
