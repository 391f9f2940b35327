import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { before, test } from 'node:test';
import { commitOf, version } from '../../../src/version.ts';
import { freePort } from '../../kit/programs/free-port.ts';
import { suiteFolder } from '../../kit/programs/process.ts';

// People install the packed package, outside the repository and without its workspaces, so that is what the test
// starts.
const root = join(import.meta.dirname, '../../../..');
const folder = suiteFolder().path;
const installed = join(folder, 'node_modules/notevault');
const env = { PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter), HOME: folder };
const bin = join(folder, 'notevault');

before(() => {
  execFileSync(process.execPath, [join(root, 'tools/pack.ts'), folder], { cwd: root, stdio: 'pipe' });
  const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, archive), '-C', installed, '--strip-components=1']);
  // Installs only the declared dependencies, as links: the packages come from the repository, not the network.
  for (const name of Object.keys(manifest().dependencies)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  // Links the command as npm does for a package's bin.
  symlinkSync(join(installed, manifest().bin.notevault), bin);
});

function manifest(): {
  version: string;
  commit?: string;
  dependencies: Record<string, string>;
  bin: { notevault: string };
} {
  return JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
}

test('the npm package holds the bundled program with its licences, no sources and no repository tools', () => {
  for (const path of [
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'cli/src/main.js',
    'bundle/LICENSES.txt',
    'deploy/systemd/notevault.service',
    'docs/operations.md',
    'web/dist/index.html',
  ]) {
    assert.ok(existsSync(join(installed, path)), path);
  }
  for (const path of ['tools', 'packages', 'server/src/app.js', 'build.stamp', 'node_modules']) {
    assert.ok(!existsSync(join(installed, path)), path);
  }
});

test('the npm package asks only for packages that are not in its bundle', () => {
  const names = Object.keys(manifest().dependencies);
  assert.ok(names.includes('oidc-provider') && !names.includes('fastify'), names.join(', '));
});

test('the npm package says which packages are missing for S3 and traces, which are optional', () => {
  const { optionalDependencies } = manifest() as { optionalDependencies?: Record<string, string> };
  assert.ok(Object.keys(optionalDependencies ?? {}).includes('@napi-rs/keyring'));
  for (const [name, value, needs] of [
    ['NOTEVAULT_BLOBS', 's3://bucket', '@aws-sdk/client-s3'],
    ['NOTEVAULT_OTLP_URL', 'http://127.0.0.1:1', '@opentelemetry/core'],
  ] as const) {
    const options = { env: { ...env, [name]: value, NOTEVAULT_PORT: '0' }, cwd: folder, encoding: 'utf8' } as const;
    const { status, stderr } = spawnSync(bin, ['serve', '--data-dir', join(folder, 'optional')], options);
    assert.equal(status, 1, stderr);
    assert.match(
      stderr.trim(),
      new RegExp(`^notevault: \\S+ needs packages that are not installed: run "npm install ${needs}`),
    );
    assert.doesNotMatch(stderr, /\n\s+at /, 'a sentence, not a stack');
  }
});

test('the command of the npm package prints its help, and nothing else', () => {
  const shown = execFileSync(bin, ['--help'], { env, cwd: folder, encoding: 'utf8' });
  assert.match(shown, /notevault/);
  assert.match(shown, /serve/);
});

test('the command of the npm package prints its version, with the commit that it was built from', () => {
  const { commit } = manifest();
  assert.equal(commit === undefined, commitOf(root) === null);
  const shown = execFileSync(bin, ['--version'], { env, cwd: folder, encoding: 'utf8' });
  assert.equal(shown, commit === undefined ? `${version}\n` : `${version} (${commit})\n`);
});

test('the command of the npm package refuses an older Node in one sentence, before it reads the program', () => {
  const older = `data:text/javascript,Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } })`;
  const { status, stderr } = spawnSync(process.execPath, ['--import', older, bin, '--help'], { env, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [1, 'notevault: this is Node 20.19.0, and Notevault needs 24.6 or newer.\n']);
});

test('the installed command hands out itself and the plugin as packed, and stops cleanly on SIGTERM', async () => {
  const port = await freePort();
  const server = spawn(bin, ['serve', '--port', String(port), '--data-dir', join(folder, 'data')], {
    env,
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  const listening = new Promise<void>((resolve, reject) => {
    for (const stream of [server.stdout, server.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        output.push(line);
        if (line.includes(String(port))) resolve();
      });
    }
    server.once('exit', (code) => reject(new Error(`the server stopped (${code}): ${output.join('\n')}`)));
  });
  try {
    await listening;
    const answer = await fetch(`http://127.0.0.1:${port}/api/health`);
    assert.equal(answer.status, 200);
    assert.equal(((await answer.json()) as { version: string }).version, manifest().version);
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } });
    assert.match(await page.text(), /<div id="app">/);
    const downloaded = async (name: string) =>
      Buffer.from(await (await fetch(`http://127.0.0.1:${port}/download/${name}`)).arrayBuffer());
    const [archive = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    assert.ok((await downloaded('notevault.tgz')).equals(readFileSync(join(folder, archive))), 'the package itself');
    execFileSync(process.execPath, [join(root, 'tools/pack-obsidian.ts'), folder], { cwd: root, stdio: 'pipe' });
    const [plugin = ''] = readdirSync(folder).filter((name) => name.endsWith('.zip'));
    assert.ok((await downloaded('notevault-obsidian.zip')).equals(readFileSync(join(folder, plugin))), 'the plugin');
  } finally {
    server.kill('SIGTERM');
  }
  if (server.exitCode === null) await once(server, 'exit');
  assert.equal(server.exitCode, 0, output.join('\n'));
  assert.doesNotMatch(output.join('\n'), /ExperimentalWarning/);
});
