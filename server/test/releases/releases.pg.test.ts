import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { restoreBackup } from '../../src/backup/restore/restore.ts';
import { verifyBackup } from '../../src/backup/verify/verify-backup.ts';
import { readConfig } from '../../src/config/config.ts';
import { readRaw, sha256 } from '../kit/content/files.ts';
import { whyNoPostgres } from '../kit/database/postgres.ts';
import { openRaw } from '../kit/database/raw-sql.ts';
import { Caller } from '../kit/person.ts';
import { makeDataPlace } from '../kit/programs/data-place.ts';
import { Folder, startServe } from '../kit/programs/process.ts';
import { registerAt } from '../kit/setup-tokens.ts';
import { tokenOf } from '../kit/shared-vault.ts';
import { contentsOf, ddlOf, folderOf, load, loadBackup, presentDdl, releases } from './data-set.ts';
import type { Contents, VaultContents } from './fill.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** Checks that everything of a vault is there, with a credential of that time. */
async function checkVault(url: string, token: string, vault: VaultContents): Promise<void> {
  const reader = new Caller(url, async () => ({ authorization: `Bearer ${token}`, 'x-vault-id': vault.id }));
  const noteAt = async (path: string) => (await reader.get(`/notes/${encodeURI(path)}`)).body;
  const paths = (items: { path: string }[]) => items.map(({ path }) => path).sort();
  const manifest = (await reader.get('/sync/manifest')).body;
  assert.deepEqual(paths(manifest.notes), Object.keys(vault.notes).sort());
  assert.deepEqual(paths(manifest.attachments), Object.keys(vault.attachments));
  for (const [path, hash] of Object.entries(vault.notes)) {
    assert.equal(sha256(Buffer.from((await noteAt(path)).content)), hash, path);
  }
  for (const [path, hash] of Object.entries(vault.attachments)) {
    assert.equal(sha256((await readRaw(reader, path)).bytes), hash, path);
  }
  const typed: string = (await noteAt(vault.typed.path)).content;
  for (const word of vault.typed.words) assert.ok(typed.includes(word), word);
  const { id } = await noteAt(vault.versions.path);
  assert.equal((await reader.get(`/notes/by-id/${id}/versions`)).body.versions.length, vault.versions.count);
  const target = await noteAt(vault.backlinks.path);
  const { backlinks } = (await reader.get(`/notes/by-id/${target.id}/backlinks`)).body;
  const sources = backlinks.map((link: { source_path: string }) => link.source_path);
  assert.deepEqual(sources.sort(), [...vault.backlinks.from].sort());
  assert.deepEqual(paths((await reader.get('/trash')).body.items), vault.trashed);
  const found = (await reader.post('/search', { query: vault.search.query })).body;
  assert.equal(found.results[0].path, vault.search.path);
}

/**
 * Checks that a vault can be shared, and handed over. Versions from before there were members name no person, so nobody
 * sees the name of their credential afterwards.
 */
async function checkSharing(
  url: string,
  owner: Caller,
  { id, typed, versions }: VaultContents,
  hasPeople: boolean,
): Promise<void> {
  const vault = { 'x-vault-id': id };
  const made = await owner.post(`/vaults/${id}/invitations`, { role: 'editor' });
  const account = { email: 'new-bob@example.org', password: 'a long enough password' };
  const { access_token } = (await registerAt(url, account)).body;
  const bob = new Caller(url, async () => ({ authorization: `Bearer ${access_token}` }));
  assert.equal((await bob.post(`/invitations/${tokenOf(made.body.url)}/accept`)).status, 200);
  const listed = (await bob.get('/vaults')).body.vaults as { id: string; role: string }[];
  assert.deepEqual(
    listed.map((each) => [each.id, each.role]),
    [[id, 'editor']],
  );
  const old = (await bob.get(`/notes/${encodeURI(versions.path)}`, vault)).body;
  const history = (await bob.get(`/notes/by-id/${old.id}/versions`, vault)).body.versions as { actor: object }[];
  assert.equal(history.length, versions.count);
  for (const { actor } of history)
    assert.equal('name' in actor && actor.name, '', 'the name of a credential of others');
  assert.equal((await bob.get('/trash', vault)).status, 200);
  const { changes } = (await bob.get('/sync/changes?fields=all&limit=500', vault)).body;
  assert.ok(changes.length > 0);
  const written = await bob.post('/notes/append', { path: typed.path, text: 'by bob' }, vault);
  assert.equal(written.status, 200, JSON.stringify(written.body));
  const { members } = (await owner.get(`/vaults/${id}/members`)).body as {
    members: { role: string; user_id: string }[];
  };
  assert.deepEqual(
    members.map(({ role }) => role),
    ['owner', 'editor'],
  );
  const namesOf = async (caller: Caller) =>
    (await caller.get(`/notes/by-id/${old.id}/versions`, vault)).body.versions.map(
      (version: { actor: { name: string } }) => version.actor.name,
    );
  assert.ok(
    (await namesOf(owner)).every((name: string) => name !== ''),
    'one’s own',
  );
  assert.equal((await owner.patch(`/vaults/${id}/members/${members[1]?.user_id}`, { role: 'owner' })).status, 200);
  for (const caller of hasPeople ? [bob] : [owner, bob])
    assert.ok((await namesOf(caller)).every((name: string) => name === ''));
  assert.equal((await bob.delete(`/vaults/${id}/members/${members[0]?.user_id}`)).status, 204);
  assert.equal((await owner.get('/sync/manifest', vault)).status, 404);
}

/** Checks that a member still signs in with a second factor and reaches the vault, and that a public link still works. */
async function checkPeople(url: string, { member, publicLink, vaults }: Contents): Promise<void> {
  if (member === undefined || publicLink === undefined) return;
  const { email, password, recoveryCode: code } = member;
  const anyone = new Caller(url);
  const { ticket } = (await anyone.post('/auth/login', { email, password })).body;
  const { access_token } = (await anyone.post('/auth/second-factor', { ticket, code })).body;
  const bob = new Caller(url, async () => ({ authorization: `Bearer ${access_token}` }));
  const listed = (await bob.get('/vaults')).body.vaults as { id: string; role: string }[];
  assert.deepEqual(
    listed.map(({ id, role }) => [id, role]),
    [[vaults.at(-1)?.id, 'editor']],
  );
  const page = await fetch(url + publicLink.path, { headers: { accept: 'text/html' } });
  assert.equal(page.status, 200);
  assert.match(await page.text(), new RegExp(`<h1[^>]*>.*${publicLink.heading}`));
}

/** Keeps versions from being thinned, and the trash from being emptied, for the time since the data was stored. */
async function keepWhatIsOld(place: Parameters<typeof openRaw>[0]): Promise<void> {
  await using raw = await openRaw(place);
  const now = Date.now();
  await raw.run('update note_versions set due_at = $1', now + DAY_MS);
  await raw.run('update entries set deleted_at = $1 where deleted_at is not null', now);
}

for (const version of releases()) {
  test(`the steps of the schema up to ${version} are those of its release`, () => {
    const released = ddlOf(version);
    const again = `A released step is never edited: add a new one. Before ${version} is released: npm run release:data -- --replace`;
    assert.ok(isDeepStrictEqual(presentDdl().slice(0, released.length), released), again);
  });

  for (const engine of ['sqlite', 'postgres'] as const) {
    const skip = engine === 'postgres' && (whyNoPostgres() ?? false);
    test(`the data of ${version} on ${engine} opens, is all there, and can be shared`, { skip }, async () => {
      using folder = new Folder();
      await using opened = new AsyncDisposableStack();
      const dataDir = folder.at('data');
      const { env, database, inconsistencies } = await makeDataPlace(engine, dataDir, opened);
      await load(version, dataDir, env.NOTEVAULT_DATABASE_URL ?? null);
      await keepWhatIsOld(database);
      await using server = await startServe({ env });
      const contents = contentsOf(version, engine);
      const { email, password, token, vaults } = contents;
      for (const vault of vaults) await checkVault(server.url, token, vault);
      await checkPeople(server.url, contents);
      const signed = await new Caller(server.url).post('/auth/login', { email, password });
      assert.equal(signed.status, 200);
      const owner = new Caller(server.url, async () => ({ authorization: `Bearer ${signed.body.access_token}` }));
      const { email_confirmed_at, methods } = (await owner.get('/me/sign-in')).body;
      assert.deepEqual([email_confirmed_at, methods], [null, ['password']], 'an upgrade confirms no address');
      for (const vault of vaults.slice(0, 1))
        await checkSharing(server.url, owner, vault, contents.member !== undefined);
      assert.equal((await server.stop()).code, 0);
      assert.deepEqual(await inconsistencies(), []);
    });

    test(`a backup taken by ${version} on ${engine} is good, and restored it is all there`, { skip }, async () => {
      using folder = new Folder();
      await using opened = new AsyncDisposableStack();
      const file = folder.at('backup.tar');
      const key = await loadBackup(version, engine, file);
      const place = await makeDataPlace(engine, folder.at('data'), opened);
      const env = { ...place.env, NOTEVAULT_MASTER_KEY: key.toString('base64') };
      const request = { path: file, config: readConfig(env), passphrase: null };
      assert.deepEqual((await verifyBackup({ ...request, deep: true })).opened?.faults, []);
      await restoreBackup({ ...request, revokeCredentials: false });
      await keepWhatIsOld(place.database);
      await using server = await startServe({ env });
      const contents = contentsOf(version, engine);
      for (const vault of contents.vaults) await checkVault(server.url, contents.token, vault);
      await checkPeople(server.url, contents);
    });
  }
}

test('only a release has a data set', () => {
  assert.throws(() => folderOf('9.9.9-dev'), /9\.9\.9-dev is no release/);
});

test('this version has its data set once it is released', () => {
  const changes = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
  const released = [...changes.matchAll(/^## \[(\d+\.\d+\.\d+)\]/gm)].map(([, version]) => version ?? '');
  // The schema of 0.1.0 is not read by later versions.
  assert.deepEqual(releases(), released.filter((version) => version !== '0.1.0').reverse());
});
