import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Executable, whyNoExecutable } from '../../kit/programs/executable.ts';
import { RunningCli } from '../../kit/programs/process.ts';
import { aliceAt } from '../../kit/signed-in.ts';
import { until } from '../../kit/until.ts';

const root = join(import.meta.dirname, '../../../..');

describe('the executable', { skip: whyNoExecutable }, () => {
  let executable: Executable;
  before(() => {
    executable = new Executable();
  });
  after(() => executable[Symbol.dispose]());

  it('takes the daily backup in a process of its own, verifies and restores it', async () => {
    const backups = executable.folder.at('backups');
    {
      await using server = await executable.start();
      const alice = await aliceAt(server.url);
      assert.equal((await alice.post('/vaults', { name: 'Diary' })).status, 201);
      assert.equal((await alice.post('/notes', { path: 'first.md', content: '# First\n', mtime: 1 })).status, 200);
    }
    {
      await using server = await executable.start({ NOTEVAULT_BACKUP_DIR: backups });
      const alice = await aliceAt(server.url);
      // It is taken at the lowest priority, so on a busy machine only the runner of the tests says when it hangs.
      while ((await alice.get('/admin/health')).body.last_backup_at === null) await delay(50);
    }
    const verified = await executable.run(['verify', backups]);
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    const key = readFileSync(executable.folder.at('data', 'master.key'), 'utf8').trim();
    const elsewhere = { NOTEVAULT_DATA_DIR: executable.folder.at('elsewhere'), NOTEVAULT_MASTER_KEY: key };
    const restored = await executable.run(['restore', backups], elsewhere);
    assert.equal(restored.code, 0, restored.stderr);
    const exported = await executable.run(['export', 'Diary', executable.folder.at('exported')], elsewhere);
    assert.equal(exported.code, 0, exported.stderr);
    assert.match(readFileSync(executable.folder.at('exported', 'first.md'), 'utf8'), /^# First/);
  });

  it('syncs a folder, and as the service that it describes', async () => {
    await using server = await executable.start();
    const alice = await aliceAt(server.url);
    const [{ id: vault_id }] = (await alice.get('/vaults')).body.vaults;
    const vault = executable.folder.at('vault');
    mkdirSync(vault);
    const spawned = (program: string, args: string[]) =>
      new RunningCli(
        spawn(program, args, { env: { HOME: executable.folder.path }, stdio: ['ignore', 'pipe', 'pipe'] }),
      );
    using login = spawned(executable.path, ['login', '--no-keychain', server.url]);
    const codeIn = (said: string) => /code (\S+)/.exec(said)?.[1];
    await until(() => codeIn(login.stdout()) !== undefined, 'a code');
    await alice.post('/auth/device/authorize', { user_code: codeIn(login.stdout()), vault_id });
    assert.equal((await login.ended).code, 0, login.stderr());
    const first = await executable.run(['sync', '--once', vault]);
    assert.equal(first.code, 0, first.stdout + first.stderr);
    const { stdout } = await executable.run(['sync', 'install', '--print', vault]);
    const [, command = ''] = /^ExecStart=(.+)$/m.exec(stdout) ?? [];
    const [program = '', ...args] = command.split(' ').map((word) => JSON.parse(word) as string);
    assert.equal(program, executable.path);
    using service = spawned(program, args);
    writeFileSync(join(vault, 'second.md'), '# Second\n');
    await until(async () => (await alice.get('/notes/second.md')).status === 200, 'the note that the service sends');
    service.kill('SIGTERM');
    assert.equal((await service.ended).code, 0);
  });

  it('passes the flows of the web app in a real browser', () => {
    const env = { ...process.env, TEST_EXECUTABLE: executable.path };
    const { status } = spawnSync(process.execPath, [join(root, 'tools/e2e.ts')], { cwd: root, stdio: 'inherit', env });
    assert.equal(status, 0);
  });
});
