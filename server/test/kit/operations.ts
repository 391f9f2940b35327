import type { Caller, Headed } from './person.ts';

/*
 * One row for every operation of the OpenAPI document: who may call it, and a request that succeeds. The tests of
 * access and isolation use all rows, and fail for an operation without one: a new route gets its row here.
 */

/**
 * What an operation requires of a credential: nothing; a session; a session of an admin; any credential; level `read` or `write` on the vault
 * of the header (`read`, `write`) or of the URL (`vault read`, `vault write`); permission to create vaults (`create`).
 */
export type AccessKind =
  | 'public'
  | 'session'
  | 'admin'
  | 'credential'
  | 'read'
  | 'write'
  | 'vault read'
  | 'vault write'
  | 'create';

export interface Request {
  readonly url: string;
  readonly body?: unknown;
  readonly headers?: Headed;
}

export interface Operation {
  readonly access: AccessKind;
  /** Status for a permitted caller in their own world. */
  readonly answers: number;
  readonly request: (world: World) => Request;
  /** Parts of a world that are created only for the few operations that need them. */
  readonly needs?: Need;
}

export type Need = 'devices' | 'cursor' | 'trash';

/** The things of one account, by name; every value belongs only to that account. */
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
  readonly folder: string;
  readonly folderPath: string;
  readonly attachmentPath: string;
  /** A note in the trash. */
  readonly trashed: string;
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
  /** An unused id. */
  readonly fresh: string;
}

/** @param word becomes part of names that nobody else uses. */
export async function makeWorld(owner: Caller, word: string, needs: readonly Need[]): Promise<World> {
  const ok = async (asked: ReturnType<Caller['get']>) => {
    const { status, body } = await asked;
    if (status >= 300) throw new Error(`making a world was answered ${status}: ${JSON.stringify(body)}`);
    return body;
  };
  const clientId = `client-${word}`;
  const { id: vault } = await ok(owner.post('/vaults/register', { client_id: clientId, name: `Vault ${word}` }));
  const { vault: gone } = await ok(owner.post('/vaults', { name: `Gone ${word}` }));
  await ok(owner.delete(`/vaults/${gone.id}`));
  const headers = { 'x-vault-id': vault };
  const put = (path: string, content: string) => ok(owner.post('/notes', { path, content, mtime: 1 }, headers));
  const [notePath, folderPath] = [`Note ${word}.md`, `Folder ${word}`];
  const otherPath = `${folderPath}/Other ${word}.md`;
  const { folder } = await ok(owner.post('/folders', { folder: folderPath }, headers));
  await put(notePath, `first words of ${word}`);
  const { note } = await put(notePath, `---\ntype: kind-${word}\n---\nsecret words of ${word} #tag-${word}`);
  const { note: other } = await put(otherPath, `[[Note ${word}]]`);
  const attachmentPath = `File ${word}.txt`;
  const file = { path: attachmentPath, content_base64: btoa(`bytes of ${word}`), mtime: 1 };
  await ok(owner.post('/attachments', file, headers));
  const trashed = needs.includes('trash') ? (await put(`Old ${word}.md`, `old words of ${word}`)).note : null;
  if (trashed !== null) await ok(owner.delete(`/notes/by-id/${trashed.id}`, undefined, headers));
  const { id: key } = await ok(owner.post('/api-keys', { name: `Key ${word}` }));
  return {
    cursor: needs.includes('cursor') ? (await ok(owner.get('/sync/changes', headers))).resume_cursor : '',
    ...(needs.includes('devices') ? await makeDevices(owner, vault) : NO_DEVICES),
    vault,
    gone: gone.id,
    note: note.id,
    notePath,
    other: other.id,
    otherPath,
    trashed: trashed?.id ?? '',
    folder: folder.id,
    folderPath,
    attachmentPath,
    key,
    clientId,
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

const inUrl = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** A row of an operation on the vault of the header. */
function inVault(
  access: 'read' | 'write',
  request: (world: World) => Request & { readonly key?: string },
  answers = 200,
): Operation {
  return {
    access,
    answers,
    request: (world) => {
      const { key, headers, ...rest } = request(world);
      const keyed = key === undefined ? {} : { 'x-idempotency-key': key };
      return { ...rest, headers: { 'x-vault-id': world.vault, ...keyed, ...headers } };
    },
  };
}

function row(access: Exclude<AccessKind, 'read' | 'write'>, answers: number, request: Operation['request']): Operation {
  return { access, answers, request };
}

const withDevices = (operation: Operation): Operation => ({ ...operation, needs: 'devices' });

const server: Record<string, Operation> = {
  getOpenApi: row('public', 200, () => ({ url: '/openapi' })),
  getHealth: row('public', 200, () => ({ url: '/health' })),
  isAlive: row('public', 200, () => ({ url: '/../healthz' })),
  isReady: row('public', 200, () => ({ url: '/../readyz' })),
  listNoteChanges: row('credential', 410, () => ({ url: '/notes/changes' })),
  listAttachmentChanges: row('credential', 410, () => ({ url: '/attachments/changes' })),
};

const accounts: Record<string, Operation> = {
  register: row('public', 201, (w) => ({
    url: '/auth/register',
    body: { email: `${w.fresh}@example.org`, password: 'long enough' },
  })),
  login: row('public', 401, () => ({ url: '/auth/login', body: { email: 'nobody@example.org', password: 'x' } })),
  refreshSession: row('public', 401, () => ({ url: '/auth/refresh' })),
  logout: row('public', 204, () => ({ url: '/auth/logout' })),
  bootstrap: row('public', 200, () => ({ url: '/auth/bootstrap' })),
  resetPassword: row('public', 422, () => ({
    url: '/auth/password/reset',
    body: { token: 'no such token', password: 'long enough' },
  })),
  // With the wrong password, so that a permitted caller keeps their session.
  changePassword: row('session', 422, () => ({
    url: '/auth/password/change',
    body: { old_password: 'wrong', new_password: 'long enough' },
  })),
  listSessions: row('session', 200, () => ({ url: '/me/sessions' })),
  endSession: row('session', 404, (w) => ({ url: `/me/sessions/${w.fresh}` })),
  endOtherSessions: row('session', 200, () => ({ url: '/me/sessions' })),
  deleteMe: row('session', 403, () => ({ url: '/me', body: { password: 'wrong' } })),
  getMe: row('credential', 200, () => ({ url: '/me' })),
  updateMe: row('session', 200, () => ({ url: '/me', body: { locale: 'en-GB' } })),
};

const tickets: Record<string, Operation> = {
  createTicket: inVault('read', (w) => ({
    url: '/tickets',
    body: { operation: 'attachment.get', path: w.attachmentPath },
  })),
  downloadByTicket: row('public', 404, () => ({ url: '/tickets/nv_tkt_none' })),
  uploadByTicket: row('public', 404, () => ({ url: '/tickets/nv_tkt_none', body: 'bytes' })),
};

const connections: Record<string, Operation> = {
  createApiKey: row('session', 200, (w) => ({ url: '/api-keys', body: { name: w.fresh } })),
  listApiKeys: row('session', 200, () => ({ url: '/api-keys' })),
  revokeApiKey: row('session', 200, (w) => ({ url: `/api-keys/${w.key}` })),
  listConnections: row('session', 200, () => ({ url: '/connections' })),
  createPat: row('session', 201, (w) => ({
    url: '/connections/pat',
    body: { name: w.fresh, vault_access: { [w.vault]: 'read' } },
  })),
  startDeviceLink: row('public', 200, (w) => ({ url: '/auth/device', body: { device_name: w.fresh } })),
  authorizeDevice: withDevices(
    row('session', 200, (w) => ({
      url: '/auth/device/authorize',
      body: { user_code: w.userCode, vault_id: w.vault },
    })),
  ),
  pollDeviceLink: withDevices(
    row('public', 400, (w) => ({ url: '/auth/device/token', body: { device_code: w.deviceCode } })),
  ),
  refreshDevice: withDevices(
    row('public', 200, (w) => ({
      url: '/auth/token/refresh',
      body: { refresh_token: w.deviceRefresh },
    })),
  ),
  signOffDevice: withDevices(
    row('public', 204, (w) => ({
      url: '/auth/token/revoke',
      body: { refresh_token: w.deviceRefresh },
    })),
  ),
  // The client was never authorized, so a permitted caller gets 404.
  revokeOAuthClient: row('session', 404, (w) => ({ url: `/connections/oauth/https://client.example/${w.fresh}` })),
  revokeDevice: withDevices(row('session', 204, (w) => ({ url: `/connections/device/${w.device}` }))),
  revokePat: row('session', 204, (w) => ({ url: `/connections/pat/${w.key}` })),
};

const imports: Record<string, Operation> = {
  startImport: row('session', 202, (w) => ({ url: `/imports?vault_id=${w.vault}`, body: 'no archive' })),
  listImports: row('session', 200, () => ({ url: '/imports' })),
  getImport: row('session', 404, (w) => ({ url: `/imports/${w.note}` })),
  cancelImport: row('session', 404, (w) => ({ url: `/imports/${w.note}` })),
  applyImport: row('session', 404, (w) => ({ url: `/imports/${w.note}/apply` })),
};

const admin: Record<string, Operation> = {
  adminListUsers: row('admin', 200, () => ({ url: '/admin/users' })),
  // Nobody has this id, so that the test of one account changes no other.
  adminUpdateUser: row('admin', 404, (w) => ({ url: `/admin/users/${w.note}`, body: { suspended: true } })),
  adminDeleteUser: row('admin', 403, (w) => ({ url: `/admin/users/${w.note}`, body: { password: 'wrong' } })),
  adminListInvites: row('admin', 200, () => ({ url: '/admin/invites' })),
  adminCreateInvite: row('admin', 201, () => ({ url: '/admin/invites', body: {} })),
  adminDeleteInvite: row('admin', 404, (w) => ({ url: `/admin/invites/${w.note}` })),
  adminHealth: row('admin', 200, () => ({ url: '/admin/health' })),
};

const logs: Record<string, Operation> = {
  addLogs: row('credential', 200, (w) => ({ url: '/logs', body: { logs: [{ message: w.fresh }] } })),
  listLogs: row('credential', 200, () => ({ url: '/logs' })),
};

const vaults: Record<string, Operation> = {
  getStorage: row('credential', 200, () => ({ url: '/user/storage' })),
  listVaults: row('credential', 200, () => ({ url: '/vaults' })),
  createVault: row('create', 201, (w) => ({ url: '/vaults', body: { name: w.fresh } })),
  registerVault: row('create', 201, (w) => ({ url: '/vaults/register', body: { client_id: w.fresh, name: 'New' } })),
  getVault: row('vault read', 200, (w) => ({ url: `/vaults/${w.vault}` })),
  updateVault: row('vault write', 200, (w) => ({ url: `/vaults/${w.vault}`, body: { name: w.fresh } })),
  deleteVault: row('vault write', 200, (w) => ({ url: `/vaults/${w.vault}` })),
  restoreVault: row('session', 200, (w) => ({ url: `/vaults/${w.gone}/restore` })),
  purgeVault: row('session', 200, (w) => ({ url: `/vaults/${w.gone}/purge` })),
};

const notes: Record<string, Operation> = {
  upsertNote: inVault('write', (w) => ({ url: '/notes', body: { path: w.notePath, mtime: 2, content: 'new' } })),
  upsertNotes: inVault('write', (w) => ({
    url: '/notes/batch',
    key: w.fresh,
    body: { notes: [{ path: w.notePath, mtime: 2, content: 'new' }] },
  })),
  appendToNote: inVault('write', (w) => ({ url: '/notes/append', body: { path: w.notePath, text: 'more' } })),
  renameNote: inVault('write', (w) => ({
    url: '/notes/rename',
    body: { old_path: w.notePath, new_path: `${w.fresh}.md` },
  })),
  getNote: inVault('read', (w) => ({ url: `/notes/${inUrl(w.notePath)}` })),
  deleteNote: inVault('write', (w) => ({ url: `/notes/${inUrl(w.notePath)}` })),
  getNoteById: inVault('read', (w) => ({ url: `/notes/by-id/${w.note}` })),
  deleteNoteById: inVault('write', (w) => ({ url: `/notes/by-id/${w.note}` })),
  listBacklinks: inVault('read', (w) => ({ url: `/notes/by-id/${w.note}/backlinks` })),
  listNoteVersions: inVault('read', (w) => ({ url: `/notes/by-id/${w.note}/versions` })),
  getNoteVersion: inVault('read', (w) => ({ url: `/notes/by-id/${w.note}/versions/1` })),
  restoreNoteVersion: inVault('write', (w) => ({ url: `/notes/by-id/${w.note}/restore`, body: { version: 1 } })),
  moveNotes: inVault('write', (w) => ({
    url: '/notes/batch-move',
    key: w.fresh,
    body: { ids: [w.note], target_folder_id: w.folder },
  })),
  deleteNotes: inVault('write', (w) => ({ url: '/notes/batch-delete', key: w.fresh, body: { ids: [w.note] } })),
  listRecentNotes: inVault('read', () => ({ url: '/notes/recent' })),
  listTags: inVault('read', () => ({ url: '/tags' })),
  listTypes: inVault('read', () => ({ url: '/types' })),
  search: inVault('read', () => ({ url: '/search', body: { query: 'x' } })),
  searchStatus: inVault('read', () => ({ url: '/search/status' })),
};

const folders: Record<string, Operation> = {
  listFolders: inVault('read', () => ({ url: '/folders' })),
  listExplicitFolders: inVault('read', () => ({ url: '/folders/explicit' })),
  listFolderNotes: inVault('read', (w) => ({ url: `/folders/list?folder=${encodeURIComponent(w.folderPath)}` })),
  listFolderNotesById: inVault('read', (w) => ({ url: `/folders/by-id/${w.folder}/notes` })),
  createFolder: inVault('write', (w) => ({ url: '/folders', body: { folder: w.fresh } }), 201),
  deleteFolder: inVault('write', (w) => ({ url: `/folders/${inUrl(w.folderPath)}?recursive=true` }), 204),
  renameFolder: inVault('write', (w) => ({
    url: '/folders/rename',
    body: { old_path: w.folderPath, new_path: w.fresh },
  })),
  moveFolders: inVault('write', (w) => ({
    url: '/folders/batch-move',
    key: w.fresh,
    body: { ids: [w.folder], target_parent: w.fresh },
  })),
  deleteFolders: inVault('write', (w) => ({ url: '/folders/batch-delete', key: w.fresh, body: { ids: [w.folder] } })),
};

const attachments: Record<string, Operation> = {
  listAttachments: inVault('read', () => ({ url: '/attachments' })),
  uploadAttachment: inVault('write', (w) => ({
    url: '/attachments',
    body: { path: `${w.fresh}.txt`, content_base64: 'bmV3', mtime: 1 },
  })),
  putAttachment: inVault('write', (w) => ({
    url: `/attachments/${inUrl(`${w.fresh}.txt`)}`,
    body: Buffer.from('new'),
    headers: { 'content-type': 'text/plain' },
  })),
  getAttachment: inVault('read', (w) => ({ url: `/attachments/${inUrl(w.attachmentPath)}` })),
  deleteAttachment: inVault('write', (w) => ({ url: `/attachments/${inUrl(w.attachmentPath)}` })),
  deleteAttachments: inVault('write', (w) => ({
    url: '/attachments/batch-delete',
    body: { paths: [w.attachmentPath] },
  })),
  moveAttachments: inVault('write', (w) => ({
    url: '/attachments/batch-move',
    key: w.fresh,
    body: { paths: [w.attachmentPath], target_folder: w.folderPath },
  })),
  renameAttachment: inVault('write', (w) => ({
    url: '/attachments/rename',
    body: { old_path: w.attachmentPath, new_path: `${w.fresh}.txt` },
  })),
};

const inTrash = (operation: Operation): Operation => ({ ...operation, needs: 'trash' });

const trash: Record<string, Operation> = {
  listTrash: inTrash(inVault('read', () => ({ url: '/trash' }))),
  restoreFromTrash: inTrash(
    inVault('write', (w) => ({ url: `/trash/${w.trashed}/restore`, body: { path: `${w.fresh}.md` } })),
  ),
  deleteFromTrash: inTrash(inVault('write', (w) => ({ url: `/trash/${w.trashed}` }))),
};

const sync: Record<string, Operation> = {
  // Without an upgrade they refuse every caller; permissions are checked per document when it is opened.
  syncSocket: { access: 'public', answers: 426, request: () => ({ url: '/sync/socket' }) },
  syncNote: { access: 'public', answers: 426, request: ({ note }) => ({ url: `/sync/notes/${note}` }) },
  getManifest: inVault('read', () => ({ url: '/sync/manifest' })),
  listChanges: {
    ...inVault('read', (w) => ({ url: `/sync/changes?cursor=${encodeURIComponent(w.cursor)}` })),
    needs: 'cursor',
  },
  getVaultTree: inVault('read', () => ({ url: '/vault/tree' })),
  getVaultGraph: inVault('read', () => ({ url: '/vault/graph' })),
};

export const operations: Readonly<Record<string, Operation>> = {
  ...server,
  ...accounts,
  ...connections,
  ...tickets,
  ...logs,
  ...imports,
  ...admin,
  ...vaults,
  ...notes,
  ...folders,
  ...trash,
  ...sync,
  ...attachments,
};

/** An operation of the server's document, with its row. */
export interface Known extends Operation {
  readonly name: string;
  readonly method: string;
}

/**
 * Every operation of the server's document with its row. Throws for an operation without a row, and for a row without
 * an operation.
 */
export async function knownOperations(anyone: Caller): Promise<Known[]> {
  const { paths } = (await anyone.get('/openapi')).body as {
    paths: Record<string, Record<string, { operationId: string }>>;
  };
  const documented = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => ({
      path,
      method: method.toUpperCase(),
      name: operationId,
    })),
  );
  const names = new Set(documented.map(({ name }) => name));
  const rowless = documented.filter(({ name }) => operations[name] === undefined).map(({ name }) => name);
  const stale = Object.keys(operations).filter((name) => !names.has(name));
  if (rowless.length > 0) throw new Error(`server/test/kit/operations.ts has no row for ${rowless.join(', ')}`);
  if (stale.length > 0) throw new Error(`server/test/kit/operations.ts has rows for no operation: ${stale.join(', ')}`);
  return documented.flatMap(({ name, method }) => {
    const found = operations[name];
    return found === undefined ? [] : [{ ...found, name, method }];
  });
}
