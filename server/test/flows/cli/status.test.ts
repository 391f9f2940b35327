import assert from 'node:assert/strict';
import { test } from 'node:test';
import { version, versionWithCommit } from '../../../src/version.ts';
import { assertFails, cli, Folder, startServe } from '../../kit/programs/process.ts';

test('notevault status describes the running server without names, and fails when there is none', async () => {
  using folder = new Folder();
  const env = { NOTEVAULT_DATA_DIR: folder.at('data') };
  const input = 'long enough';
  await cli(['admin', 'create-user', 'alice@example.org', '--password-stdin'], { env, input });
  await using server = await startServe({ env });
  const args = ['status'];
  const { code, stdout } = await cli(args, { env });
  assert.equal(code, 0, stdout);
  // Built or run from a repository, it names the commit.
  const shown = versionWithCommit() === version ? version : `${version} \\([0-9a-f]{8,}(-dirty)?\\)`;
  assert.match(stdout, new RegExp(`^notevault +${shown}, ready\n`));
  assert.match(stdout, new RegExp(`^server +${shown}, up for `, 'm'));
  assert.match(stdout, /^serves +database ok, migrations ok, blobs ok, storage ok, backup ok\n/m);
  assert.match(stdout, /^accounts +1, 0 sessions\n/m);
  assert.match(stdout, /^holds +0 vaults, 0 notes, 0 attachments/m);
  assert.match(stdout, /^backup +none was ever taken/m);
  assert.doesNotMatch(stdout, /alice|example\.org/);
  assert.ok(!stdout.includes(folder.path), 'no paths of this machine');
  assert.deepEqual(await cli([...args, '--quiet'], { env }).then(({ code: quiet, stdout: said }) => [quiet, said]), [
    0,
    '',
  ]);
  await server.stop();
  for (const quiet of [[], ['--quiet']])
    assertFails(await cli([...args, ...quiet], { env }), /no server works in .*data: start one/);
});

test('notevault status fails for a folder that is not served, also while another server has its port', async () => {
  using folder = new Folder();
  await using server = await startServe({ env: { NOTEVAULT_DATA_DIR: folder.at('served') } });
  const port = ['--port', new URL(server.url).port];
  const statusOf = (data: string) => cli(['status', ...port, '--data-dir', data]);
  assertFails(await statusOf(folder.at('nothing')), /There is no data in .*nothing/);
  const input = 'long enough';
  const env = { NOTEVAULT_DATA_DIR: folder.at('idle') };
  await cli(['admin', 'create-user', 'alice@example.org', '--password-stdin'], { env, input });
  assertFails(await statusOf(folder.at('idle')), /no server works in .*idle/);
});
