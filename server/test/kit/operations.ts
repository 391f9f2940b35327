import assert from 'node:assert/strict';
import { type OperationName, operations, type Rule } from '@notevault/protocol/operations.ts';
import type { Caller, Headed } from './person.ts';

/*
 * One row for every operation of the OpenAPI document: a request that succeeds, for a caller who may call it. The tests
 * of access and isolation use all rows.
 */

export interface Request {
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Headed;
}

interface Row {
  /** Status for a permitted caller in their own world. */
  readonly answers: number;
  readonly request: (world: World) => Request;
}

/** A part of a world. */
export type Need =
  | 'gone'
  | 'folder'
  | 'note'
  | 'other'
  | 'attachment'
  | 'key'
  | 'devices'
  | 'cursor'
  | 'trash'
  | 'activity'
  | 'people';

/** Everything that a world can have, in its vault and beside it. */
export const CONTENT: readonly Need[] = ['gone', 'folder', 'note', 'other', 'attachment', 'key'];

/** The things of one account, by name; every value belongs only to that account. Empty for those that were not needed. */
export interface World {
  readonly vault: string;
  /** A vault that was deleted. */
  readonly gone: string;
  /** A note with two versions; `other` links to it. */
  readonly note: string;
  readonly notePath: string;
  /** A note in `folder`. */
  readonly other: string;
  readonly otherPath: string;
  /** The task on the second line of `other`. */
  readonly taskText: string;
  readonly folder: string;
  readonly folderPath: string;
  readonly attachmentPath: string;
  /** A note in the trash. */
  readonly trashed: string;
  /** The last activity in `vault`, by its owner. */
  readonly activity: string;
  readonly key: string;
  /** A cursor of the change feed of `vault`. */
  readonly cursor: string;
  /** A linked device, and its refresh token. */
  readonly device: string;
  readonly deviceRefresh: string;
  /** A device that waits to be linked; its code is already claimed. */
  readonly userCode: string;
  readonly deviceCode: string;
  /** The client id under which `vault` is registered. */
  readonly clientId: string;
  /** The id of the account, and of an invitation to `vault`. */
  readonly self: string;
  readonly invitation: string;
  /** An unused id. */
  readonly fresh: string;
}

/**
 * Makes a vault with the parts that are needed.
 *
 * @param word becomes part of names that nobody else uses.
 */
export async function makeWorld(owner: Caller, word: string, needs: readonly Need[]): Promise<World> {
  const ok = async (asked: ReturnType<Caller['get']>) => {
    const { status, body } = await asked;
    if (status >= 300) throw new Error(`making a world was answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const clientId = `client-${word}`;
  const { id: vault } = await ok(owner.post('/vaults/register', { client_id: clientId, name: `Vault ${word}` }));
  const headers = { 'x-vault-id': vault };
  /** Resolves to what \`make\` resolves to, or to nothing if that part is not needed. */
  const part = async (need: Need, make: () => Promise<string>) => (needs.includes(need) ? make() : '');
  const write = async (path: string, content: string): Promise<string> =>
    (await ok(owner.post('/notes', { path, content, mtime: 1 }, headers))).note.id;
  const [notePath, folderPath, attachmentPath] = [`Note ${word}.md`, `Folder ${word}`, `File ${word}.txt`];
  const otherPath = `${folderPath}/Other ${word}.md`;
  const gone = await part('gone', async () => {
    const made = await ok(owner.post('/vaults', { name: `Gone ${word}` }));
    await ok(owner.delete(`/vaults/${made.vault.id}`));
    return made.vault.id;
  });
  const folder = await part(
    'folder',
    async () => (await ok(owner.post('/folders', { folder: folderPath }, headers))).folder.id,
  );
  const note = await part('note', async () => {
    await write(notePath, `first words of ${word}`);
    return write(notePath, `---\ntype: kind-${word}\n---\nsecret words of ${word} #tag-${word}`);
  });
  const other = await part('other', () => write(otherPath, `[[Note ${word}]]\n- [ ] task of ${word}\n\nNote ${word}`));
  const file = { path: attachmentPath, content_base64: btoa(`bytes of ${word}`), mtime: 1 };
  if (needs.includes('attachment')) await ok(owner.post('/attachments', file, headers));
  const trashed = await part('trash', () => write(`Old ${word}.md`, `old words of ${word}`));
  if (trashed !== '') await ok(owner.delete(`/notes/by-id/${trashed}`, undefined, headers));
  return {
    activity: await part('activity', async () => {
      if (note === '') await write(`Activity ${word}.md`, `words of ${word}`);
      return (await ok(owner.get('/vault/activity', headers))).items[0].id;
    }),
    key: await part('key', async () => (await ok(owner.post('/api-keys', { name: `Key ${word}` }))).id),
    cursor: await part('cursor', async () => (await ok(owner.get('/sync/changes', headers))).resume_cursor),
    ...(needs.includes('devices') ? await makeDevices(owner, vault) : NO_DEVICES),
    ...(needs.includes('people') ? await makePeople(owner, vault) : { self: '', invitation: '' }),
    ...{ vault, gone, note, notePath, other, otherPath, trashed, folder, folderPath, attachmentPath, clientId },
    taskText: `task of ${word}`,
    fresh: `fresh-${word}`,
  };
}

const NO_DEVICES = { device: '', deviceRefresh: '', userCode: '', deviceCode: '' };

async function makeDevices(owner: Caller, vault: string): Promise<typeof NO_DEVICES> {
  const { id: device, refresh: deviceRefresh } = await linkDevice(owner, vault);
  const { user_code: userCode, device_code: deviceCode } = (await owner.post('/auth/device', {})).body;
  // The first account to look up a code claims it.
  await owner.get(`/vaults?user_code=${userCode}`);
  return { device, deviceRefresh, userCode, deviceCode };
}

async function makePeople(owner: Caller, vault: string): Promise<Pick<World, 'self' | 'invitation'>> {
  const { user } = (await owner.get('/me')).body;
  const { invitation } = (await owner.post(`/vaults/${vault}/invitations`, { role: 'viewer' })).body;
  return { self: user.id, invitation: invitation.id };
}

/** A device linked to a vault. */
export async function linkDevice(
  owner: Caller,
  vault: string,
): Promise<{ id: string; access: string; refresh: string }> {
  const started = (await owner.post('/auth/device', { device_name: 'Phone' })).body;
  const authorized = await owner.post('/auth/device/authorize', { user_code: started.user_code, vault_id: vault });
  if (authorized.status !== 200) throw new Error(`authorizing a device was answered ${authorized.status}`);
  const { status, body } = await owner.post('/auth/device/token', { device_code: started.device_code });
  if (status !== 200) throw new Error(`linking a device was answered ${status}: ${JSON.stringify(body)}`);
  const shown = (await owner.get('/connections')).body as { kind: string; client_id: string; vault_id: string }[];
  const mine = shown.findLast(({ kind, vault_id }) => kind === 'device' && vault_id === vault);
  return { id: mine?.client_id ?? '', access: body.access_token, refresh: body.refresh_token };
}

/** Finds the unlinked mention of `note` in `other`. */
const mentionIn = ({ notePath, taskText }: World) =>
  `[[${notePath.slice(0, -'.md'.length)}]]\n- [ ] ${taskText}\n\n`.length;

const inUrl = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** The header of the vault, and a key where one is required, are added by `knownOperations`. */
function row(answers: number, request: Row['request']): Row {
  return { answers, request };
}

const server = {
  getOpenApi: row(200, () => ({ url: '/openapi' })),
  getHealth: row(200, () => ({ url: '/health' })),
  isAlive: row(200, () => ({ url: '/../healthz' })),
  isReady: row(200, () => ({ url: '/../readyz' })),
  listNoteChanges: row(410, () => ({ url: '/notes/changes' })),
  listAttachmentChanges: row(410, () => ({ url: '/attachments/changes' })),
};

const PASSKEY = { id: 'eA', rawId: 'eA', type: 'public-key' };
const MADE_PASSKEY = {
  ...PASSKEY,
  response: { clientDataJSON: 'eA', attestationObject: 'eA', transports: ['internal'] },
};
/** A passkey that nobody has. */
export const USED_PASSKEY = {
  ...PASSKEY,
  response: { clientDataJSON: 'eA', authenticatorData: 'eA', signature: 'eA', userHandle: 'eA' },
};

const accounts = {
  register: row(201, (w) => ({
    url: '/auth/register',
    body: { email: `${w.fresh}@example.org`, password: 'long enough' },
  })),
  login: row(401, () => ({ url: '/auth/login', body: { email: 'nobody@example.org', password: 'x' } })),
  proveSecondFactor: row(401, () => ({ url: '/auth/second-factor', body: { ticket: 'none', code: '123456' } })),
  loginByLink: row(422, () => ({ url: '/auth/login-link', body: { token: 'no such token' } })),
  joinIdentity: row(404, () => ({ url: '/me/identities', body: {} })),
  removeIdentity: row(404, (w) => ({ url: `/me/identities/${w.note}` })),
  stepUpByOidc: row(404, () => ({ url: '/auth/step-up/oidc', body: { return_to: '/' } })),
  // With wrong proofs, so that the row changes nothing.
  stepUp: row(403, () => ({ url: '/auth/step-up', body: { password: 'wrong', code: '123456' } })),
  startTotp: row(200, () => ({ url: '/me/totp' })),
  confirmTotp: row(403, () => ({ url: '/me/totp/confirm', body: { code: '123456' } })),
  removeTotp: row(204, () => ({ url: '/me/totp' })),
  // The address of a test server allows no passkeys: passkeys.pg.test.ts has a server with a name.
  startPasskey: row(409, () => ({ url: '/auth/passkeys/register/options' })),
  addPasskey: row(409, () => ({ url: '/auth/passkeys/register/verify', body: MADE_PASSKEY })),
  startPasskeySignIn: row(409, () => ({ url: '/auth/passkeys/login/options' })),
  signInByPasskey: row(409, () => ({ url: '/auth/passkeys/login/verify', body: USED_PASSKEY })),
  signInOnPage: row(409, () => ({ url: '/auth/passkeys/login/page', body: { ...USED_PASSKEY, page: '/link?code=x' } })),
  startStepUp: row(409, () => ({ url: '/auth/step-up/options' })),
  listPasskeys: row(200, () => ({ url: '/me/passkeys' })),
  renamePasskey: row(404, (w) => ({ url: `/me/passkeys/${w.fresh}`, body: { name: 'Phone' } })),
  deletePasskey: row(404, (w) => ({ url: `/me/passkeys/${w.fresh}` })),
  refreshSession: row(401, () => ({ url: '/auth/refresh' })),
  logout: row(204, () => ({ url: '/auth/logout' })),
  bootstrap: row(200, () => ({ url: '/auth/bootstrap' })),
  resetPassword: row(422, () => ({
    url: '/auth/password/reset',
    body: { token: 'no such token', password: 'long enough' },
  })),
  forgotPassword: row(202, () => ({ url: '/auth/password/forgot', body: { email: 'nobody@example.org' } })),
  getSignInSettings: row(200, () => ({ url: '/me/sign-in' })),
  requestEmailConfirmation: row(202, () => ({ url: '/me/email/confirmation' })),
  confirmEmail: row(422, () => ({ url: '/auth/email/confirm', body: { token: 'no such token' } })),
  // With the wrong password, so that a permitted caller keeps their session.
  changePassword: row(422, () => ({
    url: '/auth/password/change',
    body: { old_password: 'wrong', new_password: 'long enough' },
  })),
  listSessions: row(200, () => ({ url: '/me/sessions' })),
  endSession: row(404, (w) => ({ url: `/me/sessions/${w.fresh}` })),
  endOtherSessions: row(200, () => ({ url: '/me/sessions' })),
  getPreferences: row(200, () => ({ url: '/me/preferences' })),
  changePreferences: row(200, () => ({ url: '/me/preferences', body: { theme: 'dark' } })),
  deleteMe: row(403, () => ({ url: '/me', body: { password: 'wrong' } })),
  getMe: row(200, () => ({ url: '/me' })),
  updateMe: row(200, () => ({ url: '/me', body: { locale: 'en-GB' } })),
};

const tickets = {
  createTicket: row(200, (w) => ({
    url: '/tickets',
    body: { operation: 'attachment.get', path: w.attachmentPath },
  })),
  downloadByTicket: row(404, () => ({ url: '/tickets/nv_tkt_none' })),
  uploadByTicket: row(404, () => ({ url: '/tickets/nv_tkt_none', body: 'bytes' })),
};

const connections = {
  createApiKey: row(200, (w) => ({ url: '/api-keys', body: { name: w.fresh } })),
  listApiKeys: row(200, () => ({ url: '/api-keys' })),
  revokeApiKey: row(200, (w) => ({ url: `/api-keys/${w.key}` })),
  listConnections: row(200, () => ({ url: '/connections' })),
  createPat: row(201, (w) => ({
    url: '/connections/pat',
    body: { name: w.fresh, vault_access: { [w.vault]: 'read' } },
  })),
  startDeviceLink: row(200, (w) => ({ url: '/auth/device', body: { device_name: w.fresh } })),
  authorizeDevice: row(200, (w) => ({
    url: '/auth/device/authorize',
    body: { user_code: w.userCode, vault_id: w.vault },
  })),
  pollDeviceLink: row(400, (w) => ({ url: '/auth/device/token', body: { device_code: w.deviceCode } })),
  refreshDevice: row(200, (w) => ({ url: '/auth/token/refresh', body: { refresh_token: w.deviceRefresh } })),
  signOffDevice: row(204, (w) => ({ url: '/auth/token/revoke', body: { refresh_token: w.deviceRefresh } })),
  // The client was never authorized, so a permitted caller gets 404.
  revokeOAuthClient: row(404, (w) => ({ url: `/connections/oauth/https://client.example/${w.fresh}` })),
  revokeDevice: row(204, (w) => ({ url: `/connections/device/${w.device}` })),
  revokePat: row(204, (w) => ({ url: `/connections/pat/${w.key}` })),
};

const imports = {
  startImport: row(202, (w) => ({ url: `/imports?vault_id=${w.vault}`, body: 'no archive' })),
  listImports: row(200, () => ({ url: '/imports' })),
  getImport: row(404, (w) => ({ url: `/imports/${w.note}` })),
  cancelImport: row(404, (w) => ({ url: `/imports/${w.note}` })),
  applyImport: row(404, (w) => ({ url: `/imports/${w.note}/apply` })),
};

const admin = {
  adminListUsers: row(200, () => ({ url: '/admin/users' })),
  // Nobody has this id, so that the test of one account changes no other.
  adminUpdateUser: row(404, (w) => ({ url: `/admin/users/${w.note}`, body: { suspended: true } })),
  adminDeleteUser: row(403, (w) => ({ url: `/admin/users/${w.note}`, body: { password: 'wrong' } })),
  adminResetSecondFactor: row(404, (w) => ({ url: `/admin/users/${w.note}/second-factor` })),
  adminListInvites: row(200, () => ({ url: '/admin/invites' })),
  adminCreateInvite: row(201, () => ({ url: '/admin/invites', body: {} })),
  adminDeleteInvite: row(404, (w) => ({ url: `/admin/invites/${w.note}` })),
  adminHandOver: row(404, (w) => ({ url: `/admin/vaults/${w.note}/hand-over`, body: { email: 'x@example.org' } })),
  adminHealth: row(200, () => ({ url: '/admin/health' })),
};

const logs = {
  addLogs: row(200, (w) => ({ url: '/logs', body: { logs: [{ message: w.fresh }] } })),
  listLogs: row(200, () => ({ url: '/logs' })),
};

const vaults = {
  getStorage: row(200, () => ({ url: '/user/storage' })),
  listVaults: row(200, () => ({ url: '/vaults' })),
  createVault: row(201, (w) => ({ url: '/vaults', body: { name: w.fresh } })),
  registerVault: row(201, (w) => ({ url: '/vaults/register', body: { client_id: w.fresh, name: 'New' } })),
  getVault: row(200, (w) => ({ url: `/vaults/${w.vault}` })),
  updateVault: row(200, (w) => ({ url: `/vaults/${w.vault}`, body: { name: w.fresh } })),
  deleteVault: row(200, (w) => ({ url: `/vaults/${w.vault}` })),
  restoreVault: row(200, (w) => ({ url: `/vaults/${w.gone}/restore` })),
  purgeVault: row(200, (w) => ({ url: `/vaults/${w.gone}/purge` })),
};

const publicLinks = {
  createPublicLink: row(201, (w) => ({ url: '/vault/links', body: { note_id: w.note } })),
  listPublicLinks: row(200, () => ({ url: '/vault/links' })),
  deletePublicLink: row(404, (w) => ({ url: `/vault/links/${w.note}` })),
  adminCountPublicLinks: row(200, (w) => ({ url: `/admin/users/${w.note}/links` })),
  adminEndPublicLinks: row(200, (w) => ({ url: `/admin/users/${w.note}/links` })),
};

const members = {
  listMembers: row(200, (w) => ({ url: `/vaults/${w.vault}/members` })),
  createInvitation: row(201, (w) => ({ url: `/vaults/${w.vault}/invitations`, body: { role: 'viewer' } })),
  deleteInvitation: row(204, (w) => ({ url: `/vaults/${w.vault}/invitations/${w.invitation}` })),
  // An invitation is for whoever has its token, so nobody is refused one that exists.
  getInvitation: row(404, () => ({ url: '/invitations/nv_vin_none' })),
  acceptInvitation: row(404, () => ({ url: '/invitations/nv_vin_none/accept' })),
  updateMember: row(200, (w) => ({ url: `/vaults/${w.vault}/members/${w.self}`, body: { role: 'owner' } })),
  // The owner cannot leave.
  removeMember: row(409, (w) => ({ url: `/vaults/${w.vault}/members/${w.self}` })),
};

const notes = {
  upsertNote: row(200, (w) => ({ url: '/notes', body: { path: w.notePath, mtime: 2, content: 'new' } })),
  upsertNotes: row(200, (w) => ({
    url: '/notes/batch',
    body: { notes: [{ path: w.notePath, mtime: 2, content: 'new' }] },
  })),
  appendToNote: row(200, (w) => ({ url: '/notes/append', body: { path: w.notePath, text: 'more' } })),
  renameNote: row(200, (w) => ({
    url: '/notes/rename',
    body: { old_path: w.notePath, new_path: `${w.fresh}.md` },
  })),
  getNote: row(200, (w) => ({ url: `/notes/${inUrl(w.notePath)}` })),
  deleteNote: row(200, (w) => ({ url: `/notes/${inUrl(w.notePath)}` })),
  getNoteById: row(200, (w) => ({ url: `/notes/by-id/${w.note}` })),
  deleteNoteById: row(200, (w) => ({ url: `/notes/by-id/${w.note}` })),
  listBacklinks: row(200, (w) => ({ url: `/notes/by-id/${w.note}/backlinks` })),
  listNoteVersions: row(200, (w) => ({ url: `/notes/by-id/${w.note}/versions` })),
  getNoteVersion: row(200, (w) => ({ url: `/notes/by-id/${w.note}/versions/1` })),
  restoreNoteVersion: row(200, (w) => ({ url: `/notes/by-id/${w.note}/restore`, body: { version: 1 } })),
  moveNotes: row(200, (w) => ({
    url: '/notes/batch-move',
    body: { ids: [w.note], target_folder_id: w.folder },
  })),
  deleteNotes: row(200, (w) => ({ url: '/notes/batch-delete', body: { ids: [w.note] } })),
  listOpenedNotes: row(200, () => ({ url: '/me/recent' })),
  recordOpenedNote: row(204, (w) => ({ url: '/me/recent', body: { note_id: w.note } })),
  listRecentNotes: row(200, () => ({ url: '/notes/recent' })),
  listTags: row(200, () => ({ url: '/tags' })),
  listTypes: row(200, () => ({ url: '/types' })),
  search: row(200, () => ({ url: '/search', body: { query: 'x' } })),
  searchStatus: row(200, () => ({ url: '/search/status' })),
  listTasks: row(200, () => ({ url: '/vault/tasks?state=open' })),
  toggleTask: row(200, (w) => ({ url: '/vault/tasks/toggle', body: { note_id: w.other, line: 2, text: w.taskText } })),
  listMentions: row(200, (w) => ({ url: `/notes/by-id/${w.note}/mentions` })),
  linkMention: row(200, (w) => ({
    url: `/notes/by-id/${w.note}/mentions/link`,
    body: { note_id: w.other, start: mentionIn(w), text: w.notePath.slice(0, -'.md'.length) },
  })),
  renameTag: row(200, () => ({ url: '/vault/tags/rename', body: { from: 'x', to: 'y', dry_run: true } })),
  replaceText: row(200, () => ({ url: '/vault/replace', body: { text: 'x', replacement: 'y', dry_run: true } })),
  queryNotes: row(200, () => ({ url: '/vault/query', body: { columns: ['type', 'file.links'] } })),
};

const folders = {
  listFolders: row(200, () => ({ url: '/folders' })),
  listExplicitFolders: row(200, () => ({ url: '/folders/explicit' })),
  listFolderNotes: row(200, (w) => ({ url: `/folders/list?folder=${encodeURIComponent(w.folderPath)}` })),
  listFolderNotesById: row(200, (w) => ({ url: `/folders/by-id/${w.folder}/notes` })),
  createFolder: row(201, (w) => ({ url: '/folders', body: { folder: w.fresh } })),
  deleteFolder: row(204, (w) => ({ url: `/folders/${inUrl(w.folderPath)}?recursive=true` })),
  renameFolder: row(200, (w) => ({
    url: '/folders/rename',
    body: { old_path: w.folderPath, new_path: w.fresh },
  })),
  moveFolders: row(200, (w) => ({
    url: '/folders/batch-move',
    body: { ids: [w.folder], target_parent: w.fresh },
  })),
  deleteFolders: row(200, (w) => ({ url: '/folders/batch-delete', body: { ids: [w.folder] } })),
  renameMany: row(200, (w) => ({
    url: '/vault/rename-many',
    body: { moves: [{ id: w.note, from: w.notePath, path: `${w.fresh}.md` }] },
  })),
};

const attachments = {
  listAttachments: row(200, () => ({ url: '/attachments' })),
  uploadAttachment: row(200, (w) => ({
    url: '/attachments',
    body: { path: `${w.fresh}.txt`, content_base64: 'bmV3', mtime: 1 },
  })),
  putAttachment: row(200, (w) => ({
    url: `/attachments/${inUrl(`${w.fresh}.txt`)}`,
    body: Buffer.from('new'),
    headers: { 'content-type': 'text/plain' },
  })),
  getAttachment: row(200, (w) => ({ url: `/attachments/${inUrl(w.attachmentPath)}` })),
  deleteAttachment: row(200, (w) => ({ url: `/attachments/${inUrl(w.attachmentPath)}` })),
  deleteAttachments: row(200, (w) => ({
    url: '/attachments/batch-delete',
    body: { paths: [w.attachmentPath] },
  })),
  moveAttachments: row(200, (w) => ({
    url: '/attachments/batch-move',
    body: { paths: [w.attachmentPath], target_folder: w.folderPath },
  })),
  renameAttachment: row(200, (w) => ({
    url: '/attachments/rename',
    body: { old_path: w.attachmentPath, new_path: `${w.fresh}.txt` },
  })),
};

/** A value of `Upload-Metadata`. */
const base64 = (text: string) => Buffer.from(text).toString('base64');
const tus = { 'tus-resumable': '1.0.0' };

/** Uploads belong to the credential that began them, so that here every credential meets one that is not its own. */
const uploads = {
  createUpload: row(201, (w) => ({
    url: '/uploads',
    headers: { ...tus, 'upload-length': '3', 'upload-metadata': `path ${base64(`${w.fresh}.txt`)}` },
  })),
  getUpload: row(404, (w) => ({ url: `/uploads/${w.note}`, headers: tus })),
  appendToUpload: row(404, (w) => ({
    url: `/uploads/${w.note}`,
    headers: { ...tus, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body: Buffer.from('new'),
  })),
  endUpload: row(404, (w) => ({ url: `/uploads/${w.note}`, headers: tus })),
  listUploadsInto: row(200, () => ({ url: '/user/storage/uploads' })),
  endUploadInto: row(404, (w) => ({ url: `/user/storage/uploads/${w.note}` })),
};

const trash = {
  listActivity: row(200, (w) => ({ url: `/vault/activity?diffs=true&note=${w.note}` })),
  getActivity: row(200, (w) => ({ url: `/vault/activity/${w.activity}` })),
  undoActivity: row(200, (w) => ({ url: `/vault/activity/${w.activity}/undo`, body: { dry_run: true } })),
  listTrash: row(200, (w) => ({ url: `/trash?path=${encodeURIComponent(w.notePath)}` })),
  restoreFromTrash: row(200, (w) => ({ url: `/trash/${w.trashed}/restore`, body: { path: `${w.fresh}.md` } })),
  deleteFromTrash: row(200, (w) => ({ url: `/trash/${w.trashed}` })),
};

const sync = {
  // Without an upgrade they refuse every caller; permissions are checked per document when it is opened.
  syncSocket: row(426, () => ({ url: '/sync/socket' })),
  syncNote: row(426, ({ note }) => ({ url: `/sync/notes/${note}` })),
  getManifest: row(200, () => ({ url: '/sync/manifest' })),
  listChanges: row(200, (w) => ({ url: `/sync/changes?cursor=${encodeURIComponent(w.cursor)}` })),
  findKnownNotes: row(200, (w) => ({
    url: '/sync/known',
    body: { notes: [{ path: w.notePath, content_hash: '0'.repeat(64) }] },
  })),
  getVaultTree: row(200, () => ({ url: '/vault/tree' })),
  getVaultGraph: row(200, () => ({ url: '/vault/graph' })),
  listDanglingLinks: row(200, () => ({ url: '/vault/dangling' })),
  getDailyNote: row(200, () => ({ url: '/vault/daily' })),
};

const rows: Readonly<Record<OperationName, Row>> = {
  ...server,
  ...accounts,
  ...connections,
  ...tickets,
  ...logs,
  ...imports,
  ...admin,
  ...vaults,
  ...members,
  ...publicLinks,
  ...notes,
  ...folders,
  ...trash,
  ...uploads,
  ...sync,
  ...attachments,
};

/** An operation with its row and its rule. */
export interface Known extends Row {
  readonly name: string;
  readonly method: string;
  readonly rule: Rule;
}

/** Every operation of the server's document. Throws for one without a rule, and for a rule without an operation. */
export async function knownOperations(anyone: Caller): Promise<Known[]> {
  const { paths } = (await anyone.get('/openapi')).body as {
    paths: Record<string, Record<string, { operationId: OperationName }>>;
  };
  const documented = Object.values(paths).flatMap((methods) => Object.entries(methods));
  const names = documented.map(([, { operationId }]) => operationId);
  assert.deepEqual(names.toSorted(), Object.keys(operations).sort(), 'the table of operations is not of this server');
  return documented.map(([method, { operationId: name }]) => {
    const rule: Rule = operations[name];
    const request = (world: World) => {
      const { headers, ...rest } = rows[name].request(world);
      const vault = rule.vault === undefined ? {} : { 'x-vault-id': world.vault };
      const key = rule.key === 'required' ? { 'x-idempotency-key': world.fresh } : {};
      return { ...rest, headers: { ...vault, ...key, ...headers } };
    };
    return { ...rows[name], request, rule, name, method: method.toUpperCase() };
  });
}
