import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, globSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { startCluster, whyNoCluster } from '../server/test/kit/database/postgres-cluster.ts';
import { deadScratchFolders, scratchFolder } from '../server/test/kit/scratch.ts';
import { buildProgram } from './build.ts';
import { changedSince, dependentsOf } from './changed-tests.ts';
import { readSources } from './check/sources.ts';
import { grouped } from './test-groups.ts';

/*
 * node tools/test.ts [--full] [--stress] [--browser] [--long] [--optional] [--vaults] [--changed[=COMMIT]]
 *   [paths or node options…]
 *
 * Runs the short tests, or those in the given files and folders. With --changed, runs those of them that depend on a
 * file that differs from the commit, by default from HEAD. Without paths and flags it tests SQLite alone; otherwise, or
 * with TEST_ENGINES=both, also PostgreSQL, on one server that is started here unless TEST_POSTGRES_URL names one.
 * Options of `node --test` are passed on.
 *
 * A flag runs tests of its kind, and the short ones only with --short too. Some kinds also run when they or their folder
 * are named: --full are those called *.full.test.ts, which try whole matrices or what ships, --stress those that kill
 * processes, cut connections, or send requests that race or are random, and --browser those that need Chromium. Others
 * need the flag even when their folder is named: --long for those called *.long.test.ts, which run for minutes to hours,
 * --optional for the others in tools/optional, whose packages are installed then, and --vaults for those called
 * *.vaults.test.ts, which read vaults outside of the repository: the folders in TEST_VAULTS, by default in
 * ../shared/vaults.
 */

/**
 * Folders whose tests run everywhere, in the order in which files are assigned to groups. Node itself runs files in
 * name order.
 */
const EVERYWHERE = [
  'server/test',
  'web/src',
  'cli',
  'clients/*/src',
  'clients/*/test',
  'tools',
  'server/src',
  'packages/**/test',
  'packages/**/src',
];
/** Recognises test files that need PostgreSQL, by an import or their name; one not recognised starts its own server. */
const NEEDS_POSTGRES = /kit\/|\.pg\.test\.ts/;

type Kind = 'short' | 'full' | 'stress' | 'browser' | 'long' | 'optional' | 'vaults';

/** File patterns of each kind, in order of precedence; all other tests are short. */
const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['long', /\.long\.test\.ts$/],
  ['full', /\.full\.test\.ts$/],
  ['vaults', /\.vaults\.test\.ts$/],
  ['optional', /^tools\/optional\//],
  ['browser', /[/-]browser\.test\.ts$/],
  ['stress', /(^|\/)server\/test\/(faults|fuzz|races)\//],
];
const FLAGGED: readonly Kind[] = ['short', ...KINDS.map(([kind]) => kind)];

/** A test that takes longer fails with its name. */
const TIMEOUT_MINUTES: Readonly<Record<Kind, number>> = {
  short: 5,
  full: 5,
  stress: 10,
  browser: 5,
  long: 240,
  optional: 5,
  vaults: 30,
};

/** Free disk space that a run needs, in bytes. */
const RUN_BYTES = 8_000_000_000;

/** A test file, or a process that runs many, is ended when it takes longer. */
const FILE_MINUTES: Readonly<Record<Kind, number>> = {
  short: 30,
  full: 30,
  stress: 15,
  browser: 15,
  long: 600,
  optional: 15,
  vaults: 60,
};

const args = process.argv.slice(2);
const flags = FLAGGED.filter((name) => args.includes(`--${name}`));
const kinds: readonly Kind[] = flags.length > 0 ? flags : ['short'];
const changed = args.find((arg) => /^--changed(=|$)/.test(arg));
const options = args.filter(
  (arg) => arg.startsWith('-') && arg !== changed && !flags.some((flag) => arg === `--${flag}`),
);
const paths = args.filter((arg) => !arg.startsWith('-'));
/** A folder that is named is meant with all that does not run for hours or need other files. */
const wanted: readonly Kind[] = flags.length === 0 && paths.length > 0 ? ['short', 'full', 'stress', 'browser'] : kinds;
const longest = (minutes: Readonly<Record<Kind, number>>) => Math.max(...wanted.map((kind) => minutes[kind]));
const found = [...new Set((paths.length > 0 ? paths : EVERYWHERE).flatMap((path) => testsIn(path).sort()))];
const files = changed === undefined ? found : affected(found, changed.slice('--changed='.length) || 'HEAD');

/** The tests are stopped together with this process; otherwise they would continue without their server. */
const children = new Set<ChildProcess>();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    for (const child of children) child.kill(signal);
  });
}

process.env.TEST_VAULTS ??= join(import.meta.dirname, '../../shared/vaults');
const needsVaults = files.some((file) => kindOf(file) === 'vaults');
if (needsVaults && !existsSync(process.env.TEST_VAULTS)) {
  process.stderr.write(`There are no vaults at ${process.env.TEST_VAULTS}; TEST_VAULTS names another folder.\n`);
  process.exitCode = 1;
} else if (files.length === 0 && changed !== undefined) {
  process.stderr.write('No test depends on what changed.\n');
} else if (files.length === 0) {
  process.stderr.write(`No tests in ${paths.join(', ') || 'the repository'}.\n`);
  process.exitCode = 1;
} else {
  process.exitCode = await run(files);
}

async function run(files: readonly string[]): Promise<number> {
  const environment = { ...process.env };
  if (environment.TEST_SEED === 'random') {
    environment.TEST_SEED = String(Math.floor(Math.random() * 1_000_000));
    process.stderr.write(`TEST_SEED=${environment.TEST_SEED} draws the same again.\n`);
  }
  environment.TEST_ENGINES ??= flags.length === 0 && paths.length === 0 ? 'sqlite' : 'both';
  const reason = whyNoCluster();
  if (environment.TEST_ENGINES === 'sqlite') {
    process.stderr.write('On SQLite alone; npm run test:all tests PostgreSQL too.\n');
  } else if (environment.TEST_POSTGRES_URL === undefined && files.some(needsPostgres)) {
    if (reason === undefined) environment.TEST_POSTGRES_URL = (await startCluster()).url;
    else process.stderr.write(`NOTHING IS TESTED ON POSTGRESQL: ${reason}\n`);
  }
  // A whole run starts the command hundreds of times, each with half the work if it is bundled, and so tests what ships.
  if (paths.length === 0) {
    environment.TEST_PROGRAM ??= await buildProgram();
    environment.TEST_UNTRACED ??= '1';
    environment.TMPDIR ??= foldersInMemory();
  }
  environment.TEST_FILE_MINUTES ??= String(longest(FILE_MINUTES));
  // Without the cache, compiling the sources for each file would be a third of the work.
  environment.NODE_COMPILE_CACHE ??= join(import.meta.dirname, '../node_modules/.cache/compile');
  const setup = ['--import', new URL('./test-setup.ts', import.meta.url).href];
  if (files.some((file) => file.startsWith('tools/optional/'))) setup.push('--import', installOptional());
  const timeout = `--test-timeout=${longest(TIMEOUT_MINUTES) * 60_000}`;
  // Files that are named run as they are, each in a process of its own.
  const toRun =
    paths.length > 0 ? files : grouped(files, join(import.meta.dirname, '../node_modules/.cache/test-groups'));
  // More than there may be processors: many tests wait for processes, disks and timers.
  const args = [...setup, '--test', '--test-concurrency=3', timeout, '--test-reporter=spec', ...options, ...toRun];
  const child = spawn(process.execPath, args, { stdio: 'inherit', env: environment });
  children.add(child);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/**
 * Returns where the tests make their folders: in memory where there is room, because waiting for the disk and its journal
 * is a tenth of the work of those that run commands.
 */
function foldersInMemory(): string {
  for (const folder of deadScratchFolders('run')) rmSync(folder, { recursive: true, force: true });
  const folder = scratchFolder('run', RUN_BYTES);
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Installs the packages of tools/optional, unless they are, and returns the module that makes them importable. */
function installOptional(): string {
  const folder = join(import.meta.dirname, 'optional');
  const installed = statSync(join(folder, 'node_modules/.package-lock.json'), { throwIfNoEntry: false });
  if (installed === undefined || installed.mtimeMs < statSync(join(folder, 'package-lock.json')).mtimeMs) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
  }
  return new URL('./optional/resolve.ts', import.meta.url).href;
}

/** Returns the tests that depend on a file that differs from the commit. */
function affected(tests: readonly string[], commit: string): string[] {
  const root = join(import.meta.dirname, '..');
  const dependents = dependentsOf(changedSince(root, commit), readSources(root));
  return tests.filter((file) => dependents.has(file));
}

function testsIn(path: string): string[] {
  if (path.endsWith('.ts')) return [path];
  if (path.includes('*')) return globSync(path).flatMap(testsIn);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === false) return [];
  return globSync(`${path}/**/*.test.ts`).filter(
    (file) => !file.includes('node_modules') && wanted.includes(kindOf(file)),
  );
}

function kindOf(file: string): Kind {
  return KINDS.find(([, files]) => files.test(file))?.[0] ?? 'short';
}

function needsPostgres(file: string): boolean {
  return NEEDS_POSTGRES.test(file) || NEEDS_POSTGRES.test(readFileSync(file, 'utf8'));
}
