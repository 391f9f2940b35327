import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { freePort } from '../../kit/programs/free-port.ts';

// People install the packed package, outside the repository and without its workspaces, so that is what the test
// starts.
const root = join(import.meta.dirname, '../../../..');
const folder = mkdtempSync(join(tmpdir(), 'notevault-pack-'));
const installed = join(folder, 'node_modules/notevault');
const env = { PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter), HOME: folder };
const bin = join(folder, 'notevault');

before(() => {
  execFileSync('npm', ['pack', '--loglevel=error', '--pack-destination', folder], {
    cwd: root,
    stdio: 'pipe',
    encoding: 'utf8',
  });
  const { version, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
    dependencies: Record<string, string>;
  };
  mkdirSync(installed, { recursive: true });
  execFileSync('tar', ['-xzf', join(folder, `notevault-${version}.tgz`), '-C', installed, '--strip-components=1']);
  // Installs only the declared dependencies, as links: the packages come from the repository, not the network.
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
  // Links the command as npm does for a package's bin.
  symlinkSync(join(installed, 'dist/cli/src/main.js'), bin);
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('the npm package holds the bundled program with its licences, no sources and no tools of the repository', () => {
  for (const path of [
    'README.md',
    'LICENSE',
    'CHANGELOG.md',
    'dist/cli/src/main.js',
    'dist/bundle/LICENSES.txt',
    'dist/web/dist/index.html',
  ]) {
    assert.ok(existsSync(join(installed, path)), path);
  }
  for (const path of ['server', 'tools', 'dist/tools', 'dist/server/src/app.js', 'dist/packages']) {
    assert.ok(!existsSync(join(installed, path)), path);
  }
});

test('the command of the npm package prints its help, and nothing else', () => {
  const shown = execFileSync(bin, ['--help'], { env, cwd: folder, encoding: 'utf8' });
  assert.match(shown, /notevault/);
  assert.match(shown, /serve/);
});

test('the command of the npm package serves, and stops cleanly on SIGTERM', async () => {
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
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    assert.deepEqual(await answer.json(), { status: 'ok', version });
    const page = await fetch(`http://127.0.0.1:${port}/`, { headers: { accept: 'text/html' } });
    assert.match(await page.text(), /<div id="app">/);
  } finally {
    server.kill('SIGTERM');
  }
  if (server.exitCode === null) await once(server, 'exit');
  assert.equal(server.exitCode, 0, output.join('\n'));
  assert.doesNotMatch(output.join('\n'), /ExperimentalWarning/);
});
