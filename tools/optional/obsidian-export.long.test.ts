import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { exportPlugin } from '../export-obsidian.ts';

/*
 * The store builds the plugin from a clone of the repository that `npm run export:obsidian` writes, on a machine and a
 * Node of its own, and compares the result with the release; and it lints all of it.
 */

/** The Nodes that build it, beside the one that runs this. */
const NODES = ['22', '24'];
/**
 * Warnings of the store's lint: `globalThis.fetch`, which packages that also run in Node use unless they are given
 * another one. Nothing may be added.
 */
const WARNINGS = 1;
const MAX_BYTES = 450 * 1024;

const folder = mkdtempSync(join(tmpdir(), 'notevault-export-'));
const repository = join(folder, 'repository');

before(() => {
  exportPlugin(repository);
  run('git', ['init', '--quiet'], repository);
  run('git', ['add', '--all'], repository);
  run(
    'git',
    ['-c', 'user.name=alice', '-c', 'user.email=alice@example.org', 'commit', '--quiet', '-m', 'Export'],
    repository,
  );
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a command and returns what it prints. */
function run(command: string, args: readonly string[], cwd: string, path = process.env.PATH ?? ''): string {
  const env = { ...process.env, PATH: path };
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 1e9 });
  assert.equal(status, 0, `${command} ${args.join(' ')}: ${error ?? ''}${stdout}${stderr}`);
  return stdout;
}

/** Returns a clean clone with its packages; from the cache of npm as far as they are there. */
function cloned(name: string, path?: string): string {
  const clone = join(folder, name);
  run('git', ['clone', '--quiet', repository, clone], folder);
  run('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], clone, path);
  return clone;
}

/** Returns the folder of a program of Node of a major version, from its package. */
function nodeOf(major: string): string {
  const at = join(folder, `node-${major}`);
  const name = `node-${process.platform}-${process.arch}`;
  run('npm', ['install', '--prefix', at, '--prefer-offline', '--no-audit', '--no-fund', `${name}@${major}`], folder);
  return join(at, 'node_modules', name, 'bin');
}

test('P12: the exported plugin builds the same file on every Node, with one Yjs and no Node modules', () => {
  const own = dirname(process.execPath);
  const built = ['', ...NODES].map((major) => {
    const path = [major === '' ? own : nodeOf(major), process.env.PATH].join(delimiter);
    const clone = cloned(`clone-${major}`, path);
    if (major !== '') assert.match(run('node', ['--version'], clone, path), new RegExp(`^v${major}\\.`));
    run('npm', ['run', 'build'], clone, path);
    // What is built is in no commit, and nothing else has changed.
    assert.equal(run('git', ['status', '--porcelain'], clone), '');
    return readFileSync(join(clone, 'main.js'));
  });
  const [first, ...others] = built;
  assert.ok(first !== undefined && first.length > 0 && first.length <= MAX_BYTES, `${first?.length} bytes`);
  for (const other of others) assert.ok(other.equals(first), 'the builds differ');
  run(process.execPath, [join(import.meta.dirname, '../../clients/obsidian/build.mjs'), join(folder, 'here')], folder);
  assert.ok(readFileSync(join(folder, 'here/main.js')).equals(first), 'the build of this repository differs');
  const code = first.toString();
  assert.doesNotMatch(code, /require\(["'`](?!obsidian["'`]|@codemirror\/)/, 'what the app does not give');
  assert.doesNotMatch(code, /\(\?<[=!]/, 'a look-behind, which iOS below 16.4 does not have');
});

test('P12: the exported plugin type-checks, and the store’s lint finds no errors and no new warnings', () => {
  const clone = cloned('linted');
  run('npm', ['run', 'check'], clone);
  const { stdout } = spawnSync(process.execPath, ['node_modules/eslint/bin/eslint.js', '.', '--format', 'json'], {
    ...{ cwd: clone, encoding: 'utf8', maxBuffer: 1e9 },
  });
  const files = JSON.parse(stdout) as {
    filePath: string;
    messages: { severity: number; line: number; ruleId: string; message: string }[];
    suppressedMessages: object[];
  }[];
  assert.ok(
    files.some(({ filePath }) => filePath === join(clone, 'src/main.ts')),
    'the sources were not linted',
  );
  const found = files.flatMap(({ filePath, messages }) =>
    messages.map((each) => ({ ...each, at: `${filePath.slice(clone.length + 1)}:${each.line}` })),
  );
  const errors = found.filter(({ severity }) => severity === 2);
  assert.deepEqual(
    errors.map(({ at, ruleId, message }) => `${at} ${ruleId}: ${message.split('\n')[0]}`),
    [],
  );
  assert.deepEqual(
    files.flatMap(({ suppressedMessages }) => suppressedMessages),
    [],
  );
  const warnings = found.map(({ at, ruleId }) => `${at} ${ruleId}`);
  assert.ok(warnings.length <= WARNINGS, `${warnings.length} warnings of the lint:\n${warnings.join('\n')}`);
});

test('the export of the plugin has in its root what the store reads', () => {
  const read = (name: string) => JSON.parse(readFileSync(join(repository, name), 'utf8')) as Record<string, string>;
  const { id, name, version, minAppVersion, description } = read('manifest.json');
  assert.match(id ?? '', /^(?!.*obsidian)(?!.*plugin$)[a-z-]+$/);
  assert.doesNotMatch(name ?? '', /obsidian|plugin/i);
  assert.match(description ?? '', /^.{1,249}\.$/);
  assert.equal(read('versions.json')[version ?? ''], minAppVersion);
  assert.equal(read('package.json').version, version);
  assert.match(readFileSync(join(repository, 'LICENSE'), 'utf8'), /Apache License/);
  const readme = readFileSync(join(repository, 'README.md'), 'utf8');
  for (const part of ['account', 'network', 'server', 'files outside'])
    assert.match(readme.toLowerCase(), new RegExp(part));
});
