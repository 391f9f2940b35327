import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, it, test } from 'node:test';
import { promisify } from 'node:util';
import { onSqlite } from '../../kit/engines.ts';
import { scratchFolder } from '../../kit/scratch.ts';
import { startServer } from '../../kit/server.ts';

// Other programs install the packed client, outside the repository and without its workspaces.
const root = join(import.meta.dirname, '../../../..');
const folder = scratchFolder('pack-client');
const installed = join(folder, 'node_modules/notevault-client');
const run = promisify(execFile);

before(async () => {
  const env = { ...process.env, NOTEVAULT_COMMIT: '1b2c3d4e' };
  await run(process.execPath, [join(root, 'tools/pack-client.ts'), folder], { env });
  mkdirSync(installed, { recursive: true });
  const [tarball = ''] = globSync('*.tgz', { cwd: folder });
  await run('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1']);
  const { dependencies } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  for (const name of Object.keys(dependencies)) {
    const link = join(folder, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
});
after(() => rmSync(folder, { recursive: true, force: true }));

test('the packed client names the commit that it was built from', () => {
  const { commit } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
  assert.equal(commit, '1b2c3d4e');
});

test('the packed client has compiled modules with their types, and nothing of Node', () => {
  for (const path of ['README.md', 'LICENSE', 'packages/client/src/live/live-note.d.ts']) {
    assert.ok(existsSync(join(installed, path)), path);
  }
  const modules = globSync('packages/**/*.js', { cwd: installed });
  assert.ok(modules.length > 10);
  for (const path of modules) {
    assert.ok(existsSync(join(installed, path.replace(/js$/, 'd.ts'))), path);
    assert.doesNotMatch(readFileSync(join(installed, path), 'utf8'), /from ["']node:|@notevault\/|\.ts["']/, path);
  }
});

onSqlite('a program with the packed client', (open) => {
  it('a program with the packed client writes notes, and edits them live', async () => {
    await using server = await startServer({ open });
    const key = (await server.alice.post('/api-keys', { name: 'program' })).body.key as string;
    const program = join(folder, 'program.js');
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(
      program,
      `import { LiveSocket } from 'notevault-client/live/live-socket';
    import { NotevaultClient } from 'notevault-client/notevault-client';
    import { fixedToken } from 'notevault-client/tokens';
    import { Transport } from 'notevault-client/transport';
    const [url, key] = process.argv.slice(2);
    const client = new NotevaultClient(new Transport(url, fixedToken(key)));
    const vault = client.vault((await client.createVault('Ideas')).id);
    const note = await vault.upsertNote({ path: 'first.md', content: '# First\\n', mtime: 1 });
    const socket = new LiveSocket(url, fixedToken(key));
    const live = socket.open(note.id);
    await live.synced();
    live.text.insert(live.text.length, 'live\\n');
    await live.saved();
    console.log(JSON.stringify((await vault.readNote('first.md')).content));
    socket[Symbol.dispose]();`,
    );
    const { stdout } = await run(process.execPath, [program, server.url, key], { cwd: folder, timeout: 60_000 });
    assert.equal(JSON.parse(stdout), '# First\nlive\n');
  });
});
