import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { describe, test } from 'node:test';
import { restoreBackup } from '../../../src/backup/restore/restore.ts';
import { backUpIntoFolder } from '../../../src/backup/take/run-backup.ts';
import { verifyBackup } from '../../../src/backup/verify/verify-backup.ts';
import { readConfig } from '../../../src/config/config.ts';
import { databaseFile } from '../../../src/data/data-folder.ts';
import { openDatabase } from '../../../src/open-ports.ts';
import { systemClock } from '../../../src/ports/clock/clock.ts';
import { MASTER_KEY_BYTES } from '../../../src/ports/keyring/master-key.ts';
import { freshPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { openRaw } from '../../kit/database/raw-sql.ts';
import type { Caller } from '../../kit/person.ts';
import { cli, Folder } from '../../kit/programs/process.ts';
import { form, formToken, open, pathOf } from '../../kit/public-pages.ts';
import { startServer, type TestServer } from '../../kit/server.ts';
import { startShared } from '../../kit/shared-vault.ts';

const noPostgres = whyNoPostgres() ?? false;

/** People sign in again after a restore. */
async function signIn(server: TestServer, { email, password }: { email: string; password: string }): Promise<Caller> {
  const { status, body } = await server.anyone.post('/auth/login', { email, password });
  assert.equal(status, 200);
  return server.bearer(body.access_token);
}

describe('a backup of a shared vault', () => {
  for (const engine of ['sqlite', 'postgres'] as const) {
    const skip = engine === 'postgres' && noPostgres;
    test(`carries its members, names, activity, invitations, links and watermarks elsewhere on ${engine}`, {
      skip,
    }, async () => {
      using folder = new Folder();
      await using opened = new AsyncDisposableStack();
      const clock = systemClock();
      const masterKey = clock.random(MASTER_KEY_BYTES);
      const make = async (name: string) => {
        const postgres = engine === 'postgres' ? opened.use(await freshPostgres()) : null;
        const dataDir = folder.at(name);
        mkdirSync(dataDir, { mode: 0o700 });
        const env = {
          ...{ NOTEVAULT_DATA_DIR: dataDir, NOTEVAULT_BLOBS: 'database' },
          NOTEVAULT_MASTER_KEY: masterKey.toString('base64'),
          ...(postgres === null ? {} : { NOTEVAULT_DATABASE_URL: postgres.url }),
        };
        return { env, config: readConfig(env), place: postgres ?? { file: databaseFile(dataDir) } };
      };
      const from = await make('data');
      const backups = folder.at('backups');
      const marks = 'select vault_id, user_id, watermark from sync_devices order by user_id';
      const watermarksAt = async ({ place }: typeof from) => {
        await using raw = await openRaw(place);
        return (await raw.all(marks)).map((row) => JSON.stringify(Object.values(row).map(String)));
      };
      const { people, headers, vault, note, invitation, ids, links, watermarks } = await (async () => {
        await using db = await openDatabase(from.config);
        await using shared = await startShared({ open: async () => db, masterKey, blobs: 'database' });
        const { server, alice, bob, carol } = shared;
        const ids = { bob: await shared.join(bob, 'viewer'), carol: await shared.join(carol, 'editor') };
        await carol.patch('/me', { display_name: 'Carol' });
        await carol.post('/notes', { path: 'a.md', content: 'by carol', mtime: 2 }, shared.headers);
        await alice.delete(`${shared.path}/${ids.carol}`);
        const cursor = (await bob.get('/sync/changes', shared.headers)).body.resume_cursor;
        await bob.get(`/sync/changes?cursor=${cursor}`, { ...shared.headers, 'x-device-id': 'phone' });
        const invitation = await shared.invite({ role: 'editor', email: 'dave@example.org' });
        await shared.dave.get('/me');
        const links = [];
        for (const password of ['open sesame', undefined, undefined]) {
          const made = await alice.post('/vault/links', { note_id: shared.note, password }, shared.headers);
          links.push({ id: made.body.link.id as string, path: pathOf(made.body.url) });
        }
        await alice.delete(`/vault/links/${links[2]?.id}`, undefined, shared.headers);
        await backUpIntoFolder(backups, null, { config: from.config, passphrase: null });
        const people = {
          alice: server.alice,
          bob: server.bob,
          dave: { email: 'dave@example.org', password: "dave's long password" },
          carol: { email: 'carol@example.org', password: "carol's long password" },
        };
        return {
          people,
          headers: shared.headers,
          vault: shared.vault,
          note: shared.note,
          invitation,
          ids,
          links: links.map(({ path }) => path),
          watermarks: await watermarksAt(from),
        };
      })();
      assert.equal(watermarks.length, 1);
      const verified = await verifyBackup({ path: backups, config: from.config, passphrase: null, deep: true });
      assert.deepEqual(verified.opened?.faults, []);

      const to = await make('elsewhere');
      await restoreBackup({ path: backups, config: to.config, passphrase: null, revokeCredentials: false });
      assert.deepEqual(await watermarksAt(to), watermarks);
      {
        await using db = await openDatabase(to.config);
        await using server = await startServer({ open: async () => db, masterKey, blobs: 'database' });
        const [alice, bob, carol] = [
          await signIn(server, people.alice),
          await signIn(server, people.bob),
          await signIn(server, people.carol),
        ];
        const listed = (await alice.get(`/vaults/${vault}/members`)).body;
        assert.deepEqual(
          listed.members.map(({ role }: { role: string }) => role),
          ['owner', 'viewer'],
        );
        assert.deepEqual(
          listed.invitations.map(({ email }: { email: string }) => email),
          ['dave@example.org'],
        );
        const opened = [];
        for (const path of links) opened.push((await open(server, path)).status);
        assert.deepEqual(opened, [401, 200, 404], 'links open what they opened, and one that was ended stays so');
        const [locked = ''] = links;
        const sent = { password: 'open sesame', token: formToken((await open(server, locked)).text) };
        assert.equal((await open(server, locked, form(sent))).status, 303);
        const { versions } = (await alice.get(`/notes/by-id/${note}/versions`, headers)).body;
        const author = { kind: 'session', name: '', user_id: ids.carol, display_name: 'Carol' };
        assert.deepEqual(versions[0].actor, author);
        assert.equal((await bob.get(`/notes/by-id/${note}`, headers)).body.content, 'by carol');
        const [item] = (await alice.get(`/vault/activity?actor=${ids.carol}&action=write`, headers)).body.items;
        assert.deepEqual(item.actor, author);
        assert.equal((await alice.post(`/vault/activity/${item.id}/undo`, {}, headers)).body.undone, 1);
        assert.equal((await bob.get(`/notes/by-id/${note}`, headers)).body.content, 'one');
        assert.equal((await bob.post('/notes', { path: 'b.md', content: 'x', mtime: 1 }, headers)).status, 403);
        assert.equal((await carol.get(`/notes/by-id/${note}`, headers)).status, 404, 'a former member stays one');
        const dave = await signIn(server, people.dave);
        assert.equal((await dave.post(`/invitations/${invitation.token}/accept`)).body.vault.role, 'editor');
      }

      const one = await cli(['restore', backups, '--vault', 'Shared', '--user', people.alice.email], { env: to.env });
      assert.equal(one.code, 0, one.stderr);
      assert.match(one.stdout, /The new vault has no other members/);
      {
        await using db = await openDatabase(to.config);
        await using server = await startServer({ open: async () => db, masterKey, blobs: 'database' });
        const { vaults } = (await (await signIn(server, people.alice)).get('/vaults')).body as {
          vaults: { name: string; members: number }[];
        };
        const members = Object.fromEntries(vaults.map((each) => [each.name.replace(/ \(.*/, ' (…)'), each.members]));
        assert.deepEqual(members, { Shared: 2, 'Shared (…)': 0 });
        const bobs = (await (await signIn(server, people.bob)).get('/vaults')).body.vaults;
        assert.equal(bobs.length, 1);
        assert.equal(await server.app.publicLinks.count(), 2, 'the new vault has no public links');
      }

      const safe = await make('with revoked credentials');
      await restoreBackup({ path: backups, config: safe.config, passphrase: null, revokeCredentials: true });
      await using raw = await openRaw(safe.place);
      assert.deepEqual(await raw.all('select id from invitations'), [], 'they may have been withdrawn since');
      assert.deepEqual(await raw.all('select id from public_links'), [], 'they may have been ended since');
      assert.equal((await raw.all('select user_id from vault_members')).length, 1);
    });
  }
});
