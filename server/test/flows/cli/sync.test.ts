import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Caller } from '../../kit/person.ts';
import { cli, type Ended, Folder, type ServeProcess, startCli, startServe } from '../../kit/programs/process.ts';
import { registerAt } from '../../kit/setup-tokens.ts';
import { until } from '../../kit/until.ts';

/** A machine of a person: its own home for credentials and state. */
class Machine {
  readonly home: string;
  constructor(home: string) {
    this.home = home;
  }

  get env() {
    return { XDG_STATE_HOME: join(this.home, 'state'), XDG_CONFIG_HOME: join(this.home, 'config') };
  }

  at(path: string): string {
    return join(this.home, 'vault', path);
  }

  folder(): string {
    mkdirSync(this.at(''), { recursive: true });
    return join(this.home, 'vault');
  }

  run(...args: string[]): Promise<Ended> {
    return cli(args, { env: this.env });
  }
}

/** The files of a folder with their contents, without hidden ones. */
function contents(root: string): Map<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  const shown = paths.filter((path) => !path.startsWith('.')).sort();
  return new Map(shown.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
}

describe('notevault login and sync', () => {
  const folder = new Folder();
  const [desk, lap] = [new Machine(folder.at('desk')), new Machine(folder.at('lap'))];
  let server: ServeProcess & { readonly url: string };
  let alice: Caller;

  before(async () => {
    server = await startServe({ env: { NOTEVAULT_DATA_DIR: folder.at('data') } });
    const body = { email: 'alice@example.org', password: "alice's long password" };
    const { access_token } = (await registerAt(server.url, body)).body;
    alice = new Caller(server.url, async () => ({ authorization: `Bearer ${access_token}` }));
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    folder[Symbol.dispose]();
  });

  /** Runs `notevault login` on a machine, and approves it as alice does on the page. */
  async function link(machine: Machine, vault: { vault_id: string; vault_name?: string }): Promise<Ended> {
    using login = startCli(['login', '--no-keychain', server.url], { env: machine.env });
    await until(() => /code \S+/.test(login.stdout()), 'a code');
    const user_code = /code (\S+)/.exec(login.stdout())?.[1];
    assert.equal((await alice.post('/auth/device/authorize', { user_code, ...vault })).status, 200);
    return await login.ended;
  }

  it('links two machines, and brings a folder up and down to the byte and with its times', async () => {
    const linked = await link(desk, { vault_id: 'new', vault_name: 'Garden' });
    assert.deepEqual([linked.code, linked.stderr], [0, '']);
    assert.match(linked.stdout, /Linked to the vault "Garden" of alice@example\.org/);
    const [credential = ''] = readdirSync(join(desk.home, 'config/notevault/credentials'));
    assert.equal(statSync(join(desk.home, 'config/notevault/credentials', credential)).mode & 0o777, 0o600);

    desk.folder();
    mkdirSync(desk.at('Beds/old'), { recursive: true });
    writeFileSync(desk.at('Plan.md'), '# Plan\r\n[[Soil]]\r\n');
    writeFileSync(desk.at('Beds/Soil.md'), 'soil\n');
    writeFileSync(desk.at('Beds/bed.txt'), 'a bed\n');
    utimesSync(desk.at('Plan.md'), 1_600_000_000.5, 1_600_000_000.5);
    // Not a whole number of milliseconds, nor of what a double of seconds can say.
    utimesSync(desk.at('Beds/Soil.md'), 1_600_000_000.1235, 1_600_000_000.1235);
    utimesSync(desk.at('Beds/bed.txt'), 1_600_000_000.9995, 1_600_000_000.9995);
    const preview = await desk.run('sync', '--dry-run', desk.folder());
    assert.match(preview.stdout, /up {4}new {6}Beds\/Soil\.md\n/);
    assert.deepEqual(readdirSync(desk.at('')).sort(), ['Beds', 'Plan.md']);
    const up = await desk.run('sync', '--once', '--json', desk.folder());
    assert.equal(up.code, 0, up.stderr);
    const events = up.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(events.at(-1).state, 'in step');
    assert.equal(events.filter(({ type }) => type === 'createRemote').length, 3);

    const [{ id }] = (await alice.get('/vaults')).body.vaults;
    assert.equal((await link(lap, { vault_id: id })).code, 0);
    const down = await lap.run('sync', '--once', lap.folder());
    assert.match(down.stdout, /^In sync: 0 sent, [45] received\.\n$/);
    assert.deepEqual(contents(lap.folder()), contents(desk.folder()));
    assert.ok(existsSync(lap.at('Beds/old')));
    assert.equal(statSync(lap.at('Plan.md')).mtimeMs, 1_600_000_000_500);
    const timeOf = (file: string) => Number(statSync(file, { bigint: true }).mtimeNs % 1_000_000_000_000n);
    for (const path of ['Beds/Soil.md', 'Beds/bed.txt']) {
      assert.ok(Math.abs(timeOf(lap.at(path)) - timeOf(desk.at(path))) < 1000, `${path} to the microsecond`);
    }
  });

  it('notevault sync follows both sides while it watches, and other commands talk to it', async () => {
    using here = startCli(['sync', desk.folder()], { env: desk.env });
    using there = startCli(['sync', '--json', lap.folder()], { env: lap.env });
    const watched = async (machine: Machine) =>
      (await machine.run('sync', 'status', '--json', machine.folder())).stdout;
    await until(async () => /"watching":"watched"/.test((await watched(desk)) + (await watched(lap))), 'the watchers');
    await until(
      () => existsSync(join(lap.at('.notevault'), 'folder.json')) && /Syncing/.test(here.stderr()),
      'a start',
    );
    writeFileSync(desk.at('New.md'), 'from the desk\n');
    // One file at a time while they move: what a listing of the folder names may be gone when it is read.
    await until(() => existsSync(lap.at('New.md')), 'the note on the other machine');
    assert.equal(readFileSync(lap.at('New.md'), 'utf8'), 'from the desk\n');
    renameSync(lap.at('Beds'), lap.at('Garden beds'));
    await until(() => existsSync(desk.at('Garden beds/Soil.md')), 'the renamed folder');
    const busy = await desk.run('sync', '--once', desk.folder());
    assert.equal(busy.code, 1);
    assert.match(busy.stderr, /Another notevault process already syncs/);
    assert.equal((await desk.run('sync', 'pause', desk.folder())).code, 0);
    writeFileSync(desk.at('Paused.md'), 'later\n');
    assert.match((await desk.run('sync', 'status')).stdout, /state +paused/);
    assert.equal((await desk.run('sync', 'resume', desk.folder())).code, 0);
    await until(() => existsSync(lap.at('Paused.md')), 'the note after the pause');
    for (const running of [here, there]) running.kill('SIGTERM');
    assert.equal((await here.ended).code, 0);
    assert.equal((await there.ended).code, 0);
    assert.deepEqual(contents(lap.folder()), contents(desk.folder()));
  });

  it('notevault sync asks before it deletes many files, and brings one back from the trash', async () => {
    for (let index = 0; index < 25; index++) writeFileSync(desk.at(`many ${index}.md`), `${index}\n`);
    assert.equal((await desk.run('sync', '--once', desk.folder())).code, 0);
    assert.equal((await lap.run('sync', '--once', lap.folder())).code, 0);
    for (let index = 0; index < 25; index++) rmSync(desk.at(`many ${index}.md`));
    const waits = await desk.run('sync', '--once', desk.folder());
    assert.equal(waits.code, 2);
    assert.match(
      waits.stdout,
      /25 of \d+ files in the vault were deleted in this folder.+sync approve.+sync put-back/s,
    );
    assert.equal((await desk.run('sync', 'status', desk.folder())).code, 2);
    assert.equal((await desk.run('sync', 'approve', desk.folder())).code, 0);
    assert.equal((await lap.run('sync', '--once', lap.folder())).code, 2);
    assert.equal((await lap.run('sync', '--once', '--yes', lap.folder())).code, 0);
    assert.deepEqual(contents(lap.folder()), contents(desk.folder()));
    assert.match(
      (await lap.run('sync', 'restore', '--list', lap.folder())).stdout,
      /^many 7\.md\n {2}\S+ \S+ {2}deleted\n/m,
    );
    assert.equal((await lap.run('sync', 'restore', lap.at('many 7.md'))).code, 0);
    assert.equal(readFileSync(lap.at('many 7.md'), 'utf8'), '7\n');
    const again = await lap.run('sync', '--once', lap.folder());
    assert.deepEqual([again.code, again.stdout], [0, 'In sync: 1 sent, 0 received.\n'], again.stderr);
    assert.equal((await desk.run('sync', '--once', desk.folder())).code, 0);
    assert.equal(readFileSync(desk.at('many 7.md'), 'utf8'), '7\n');
  });

  it('notevault sync lets one process at a time work on a folder, wherever each has its state', async () => {
    const other = { ...desk.env, XDG_STATE_HOME: join(desk.home, 'other state') };
    using running = startCli(['sync', desk.folder()], { env: desk.env });
    const watched = async () => (await desk.run('sync', 'status', '--json', desk.folder())).stdout;
    await until(
      async () => /"watching":"watched"/.test(await watched()),
      () => running.stderr(),
    );
    const marker = readFileSync(desk.at('.notevault/folder.json'), 'utf8');
    for (const command of [
      ['sync', '--once'],
      ['sync', 'follow-server', '--yes'],
    ]) {
      const { code, stderr } = await cli([...command, desk.folder()], { env: other });
      assert.equal(code, 1);
      assert.match(stderr, /Another notevault process already syncs .+ with its own state/);
    }
    assert.equal(readFileSync(desk.at('.notevault/folder.json'), 'utf8'), marker);
    running.kill('SIGTERM');
    assert.equal((await running.ended).code, 0, running.stderr());
  });

  it('notevault sync prints names that are no more than text for a terminal', async () => {
    const [clearing, link] = ['cleared \u001b[2J.md', 'a link\nIn sync: 0 sent.md'];
    writeFileSync(desk.at(clearing), 'x');
    symlinkSync('Plan.md', desk.at(link));
    const { code, stdout } = await desk.run('sync', '--once', desk.folder());
    assert.equal(code, 0);
    assert.match(stdout, /\n {2}cleared \ufffd\[2J\.md must not contain control characters\n/);
    assert.match(stdout, /\n {2}a link In sync: 0 sent\.md /);
    const status = await desk.run('sync', 'status', desk.folder());
    assert.match(status.stdout, /cleared \ufffd\[2J\.md must not/);
    assert.doesNotMatch(stdout + status.stdout, /\u001b/);
    const missing = await desk.run('sync', 'restore', desk.at('\u001b[31mred.md'));
    assert.match(missing.stderr, /\ufffd\[31mred\.md is not in the trash/);
    for (const path of [clearing, link]) rmSync(desk.at(path));
  });

  it('notevault sync takes an emptied or a copied folder for what it is, and deletes nothing', async () => {
    const before = contents(desk.folder());
    renameSync(desk.folder(), folder.at('away'));
    const gone = await desk.run('sync', '--once', desk.folder());
    assert.equal(gone.code, 1);
    assert.match(gone.stderr, /is not the folder that was synced.+follow-server/s);
    const filled = await desk.run('sync', 'follow-server', '--yes', desk.folder());
    assert.equal(filled.code, 0, filled.stderr);
    assert.deepEqual(new Set(contents(desk.folder()).keys()), new Set(before.keys()));
    const copy = await desk.run('sync', '--once', folder.at('away'));
    assert.match(copy.stdout, /^In sync: 0 sent, 0 received/);
    const markers = [desk.at('.notevault/folder.json'), folder.at('away/.notevault/folder.json')];
    assert.notEqual(...(markers.map((file) => readFileSync(file, 'utf8')) as [string, string]));
  });

  const refused: [string, () => string[], RegExp][] = [
    // A dry run, because without the refusal these would be synced.
    ['the root', () => ['sync', '--dry-run', '/'], /is not synced as a whole/],
    ['the home folder', () => ['sync', '--dry-run', homedir()], /is not synced as a whole/],
    [
      'another vault for a synced folder',
      () => ['sync', '--once', '--vault', 'Other', desk.folder()],
      /is synced with the vault "Garden"/,
    ],
    ['both directions alone', () => ['sync', '--pull', '--push', desk.folder()], /cannot be combined/],
    [
      'unknown settings',
      () => ['sync', '--once', '--settings', 'app,nonsense', desk.folder()],
      /does not know nonsense/,
    ],
    ['a restore of what was never there', () => ['sync', 'restore', desk.at('x.md')], /x\.md is not in the trash/],
  ];
  for (const [what, args, says] of refused) {
    it(`notevault sync refuses ${what}`, async () => {
      const { code, stderr } = await cli(args(), { env: { ...desk.env, HOME: homedir() } });
      assert.equal(code, 1);
      assert.match(stderr, says);
    });
  }

  it('notevault logout ends a device, so that its tokens are refused, and leaves the folder as it is', async () => {
    const [file = ''] = readdirSync(join(lap.home, 'config/notevault/credentials'));
    const { access_token } = JSON.parse(readFileSync(join(lap.home, 'config/notevault/credentials', file), 'utf8'));
    const before = contents(lap.folder());
    assert.equal((await lap.run('logout', server.url)).code, 0);
    const answer = await new Caller(server.url, async () => ({ authorization: `Bearer ${access_token}` })).get(
      '/vaults',
    );
    assert.equal(answer.status, 401);
    const after = await lap.run('sync', '--once', lap.folder());
    assert.deepEqual([after.code, contents(lap.folder())], [1, before]);
    assert.match(after.stderr, /is not signed in.+notevault login/s);
    assert.match((await lap.run('logout', server.url)).stderr, /is not linked/);
  });

  it('notevault sync works unattended with a token, and says that a revoked one is refused', async () => {
    const { key, id } = (await alice.post('/api-keys', { name: 'cron' })).body;
    const env = { ...lap.env, NOTEVAULT_TOKEN: key };
    const once = () => cli(['sync', '--once', lap.folder()], { env });
    const first = await once();
    assert.equal(first.code, 0, first.stdout + first.stderr);
    assert.ok([200, 204].includes((await alice.delete(`/api-keys/${id}`)).status));
    const { code, stderr } = await once();
    assert.equal(code, 1);
    assert.match(stderr, /refuses NOTEVAULT_TOKEN/);
  });
});
