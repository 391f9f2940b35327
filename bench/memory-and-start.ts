import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { databaseOfBench } from './kit/processes.ts';

// How long does a start take, and how much memory does a server keep: at rest, and after a vault was imported, searched
// and edited? Arguments: `--dist` for the compiled program (`npm run build` first), a folder with notes.
const root = join(import.meta.dirname, '..');
const compiled = process.argv.includes('--dist');
const main = join(root, compiled ? 'dist/cli/src/main.js' : 'cli/src/main.ts');
const given = process.argv.slice(2).find((arg) => !arg.startsWith('--'));
const vault =
  given ?? [join(root, '../shared/vaults/en'), join(root, 'server/test/vault')].find((path) => existsSync(path));
const STARTS = 5;
/** Within this time an idle server has collected its garbage. */
const REST_MS = 30_000;

const folder = await mkdtemp(join(tmpdir(), 'notevault-bench-'));
await using database = await databaseOfBench();
const env = {
  ...process.env,
  NOTEVAULT_DATA_DIR: join(folder, 'data'),
  NOTEVAULT_LOG_LEVEL: 'warn',
  ...(database === null ? {} : { NOTEVAULT_DATABASE_URL: database.url }),
};
delete (env as NodeJS.ProcessEnv).NODE_COMPILE_CACHE;

interface Server {
  readonly child: ChildProcess;
  readonly url: string;
  readonly readyMs: number;
  /** Processor time until then, which hardly depends on other work of the machine. */
  readonly cpuMs: number;
}

async function start(): Promise<Server> {
  const began = performance.now();
  const child = spawn(process.execPath, [main, 'serve', '--port', '0'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  for await (const text of child.stderr.setEncoding('utf8')) {
    said += text;
    const url = /listens on (\S+)\n/.exec(said)?.[1];
    if (url === undefined) continue;
    await fetch(`${url}/healthz`);
    child.stderr.resume();
    return { child, url, readyMs: performance.now() - began, cpuMs: await cpuMs(child) };
  }
  throw new Error(`no start: ${said}`);
}

/** Processor time of a process and its threads so far; the kernel counts in hundredths of a second. */
async function cpuMs({ pid }: ChildProcess): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function stop({ child }: Server): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function residentMb({ child }: Server): Promise<string> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8');
  const field = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  const threads = /Threads:\s+(\d+)/.exec(status)?.[1];
  return `${field('VmRSS').toFixed(0)} MB (${field('RssAnon').toFixed(0)} without mapped files, ${threads} threads)`;
}

async function run(...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end('a long enough password\n');
  const [code] = (await once(child, 'exit')) as [number];
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
}

const print = (line: string) => process.stdout.write(`${line}\n`);
print(`${compiled ? 'compiled' : 'from source'}, Node ${process.versions.node}, vault ${vault}`);
try {
  await run('admin', 'create-user', 'alice@example.org', '--password-stdin');
  const times: Server[] = [];
  for (let each = 0; each < STARTS; each++) {
    const server = await start();
    times.push(server);
    await stop(server);
  }
  const seconds = (ms: number) => `${(ms / 1000).toFixed(2)} s`;
  print(`ready after   ${times.map(({ readyMs }) => seconds(readyMs)).join(', ')}`);
  print(`  processor   ${times.map(({ cpuMs }) => seconds(cpuMs)).join(', ')}`);
  const server = await start();
  await delay(REST_MS);
  print(`at rest       ${await residentMb(server)}`);
  await run('import', vault ?? '');
  print(`imported      ${await residentMb(server)}`);
  await run('search', 'the history of the river');
  const { token } = JSON.parse(await adminSession()) as { token: string };
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  for (let edit = 0; edit < 100; edit++) {
    const body = JSON.stringify({ path: `bench/${edit % 10}.md`, content: `Edit ${edit} of a note.`, mtime: 1 });
    await fetch(`${server.url}/api/notes`, { method: 'POST', headers, body });
  }
  await delay(REST_MS);
  print(`after work    ${await residentMb(server)}`);
  await stop(server);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** A session from the server itself, over its admin socket. */
async function adminSession(): Promise<string> {
  const { request } = await import('node:http');
  const socketPath = join(folder, 'data', 'admin.sock');
  return new Promise((resolve, reject) => {
    const asked = request(
      { socketPath, path: '/openSession', method: 'POST', headers: { 'content-type': 'application/json' } },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (part: string) => {
          text += part;
        });
        answer.on('end', () => resolve(JSON.stringify(JSON.parse(text).result)));
      },
    );
    asked.on('error', reject);
    asked.end('[]');
  });
}
