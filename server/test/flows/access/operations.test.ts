import assert from 'node:assert/strict';
import { test } from 'node:test';
import { live, type OperationName, operations, type Rule, ticketed } from '@notevault/protocol/operations.ts';
import { onSqlite } from '../../kit/engines.ts';
import { startServer } from '../../kit/server.ts';

/*
 * access.ts tests that the server keeps to the table of operations. Here is, by hand, what the table must say: whoever
 * opens something to more callers changes it in both places.
 */

const rules = Object.entries(operations) as [OperationName, Rule][];
const namesOf = (fits: (rule: Rule) => boolean) =>
  rules
    .filter(([, rule]) => fits(rule))
    .map(([name]) => name)
    .sort();

const needsOnlyCredential = ({ who, vault, named, later }: Rule) =>
  who === 'credential' && vault === undefined && named === undefined && later === undefined;

const ANYONE = [
  ...['bootstrap', 'login', 'logout', 'refreshSession', 'register', 'resetPassword'],
  ...['confirmEmail', 'forgotPassword', 'loginByLink', 'proveSecondFactor'],
  ...['signInByPasskey', 'signInOnPage', 'startPasskeySignIn'],
  ...['pollDeviceLink', 'refreshDevice', 'signOffDevice', 'startDeviceLink'],
  ...['downloadByTicket', 'uploadByTicket', 'syncNote', 'syncSocket', 'getInvitation'],
  ...['getHealth', 'getOpenApi', 'isAlive', 'isReady'],
];
const ADMIN = [
  ...['adminCreateInvite', 'adminDeleteInvite', 'adminDeleteUser', 'adminHandOver', 'adminHealth', 'adminListInvites'],
  ...['adminListUsers', 'adminResetSecondFactor', 'adminUpdateUser'],
  ...['adminCountPublicLinks', 'adminEndPublicLinks'],
];
/** Any credential may call these, whatever its level in any vault. */
const CREDENTIAL = [
  ...['addLogs', 'getMe', 'getStorage', 'listAttachmentChanges', 'listLogs', 'listNoteChanges', 'listVaults'],
  // Only the credential that began an upload finds it, while it may write: see uploads.pg.test.ts.
  ...['appendToUpload', 'endUpload', 'getUpload'],
].sort();
const MAKES_VAULTS = ['createVault', 'registerVault'];
/** Operations other than GET that change nothing in the vault. */
const READING_POSTS = ['createTicket', 'findKnownNotes', 'queryNotes', 'recordOpenedNote', 'search'];
/** Beside those whose path begins with one of these, as all that concerns the account itself does. */
const OF_SESSIONS =
  /^\/api\/(me|api-keys|connections|imports|auth\/(device\/authorize|password\/change|step-up|passkeys\/register))\b/;
const SESSION_TOO = [
  ...['purgeVault', 'restoreVault', 'listMembers', 'updateMember', 'removeMember'],
  ...['createInvitation', 'deleteInvitation', 'acceptInvitation', 'listUploadsInto', 'endUploadInto'],
  ...['createPublicLink', 'deletePublicLink', 'listPublicLinks'],
];
/** Operations that only the owner of a vault may do, and reads that need an editor. */
const OWNERS = [
  ...['createInvitation', 'deleteFromTrash', 'deleteInvitation', 'deleteVault', 'purgeVault', 'restoreVault'],
  ...['updateMember', 'updateVault', 'createPublicLink', 'deletePublicLink', 'listPublicLinks'],
].sort();
const EDITORS = ['getActivity', 'getNoteVersion', 'listActivity', 'listNoteVersions', 'listTrash'];

test('the operations for owners, and the reads for editors, are those listed here', () => {
  assert.deepEqual(
    namesOf(({ role }) => role === 'owner'),
    OWNERS,
  );
  assert.deepEqual(
    namesOf(({ role }) => role === 'editor'),
    EDITORS,
  );
});

test('the operations for anyone, any credential and admins are those listed here', () => {
  assert.deepEqual(
    namesOf(({ who }) => who === 'anyone'),
    ANYONE.sort(),
  );
  assert.deepEqual(
    namesOf(({ who }) => who === 'admin'),
    ADMIN.sort(),
  );
  assert.deepEqual(namesOf(needsOnlyCredential), CREDENTIAL);
  assert.deepEqual(
    namesOf(({ later }) => later === 'write'),
    MAKES_VAULTS,
  );
});

test('tickets and sockets require no less than the operations that do the same', () => {
  assert.equal(ticketed['attachment.get'], operations.getAttachment);
  assert.equal(ticketed['attachment.put'], operations.putAttachment);
  assert.deepEqual(ticketed['vault.export'], { who: 'session', vault: 'read' });
  assert.deepEqual([live.open.vault, live.edit.vault], ['read', 'write']);
});

onSqlite('the table of operations', (open) => {
  test('the table of operations agrees with what methods, paths and bodies of the document say', async () => {
    await using server = await startServer({ open });
    const { paths, components } = (await server.anyone.get('/openapi')).body as {
      components: { schemas: Record<string, object> };
      paths: Record<string, Record<string, { operationId: OperationName; requestBody?: object }>>;
    };
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { operationId: name, requestBody }] of Object.entries(methods)) {
        const { who, vault, named, later, stepUp, limit }: Rule = operations[name];
        const writes = method !== 'get' && !READING_POSTS.includes(name);
        if (vault !== undefined) assert.equal(vault, writes ? 'write' : 'read', name);
        if (vault === undefined && named !== undefined && later === undefined && who === 'credential') {
          assert.equal(named, writes ? 'write' : 'read', name);
        }
        const ofSessions = SESSION_TOO.includes(name) || (OF_SESSIONS.test(path) && name !== 'getMe');
        assert.equal(who === 'session', ofSessions, name);
        const body = JSON.stringify(requestBody ?? {}).replace(/"#\/components\/schemas\/([^"]+)"/g, (_, name) =>
          JSON.stringify(components.schemas[name]),
        );
        // A public link gets a password of its own.
        const takesPassword = body.includes('password"') && name !== 'createPublicLink';
        assert.equal(stepUp === 'password', takesPassword && who !== 'anyone', name);
        if (takesPassword && who === 'anyone') assert.equal(limit, 'auth', name);
      }
    }
  });

  test('the table of operations is kept to by DELETE /me, which is for sessions with their password', async () => {
    await using server = await startServer({ open });
    const { key } = (await server.alice.post('/api-keys', { name: 'all' })).body;
    const { password } = server.alice;
    const byKey = await server.bearer(key).delete('/me', { password });
    assert.deepEqual([byKey.status, byKey.body.error], [403, 'api_key_not_allowed']);
    assert.equal((await server.alice.delete('/me', { password: 'wrong' })).status, 403);
    assert.equal((await server.alice.get('/me')).status, 200);
  });
});
