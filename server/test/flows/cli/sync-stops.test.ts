import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { replaceFile } from '../../../../cli/src/sync/state/folder-registry.ts';
import type { Caller } from '../../kit/person.ts';
import { freePort } from '../../kit/programs/free-port.ts';
import { cli, Folder, type RunningCli, type ServeProcess, startCli, startServe } from '../../kit/programs/process.ts';
import { SmallDisk } from '../../kit/programs/small-disk.ts';
import { aliceAt } from '../../kit/signed-in.ts';
import { until } from '../../kit/until.ts';

const skip = SmallDisk.isMissing('a sync whose disk is really full');

describe('notevault sync, while it watches', () => {
  const folder = new Folder();
  let server: ServeProcess;
  let [url, key] = ['', ''];
  let alice: Caller;

  async function start(): Promise<void> {
    server = await startServe({
      env: { NOTEVAULT_DATA_DIR: folder.at('data'), NOTEVAULT_PORT: new URL(url).port },
    });
    alice = await aliceAt(url);
  }

  before(async () => {
    url = `http://127.0.0.1:${await freePort()}`;
    await start();
    await alice.post('/vaults', { name: 'Garden' });
    key = (await alice.post('/api-keys', { name: 'cron' })).body.key;
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** A folder with one note, and the environment of a machine that syncs it with a token. */
  function machine(name: string, home = folder.at(name)) {
    const root = join(home, 'vault');
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, `${name}.md`), name);
    const env = { XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config'), NOTEVAULT_TOKEN: key };
    return { root, env, watch: () => startCli(['sync', '--url', url, root], { env }) };
  }

  const arrived = async (path: string) => (await alice.get(`/notes/${path}`)).status === 200;

  /** Waits until a command that watches has sent its note. */
  const inStep = (name: string, running: RunningCli) =>
    until(
      async () => /sent|new/.test(running.stdout()) && (await arrived(`${name}.md`)),
      () => running.stdout() + running.stderr(),
    );

  const causes: [string, RegExp, (root: string) => void][] = [
    [
      'lost its marker',
      /is not the folder that was synced/,
      (root) => {
        rmSync(join(root, '.notevault/folder.json'));
        writeFileSync(join(root, 'later.md'), 'later');
      },
    ],
    ['was removed', /is not the folder that was synced/, (root) => rmSync(root, { recursive: true })],
    ['was moved', /is not the folder that was synced/, (root) => renameSync(root, `${root} elsewhere`)],
  ];
  for (const [what, says, cause] of causes) {
    it(`notevault sync ends with a code when its folder ${what}, so that a service manager starts it again`, async () => {
      const name = what.replaceAll(' ', '-');
      const { root, watch } = machine(name);
      using running = watch();
      await inStep(name, running);
      cause(root);
      const { code, stderr } = await running.ended;
      assert.equal(code, 1);
      assert.match(stderr, says);
    });
  }

  it('notevault sync ends with a code and one line when the disk of its state is full', { skip }, async () => {
    using disk = SmallDisk.mount(4);
    const { root, env } = machine('full');
    using running = startCli(['sync', '--url', url, root], { env: { ...env, XDG_STATE_HOME: disk.path } });
    await inStep('full', running);
    disk.fill(join(disk.path, 'ballast'), 0);
    for (let index = 0; index < 400; index++) writeFileSync(join(root, `${index}.md`), 'x'.repeat(500));
    const { code, stderr } = await running.ended;
    assert.equal(code, 1);
    const said = /\nnotevault: \S+(state\.sqlite|status\.json) cannot be written: the disk is full: make room\.\n$/;
    assert.match(stderr, said);
    // Which of the two files is written first is chance.
    const status = replaceFile(join(disk.path, 'status.json'), 'x'.repeat(100_000));
    await assert.rejects(status, /status\.json cannot be written: the disk is full: make room\.$/);
  });

  it('notevault sync waits for a server that is down, with a token too, and its status says what waits', async () => {
    const [known, fresh] = [machine('known'), machine('fresh')];
    {
      using running = known.watch();
      await inStep('known', running);
      running.kill('SIGTERM');
      assert.equal((await running.ended).code, 0);
    }
    await server.stop();
    writeFileSync(join(known.root, 'offline.md'), 'offline');
    using running = known.watch();
    using first = fresh.watch();
    const status = async () => JSON.parse((await cli(['sync', 'status', '--json', known.root], known)).stdout);
    await until(
      async () => (await status()).state === 'offline',
      () => running.stderr(),
    );
    const { waitingUp, waitingDown, oldestUnsent } = await status();
    assert.deepEqual([waitingUp, waitingDown, oldestUnsent.path], [1, 0, 'offline.md']);
    await until(
      () => /Offline: .+ Syncing starts once the server can be reached/.test(first.stderr()),
      () => first.stderr(),
    );
    await start();
    await until(
      () => arrived('offline.md'),
      () => running.stderr(),
    );
    await until(
      () => arrived('fresh.md'),
      () => first.stderr(),
    );
    for (const one of [running, first]) one.kill('SIGTERM');
    assert.deepEqual([(await running.ended).code, (await first.ended).code], [0, 0]);
  });
});
