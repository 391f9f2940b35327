import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { it } from 'node:test';
import { Folder } from '../../../../server/test/kit/programs/process.ts';
import { type Credential, Credentials } from './credentials.ts';
import type { Keychain } from './keychain.ts';
import { serverOrigin } from './server-address.ts';

const credential: Credential = {
  url: 'https://notes.example.org',
  vault_id: 'v1',
  vault_name: 'Garden',
  email: 'alice@example.org',
  access_token: 'access 1',
  refresh_token: 'refresh 1',
  allow_http: false,
  in_keychain: false,
};

/** A keychain in memory; it can be locked, and refuse. */
class TestKeychain implements Keychain {
  readonly secrets = new Map<string, string>();
  isLocked = false;
  refuses = false;

  read(name: string): string | null {
    return this.isLocked ? null : (this.secrets.get(name) ?? null);
  }

  write(name: string, secret: string): void {
    if (this.refuses) throw new Error('locked');
    this.secrets.set(name, secret);
  }

  remove(name: string): void {
    this.secrets.delete(name);
  }
}

it('Credentials keeps one file for each vault of each server, for its owner alone', async () => {
  using folder = new Folder();
  const credentials = new Credentials(folder.at('config'));
  assert.deepEqual(await credentials.list(), []);
  await credentials.save(credential);
  await credentials.save({ ...credential, vault_id: 'v2' });
  await credentials.save({ ...credential, access_token: 'access 2' });
  assert.equal((await credentials.list()).length, 2);
  assert.equal((await credentials.find(credential.url, 'v1'))?.access_token, 'access 2');
  for (const name of readdirSync(folder.at('config/credentials')))
    assert.equal(statSync(folder.at('config/credentials', name)).mode & 0o777, 0o600);
  await credentials.remove(credential);
  assert.equal(await credentials.find(credential.url, 'v1'), null);
});

it('Credentials keeps tokens in the keychain if it is asked to, and renews them there', async () => {
  using folder = new Folder();
  const keychain = new TestKeychain();
  const credentials = new Credentials(folder.path, async () => keychain);
  const asked = { ...credential, in_keychain: true };
  assert.equal(await credentials.save(asked), true);
  const [name = ''] = readdirSync(folder.at('credentials'));
  const text = () => readFileSync(folder.at('credentials', name), 'utf8');
  assert.ok(!/access 1|refresh 1/.test(text()));
  assert.deepEqual(await credentials.list(), [asked]);
  const tokens = credentials.tokens(asked, async () => ({ access_token: 'access 2', refresh_token: 'refresh 2' }));
  assert.equal(await tokens.refresh('access 1', new Error('401')), 'access 2');
  assert.equal((await credentials.find(credential.url, 'v1'))?.refresh_token, 'refresh 2');
  assert.ok(!text().includes('access 2'));
  keychain.isLocked = true;
  await assert.rejects(credentials.list(), /keychain .* "Garden": unlock it, or run "notevault login/);
  keychain.isLocked = false;
  await credentials.remove(asked);
  assert.deepEqual([keychain.secrets.size, await credentials.list()], [0, []]);
});

it('Credentials keeps tokens in the file where the keychain is missing, or refuses or forgets them', async () => {
  using folder = new Folder();
  const refusing = new TestKeychain();
  refusing.refuses = true;
  const forgetting = new TestKeychain();
  forgetting.isLocked = true;
  const asked = { ...credential, in_keychain: true };
  for (const keychain of [null, refusing, forgetting]) {
    const credentials = new Credentials(folder.path, async () => keychain);
    assert.equal(await credentials.save(asked), false);
    assert.deepEqual(await credentials.list(), [credential]);
  }
});

it('Credentials does not open the keychain for tokens in files', async () => {
  using folder = new Folder();
  const credentials = new Credentials(folder.path, async () => assert.fail('opened'));
  await credentials.save(credential);
  assert.deepEqual(await credentials.list(), [credential]);
  await credentials.remove(credential);
});

it('Credentials names the file that cannot be read', async () => {
  using folder = new Folder();
  const credentials = new Credentials(folder.path);
  await credentials.save(credential);
  const [name = ''] = readdirSync(folder.at('credentials'));
  writeFileSync(folder.at('credentials', name), 'half a fi');
  await assert.rejects(credentials.list(), new RegExp(`${name} cannot be read .*"notevault login" again`));
});

it('two processes with one credential renew it once, and both go on with the stored tokens', async () => {
  using folder = new Folder();
  const credentials = new Credentials(folder.path);
  await credentials.save(credential);
  const rotated: string[] = [];
  const rotate = async (refreshToken: string) => {
    rotated.push(refreshToken);
    return { access_token: `access ${rotated.length + 1}`, refresh_token: `refresh ${rotated.length + 1}` };
  };
  const [one, other] = [credentials.tokens(credential, rotate), credentials.tokens(credential, rotate)];
  const error = new Error('401');
  // Several requests of one process fail together.
  assert.deepEqual(await Promise.all([one.refresh('access 1', error), one.refresh('access 1', error)]), [
    'access 2',
    'access 2',
  ]);
  assert.equal(await other.token(), 'access 1');
  assert.equal(await other.refresh('access 1', error), 'access 2');
  assert.deepEqual(rotated, ['refresh 1']);
  assert.equal(await other.refresh('access 2', error), 'access 3');
  assert.equal((await credentials.find(credential.url, 'v1'))?.refresh_token, 'refresh 3');
});

it('serverOrigin takes https, and http only to this machine or when it is allowed', () => {
  for (const [address, origin] of [
    ['https://notes.example.org/', 'https://notes.example.org'],
    ['https://notes.example.org/api', 'https://notes.example.org'],
    ['https://example.org/notes/api/', 'https://example.org/notes'],
    ['http://localhost:4100', 'http://localhost:4100'],
    ['http://127.0.0.2:4100/', 'http://127.0.0.2:4100'],
    ['http://[::1]:4100', 'http://[::1]:4100'],
  ] as const)
    assert.equal(serverOrigin(address, false), origin);
  for (const address of ['http://192.168.1.2', 'http://127.0.0.1.example.org', 'http://localhost.example.org'])
    assert.throws(() => serverOrigin(address, false), /is not encrypted/);
  assert.equal(serverOrigin('http://192.168.1.2', true), 'http://192.168.1.2');
  for (const address of ['notes.example.org', 'ftp://x', ''])
    assert.throws(() => serverOrigin(address, true), /address/);
});
