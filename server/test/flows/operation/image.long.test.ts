/**
 * The image, assembled without a container engine and built by one, and started as an engine would start it: its layers
 * are the root of a process that cannot write them, and the settings are those of the compose files.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { parse } from 'yaml';
import { freshPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { buildContainerfile } from '../../kit/programs/buildah.ts';
import { Container, type Image, type LayoutImage, unpackImage } from '../../kit/programs/container.ts';
import { freePort } from '../../kit/programs/free-port.ts';
import { Folder } from '../../kit/programs/process.ts';
import { whyNoProgram } from '../../kit/programs/proxies.ts';
import { aliceAt } from '../../kit/signed-in.ts';

const root = join(import.meta.dirname, '../../../..');
const hasTools = process.getuid?.() === 0 && spawnSync('debootstrap', ['--version'], { stdio: 'ignore' }).status === 0;
const skip = hasTools ? false : 'this is not root, or debootstrap is not installed (apt-get install debootstrap)';
const noBuildah = whyNoProgram('buildah', '--version');
if (skip !== false) process.stderr.write(`NOT TESTED: the image: ${skip}\n`);
if (noBuildah !== false) process.stderr.write(`NOT TESTED: the Containerfile: ${noBuildah}\n`);
const COMPRESSED_MAX = 120e6;
/** A user other than that of the image. */
const OTHER = 20_002;
const VALUES: Readonly<Record<string, string>> = {
  NOTEVAULT_DOMAIN: 'notes.example.org',
  POSTGRES_PASSWORD: 'secret',
  NOTEVAULT_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
};

interface Service {
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck: { readonly test: readonly string[] };
  readonly read_only: boolean;
  readonly volumes: readonly string[];
}

/** Returns a service of a compose file, on a free port of this machine instead of a network of its own. */
async function serviceIn(file: string, name: string) {
  const text = readFileSync(join(root, 'deploy', file), 'utf8');
  const filled = text.replace(/\$\{(\w+)(?::[?-][^}]*)?\}/g, (_, variable: string) => VALUES[variable] ?? '');
  const service = parse(filled, { merge: true }).services[name] as Service;
  assert.deepEqual([service.read_only, service.volumes], [true, ['data:/data']]);
  const local = { NOTEVAULT_HOST: '127.0.0.1', NOTEVAULT_PORT: String(await freePort()) };
  const env = { ...service.environment, ...local, NOTEVAULT_AUTH_RATE_LIMIT: '0' };
  return { env, health: service.healthcheck.test.slice(1) };
}

describe('the image', { skip }, () => {
  const folder = new Folder();
  let image: LayoutImage;
  before(() => {
    const layout = process.env.TEST_IMAGE ?? folder.at('layout');
    if (process.env.TEST_IMAGE === undefined)
      execFileSync(process.execPath, [join(root, 'tools/build-image.ts'), layout], { stdio: 'pipe' });
    image = unpackImage(layout, folder.at('files'));
  });
  after(() => folder[Symbol.dispose]());
  const volumeOf = (user: number) => {
    const volume = mkdtempSync(folder.at('volume-'));
    chownSync(volume, user, user);
    return volume;
  };

  it('has at most 120 MB, and the user, volume and health check of the Containerfile', () => {
    assert.ok(image.bytes <= COMPRESSED_MAX, `${image.bytes} bytes`);
    const { User, Volumes, Healthcheck } = image.settings;
    assert.deepEqual([User, Volumes, Healthcheck.Test.at(-1)], ['10001:10001', { '/data': {} }, '--quiet']);
  });

  /** Uses an image with the settings of the first compose file. */
  async function checkServing(image: Image) {
    const { env, health } = await serviceIn('compose.yaml', 'notevault');
    const [volume, command] = [volumeOf(OTHER), image.settings.Entrypoint];
    const container = new Container(image, { volume, user: OTHER, env });
    await using server = await container.serve();
    const alice = await aliceAt(server.url);
    await alice.post('/vaults', { name: 'Home' });
    assert.equal((await alice.post('/notes', { path: 'a.md', content: 'kept', mtime: 1 })).status, 200);
    assert.equal((await fetch(server.url, { headers: { accept: 'text/html' } })).status, 200);
    assert.equal((await container.run(health)).code, 0);
    const write = await container.run(['node', '-e', "require('node:fs').writeFileSync('/opt/notevault/x', '')"]);
    assert.match(write.output, /EROFS/);
    // The daily backup of a new server begins at once, at the lowest priority.
    while ((await alice.get('/admin/health')).body.last_backup_at === null) await delay(100);
    assert.equal(await server.stop(), 0);
    const backup = await container.run([...command, 'backup', '/data/backups']);
    assert.equal(backup.code, 0, backup.output);
    assert.equal((await container.run(health)).code, 1);

    const fresh = volumeOf(OTHER);
    cpSync(join(volume, 'backups'), join(fresh, 'backups'), { recursive: true });
    execFileSync('chown', ['-R', `${OTHER}:${OTHER}`, fresh]);
    const NOTEVAULT_MASTER_KEY = readFileSync(join(volume, 'master.key'), 'utf8').trim();
    const there = { ...env, NOTEVAULT_DATA_DIR: '/data/restored', NOTEVAULT_MASTER_KEY };
    const other = new Container(image, { volume: fresh, user: OTHER, env: there });
    const restore = await other.run([...command, 'restore', '/data/backups']);
    assert.equal(restore.code, 0, restore.output);
    await using again = await other.serve();
    assert.equal((await (await aliceAt(again.url)).get('/notes/a.md')).body.content, 'kept');
    assert.equal(await again.stop(), 0);
  }

  it('serves on a read-only root as another user, is healthy, stops with 0, and restores its backup', () =>
    checkServing(image));

  it('does the same as buildah builds it from the Containerfile', { skip: noBuildah }, async () => {
    const built = buildContainerfile(image, folder);
    for (const name of ['User', 'WorkingDir', 'Entrypoint', 'Cmd', 'Volumes', 'ExposedPorts', 'StopSignal'] as const)
      assert.deepEqual(built.settings[name], image.settings[name]);
    assert.deepEqual(built.settings.Healthcheck.Test, image.settings.Healthcheck.Test);
    await checkServing(built);
  });

  it('serves PostgreSQL from two containers on one volume, as its compose file says', {
    skip: whyNoPostgres() ?? false,
  }, async () => {
    await using database = await freshPostgres();
    const [volume, user] = [volumeOf(10_001), 10_001];
    const start = async (name: string) => {
      const { env, health } = await serviceIn('compose.postgres.yaml', name);
      const container = new Container(image, { volume, user, env: { ...env, NOTEVAULT_DATABASE_URL: database.url } });
      return { container, health, server: await container.serve() };
    };
    const [first, second] = [await start('notevault-1'), await start('notevault-2')];
    await using _first = first.server;
    await using _second = second.server;
    const alice = await aliceAt(first.server.url);
    await alice.post('/vaults', { name: 'Home' });
    assert.equal((await alice.post('/notes', { path: 'a.md', content: 'shared', mtime: 1 })).status, 200);
    assert.equal((await (await aliceAt(second.server.url)).get('/notes/a.md')).body.content, 'shared');
    for (const { container, health, server } of [first, second]) {
      assert.equal((await container.run(health)).code, 0);
      assert.equal(await server.stop(), 0);
    }
  });
});
