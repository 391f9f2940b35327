import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { listOptions, variableOf } from '../../../src/config/options.ts';
import { whyNoProgram } from '../../kit/programs/proxies.ts';

const deploy = join(import.meta.dirname, '../../../../deploy');
const read = (path: string) => readFileSync(join(deploy, path), 'utf8');

test('the build of the image gets neither installed modules nor history, which would replace its own', () => {
  const ignored = readFileSync(join(deploy, '../.dockerignore'), 'utf8').split('\n');
  for (const name of ['.git', '**/node_modules', '**/dist']) assert.ok(ignored.includes(name), name);
});

test('the build of the image gets the commit, because it gets no history', () => {
  const [, , build = ''] = /^([\s\S]*?)(FROM [\s\S]*?)^FROM /m.exec(read('Containerfile')) ?? [];
  assert.match(build, /^ARG NOTEVAULT_COMMIT\n(#.*\n)*RUN .*npm run pack/m);
  for (const file of ['compose.yaml', 'compose.postgres.yaml']) {
    assert.match(read(file), /args:\n +NOTEVAULT_COMMIT: \$\{NOTEVAULT_COMMIT:-\}/, file);
  }
});

test('every NOTEVAULT_ variable in deploy/ is an option', () => {
  const known = new Set(listOptions().map(({ name }) => variableOf(name)));
  // Three are of the Caddyfiles, one is of the build.
  for (const own of ['NOTEVAULT_DOMAIN', 'NOTEVAULT_UPSTREAM', 'NOTEVAULT_PATH', 'NOTEVAULT_COMMIT']) known.add(own);
  const files = globSync('**/*', { cwd: deploy }).filter((path) => /\.\w+$|file$/.test(path));
  for (const file of files) {
    for (const [variable] of read(file).matchAll(/NOTEVAULT_[A-Z_]+/g))
      assert.ok(known.has(variable), `${file}: ${variable}`);
  }
});

test('the compose files start what they name, with one volume for data and no more rights than needed', () => {
  for (const file of ['compose.yaml', 'compose.postgres.yaml']) {
    const { services, volumes, networks } = parse(read(file), { merge: true });
    for (const [name, service] of Object.entries<Record<string, unknown>>(services)) {
      for (const mount of (service.volumes as string[]) ?? []) {
        const [from = ''] = mount.split(':');
        assert.ok(from.startsWith('./') || from in volumes, `${file}: ${name} mounts ${from}`);
      }
      for (const network of service.networks as string[]) assert.ok(network in networks, `${file}: ${network}`);
      if (!name.startsWith('notevault')) continue;
      assert.equal(service.read_only, true);
      assert.deepEqual(service.cap_drop, ['ALL']);
      // Images in the OCI format, podman's default, have no health check of their own.
      const [, check = ''] = /CMD (\["node", .*"--quiet"\])/.exec(read('Containerfile')) ?? [];
      assert.deepEqual((service.healthcheck as { test: string[] }).test, ['CMD', ...JSON.parse(check)]);
      const { subnet } = networks.inside.ipam.config[0];
      assert.equal((service.environment as Record<string, string>).NOTEVAULT_TRUST_PROXY, subnet);
    }
  }
});

const noSystemd = whyNoProgram('systemd-analyze', '--version');
if (noSystemd !== false) process.stderr.write(`NOT TESTED: the systemd unit: ${noSystemd}\n`);
test('systemd accepts the unit', { skip: noSystemd }, () => {
  const { stdout, stderr } = spawnSync(
    'systemd-analyze',
    ['verify', '--man=no', join(deploy, 'systemd/notevault.service')],
    {
      encoding: 'utf8',
    },
  );
  const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('notevault.service'));
  assert.deepEqual(about, []);
});

const noCaddy = whyNoProgram('caddy', 'version');
if (noCaddy !== false) process.stderr.write(`NOT TESTED: the Caddyfile: ${noCaddy}\n`);
test('Caddy accepts the Caddyfiles', { skip: noCaddy }, () => {
  for (const file of ['Caddyfile', 'Caddyfile.path']) {
    const args = ['adapt', '--config', join(deploy, 'caddy', file), '--adapter', 'caddyfile'];
    const { status, stderr } = spawnSync('caddy', args, { encoding: 'utf8', env: { ...process.env, HOME: '/tmp' } });
    assert.equal(status, 0, stderr);
  }
});
