import { type ChildProcess, spawn } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { startCluster, whyNoCluster } from '../server/test/kit/postgres-cluster.ts';

/*
 * node tools/test.ts [paths or node options…]
 *
 * Runs the tests (all of them, or those in the given files and folders) against one PostgreSQL server, started here
 * unless TEST_POSTGRES_URL names one. Options of `node --test` are passed on.
 */

const EVERYWHERE = ['packages/**/test', 'packages/**/src', 'server/src', 'server/test', 'cli', 'tools'];
/** What a test file that needs PostgreSQL imports, or is called; one not recognised starts a server of its own. */
const NEEDS_POSTGRES = /kit\/|\.pg\.test\.ts/;

const args = process.argv.slice(2);
const options = args.filter((arg) => arg.startsWith('-'));
const paths = args.filter((arg) => !arg.startsWith('-'));
const files = [...new Set((paths.length > 0 ? paths : EVERYWHERE).flatMap(testsIn))].sort();

/** A signal to this process alone would leave the tests running without their server. */
const children = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
  });
}

if (files.length === 0) {
  process.stderr.write(`No tests in ${paths.join(', ') || 'the repository'}.\n`);
  process.exitCode = 1;
} else {
  process.exitCode = await run(files);
}

async function run(files: readonly string[]): Promise<number> {
  const environment = { ...process.env };
  const reason = whyNoCluster();
  if (environment.TEST_POSTGRES_URL === undefined && files.some(needsPostgres)) {
    if (reason === undefined) environment.TEST_POSTGRES_URL = (await startCluster()).url;
    else process.stderr.write(`NOTHING IS TESTED ON POSTGRESQL: ${reason}\n`);
  }
  const seed = ['--import', new URL('./test-seed.ts', import.meta.url).href];
  const args = [...seed, '--test', '--test-concurrency=2', '--test-reporter=spec', ...options, ...files];
  const child = spawn(process.execPath, args, { stdio: 'inherit', env: environment });
  children.add(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

function testsIn(path: string): string[] {
  if (path.endsWith('.ts')) return [path];
  if (path.includes('*')) return globSync(path).flatMap(testsIn);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) return [];
  return globSync(`${path}/**/*.test.ts`).filter((file) => !file.includes('node_modules'));
}

function needsPostgres(file: string): boolean {
  return NEEDS_POSTGRES.test(file) || NEEDS_POSTGRES.test(readFileSync(file, 'utf8'));
}
