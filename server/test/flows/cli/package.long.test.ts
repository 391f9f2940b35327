import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Environment, Folder, startServe } from '../../kit/programs/process.ts';
import { aliceAt } from '../../kit/signed-in.ts';

/* The npm package as people install, upgrade and remove it; npm gets its dependencies from the registry. */

const root = join(import.meta.dirname, '../../../..');
const NEXT = '99.0.0';

describe('the npm package', () => {
  const folder = new Folder();
  const [prefix, data] = [folder.at('prefix'), folder.at('data')];
  const command = join(prefix, 'bin/notevault');
  const env = {
    PATH: [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter),
    HOME: folder.at('home'),
    npm_config_cache: npm(['config', 'get', 'cache']).trim(),
    npm_config_prefer_offline: 'true',
  };
  let archive: string;
  let upgrade: string;
  before(() => {
    mkdirSync(env.HOME);
    execFileSync(process.execPath, [join(root, 'tools/pack.ts'), folder.path], { cwd: root, stdio: 'pipe' });
    archive = theOnly(folder.path);
    upgrade = repackedAs(NEXT, archive);
  });
  after(() => folder[Symbol.dispose]());

  /** Packs the same program under another version, with npm. */
  function repackedAs(version: string, file: string): string {
    const [from, to] = [folder.at('next'), folder.at('packed')];
    for (const path of [from, to]) mkdirSync(path);
    execFileSync('tar', ['-xzf', file, '-C', from, '--strip-components=1']);
    const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'));
    writeFileSync(join(from, 'package.json'), JSON.stringify({ ...manifest, version }));
    npm(['pack', '--pack-destination', to], { env, cwd: from });
    rmSync(from, { recursive: true });
    return theOnly(to);
  }

  const serve = (program: string) => {
    const options = { main: program, restarts: true };
    return startServe({
      ...options,
      env: { ...env, NOTEVAULT_DATA_DIR: data, NODE_COMPILE_CACHE: folder.at('cache') },
    });
  };

  it('starts with npx, installs, upgrades over a running data folder, and leaves only the data', async () => {
    const shown = npm(['exec', '--yes', `--package=${archive}`, '--', 'notevault', '--version'], { env });
    assert.match(shown, /^\d+\.\d+\.\d+/);

    npm(['install', '--global', '--prefix', prefix, archive], { env });
    {
      await using server = await serve(command);
      const alice = await aliceAt(server.url);
      await alice.post('/vaults', { name: 'Diary' });
      assert.equal((await alice.post('/notes', { path: 'a.md', content: 'kept', mtime: 1 })).status, 200);
      assert.equal((await server.stop()).code, 0);
    }
    npm(['install', '--global', '--prefix', prefix, upgrade], { env });
    assert.match(execFileSync(command, ['--version'], { env, encoding: 'utf8' }), new RegExp(`^${NEXT}`));
    {
      await using server = await serve(command);
      assert.equal((await (await aliceAt(server.url)).get('/notes/a.md')).body.content, 'kept');
      assert.equal((await server.stop()).code, 0);
    }
    const before = readdirSync(data);
    npm(['uninstall', '--global', '--prefix', prefix, 'notevault'], { env });
    assert.ok(!existsSync(command));
    assert.deepEqual(readdirSync(join(prefix, 'lib/node_modules')), []);
    assert.deepEqual([readdirSync(data), readdirSync(env.HOME)], [before, []]);
  });
});

/** Returns the only package in a folder. */
function theOnly(folder: string): string {
  const [name = '', ...others] = readdirSync(folder).filter((file) => file.endsWith('.tgz'));
  assert.deepEqual(others, []);
  return join(folder, name);
}

/** Runs npm and returns its output. */
function npm(args: readonly string[], { env, cwd }: { env?: Environment; cwd?: string } = {}): string {
  const options = { encoding: 'utf8', ...(env && { env }), ...(cwd && { cwd }) } as const;
  const { status, stdout, stderr } = spawnSync('npm', args, options);
  assert.equal(status, 0, `npm ${args.join(' ')}: ${stdout}${stderr}`);
  return stdout;
}
