import assert from 'node:assert/strict';
import { SLICE_MIN } from '@notevault/protocol/upload-limits.ts';
import type { VaultId } from '@notevault/protocol/values/ids.ts';
import { identityMacOf, sealIdentity } from '../../../src/domains/content/identities/oidc/identity.ts';
import { insertIdentity } from '../../../src/domains/content/identities/oidc/oidc.store.ts';
import { addResolutions } from '../../../src/domains/content/links/link-resolutions.store.ts';
import { Authenticator, makePasskey } from '../authenticator.ts';
import { Browser, signedIn } from '../clients/oauth.ts';
import { OAuthApp } from '../clients/oauth-app.ts';
import { YjsClient } from '../clients/yjs-client.ts';
import { zipOf } from '../content/archives.ts';
import { uploadRaw } from '../content/files.ts';
import { createUpload, sendSlice } from '../content/slices.ts';
import type { Answer, Caller } from '../person.ts';
import type { TestServer } from '../server.ts';
import { tokenOf } from '../shared-vault.ts';
import { setUpTotp } from '../totp.ts';

/**
 * Writes rows to every table of a server that has no account yet, is configured with `analytics: 'log'` and a public URL
 * that allows passkeys, and has a mailer that fails; those of blobs only if they are stored in the database. A new table
 * gets its rows here. Resolves to somebody who has a note open: when they leave, their edit goes from the update log into
 * the note.
 */
export async function fillEveryTable(server: TestServer): Promise<YjsClient> {
  const { alice, app, clock } = server;
  const id: VaultId = done(await alice.post('/vaults', { name: 'Home' })).body.vault.id;
  done(await alice.post('/notes', { path: 'gone.md', content: 'deleted', mtime: 1 }));
  done(await alice.delete('/notes/gone.md'));
  clock.advance({ days: 91 });
  assert.equal(await app.sync.dropExpired(), 1);
  const { email, password } = alice;
  const again = server.bearer(done(await server.anyone.post('/auth/login', { email, password })).body.access_token);
  await fillAccount(server, again, id);
  await fillPeople(server, again, id);
  const typed = await fillVault(server, again, id);
  // Last, because a read of the vault would do the same.
  const editor = await new YjsClient('alice').join(app, id, typed);
  assert.equal(await editor.type(' more'), 'stored');
  return editor;
}

/** Resolves to the id of a note. */
async function fillVault({ app, db }: TestServer, alice: Caller, id: VaultId): Promise<string> {
  const write = (path: string, content: string) => alice.post('/notes', { path, content, mtime: 1 });
  for (const content of ['first', 'second [[b]]', '---\naliases: [letter]\n---\nthird [[b]]']) {
    done(await write('folder/a.md', content));
  }
  done(await write('folder/b.md', 'roses'));
  done(await alice.delete('/notes/folder/b.md'));
  const typed = done(await write('typed.md', 'words')).body.note.id;
  done(await alice.post('/me/recent', { note_id: typed }));
  done(await alice.post('/vault/links', { note_id: typed, expires_in: 3_600, password: 'words' }));
  // A name whose links wait, as after a crash.
  const waiting = { name_key: Buffer.alloc(32), is_other: 0 };
  await db.transact((handle) => handle.runMany(addResolutions, { vault: id, since: 1 }, [waiting]));
  done(await uploadRaw(alice, 'a.txt', Buffer.from('bytes')));
  const board = { nodes: [{ id: '1', type: 'file', file: 'typed.md', x: 0, y: 0, width: 9, height: 9 }], edges: [] };
  done(await uploadRaw(alice, 'board.canvas', Buffer.from(JSON.stringify(board))));
  await fillUploads(alice);
  done(await alice.post('/tickets', { operation: 'attachment.get', path: 'a.txt' }));
  done(await alice.post('/folders', { folder: 'made' }, { 'x-idempotency-key': 'a-key' }));
  const { resume_cursor: cursor } = done(await alice.get('/sync/changes')).body;
  done(await alice.get(`/sync/changes?cursor=${encodeURIComponent(cursor)}`, { 'x-device-id': 'phone' }));
  const zip = zipOf([{ name: 'imported.md', data: 'imported' }]);
  done(await alice.post(`/imports?vault_id=${id}`, zip, { 'content-type': 'application/octet-stream' }));
  await app.imports.runWaiting();
  const vault = await app.vaults.openAsSystem(id);
  assert.ok(vault !== null);
  await app.search.rebuild(vault, () => undefined);
  // A search by vector is what makes a vault have vectors.
  done(await alice.post('/search', { query: 'roses', mode: 'vector' }));
  await app.search.embed(new AbortController().signal);
  await app.sync.manifest(vault, undefined);
  return typed;
}

/** An upload with one part received, and a finished one. */
async function fillUploads(alice: Caller): Promise<void> {
  const begun = await createUpload(alice, 'later.txt', 2 * SLICE_MIN);
  done(await sendSlice(alice, begun, 0, Buffer.alloc(SLICE_MIN, 'a')));
  const whole = await createUpload(alice, 'sent.txt', 5);
  done(await sendSlice(alice, whole, 0, Buffer.from('bytes')));
}

/** Bob has left the vault and come back; an invitation for an address waits. */
async function fillPeople({ bob }: TestServer, alice: Caller, vault: VaultId): Promise<void> {
  const invite = async (body: object) => done(await alice.post(`/vaults/${vault}/invitations`, body)).body;
  const join = async () => bob.post(`/invitations/${tokenOf((await invite({ role: 'editor' })).url)}/accept`);
  const { id } = done(await bob.get('/me')).body.user;
  done(await join());
  done(await bob.delete(`/vaults/${vault}/members/${id}`));
  done(await join());
  await invite({ role: 'viewer', email: 'carol@example.org' });
}

async function fillAccount(server: TestServer, alice: Caller, vault: VaultId): Promise<void> {
  const { anyone, app } = server;
  done(await alice.post('/logs', { logs: [{ level: 'info', message: 'a line' }] }));
  done(await alice.post('/connections/pat', { name: 'script', vault_access: { [vault]: 'read' } }));
  done(await alice.post('/admin/invites', {}));
  done(await alice.patch('/me', { analytics_opt_out: true }));
  done(await alice.patch('/me/preferences', { theme: 'dark' }));
  const link = async () => done(await anyone.post('/auth/device', { client_id: 'x', device_name: 'phone' })).body;
  const { user_code, device_code } = await link();
  done(await alice.post('/auth/device/authorize', { user_code, vault_id: vault }));
  done(await anyone.post('/auth/device/token', { device_code }));
  await link();
  const wrong = await alice.post('/auth/device/authorize', { user_code: 'BBBB-BBBB', vault_id: vault });
  assert.ok(wrong.status >= 400);
  const application = await OAuthApp.register(server);
  await application.connect();
  // A request that waits for a person.
  await signedIn(new Browser(server), (await application.ask()).url, server.alice);
  await app.accounts.issueReset(server.alice.email);
  await app.accounts.issueLoginLink(server.alice.email);
  await joinIdentity(server);
  done(await anyone.post('/auth/password/forgot', { email: 'nobody@example.org' }));
  // A mail that the mail server refuses, and one that waits.
  await app.mails.sendDue();
  const dave = server.person('dave');
  await makePasskey(dave, new Authenticator(server.publicUrl));
  await setUpTotp(dave, server.clock);
  // A sign-in that waits for its second factor.
  const { email, password } = dave;
  assert.equal((await anyone.post('/auth/login', { email, password })).status, 401);
}

/** Joins a person at a provider to Alice's account. */
async function joinIdentity({ app, clock, db, alice }: TestServer): Promise<void> {
  const key = await app.keys.openServer();
  const { id: userId } = await app.accounts.findByEmail(alice.email);
  const identity = { issuer: 'https://issuer.example', subject: 'alice', email: null };
  const id = clock.uuid();
  const row = { id, userId, identityMac: identityMacOf(key, identity), details: sealIdentity(key, id, identity) };
  await db.transact((handle) => handle.run(insertIdentity, { ...row, now: clock.now() }));
}

function done(answer: Answer): Answer {
  assert.ok(answer.status < 300, `answered ${answer.status}: ${answer.bytes}`);
  return answer;
}
