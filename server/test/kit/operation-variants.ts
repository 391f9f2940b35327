import { type Known, type Need, type Request, USED_PASSKEY, type World } from './operations.ts';

/* Requests that name things in more places than the operations' own rows do, for the tests of isolation and access. */

export type Field = keyof World;
export type Making = (world: World) => Request;

/** Bearer secrets: they grant access to anyone who has them, by design. */
export const SECRETS: readonly Field[] = ['deviceRefresh', 'deviceCode'];

/**
 * Requests that bring their own ids, which are accepted while unused. An answer must not reveal for which of two
 * reasons an id is unavailable: used in another vault of the caller’s, or in one that is not theirs.
 */
export const taken: Readonly<Record<string, readonly Making[]>> = {
  upsertNote: [
    (w) => ({ url: '/notes', body: { path: `${w.fresh} id.md`, mtime: 1, content: 'x', id: w.note } }),
    (w) => ({ url: '/notes', body: { path: w.otherPath, mtime: 1, content: 'y', id: w.note, base_hash: 'z' } }),
    (w) => ({ url: '/notes', body: { path: `${w.fresh} old.md`, mtime: 1, content: 'x', id: w.trashed } }),
  ],
  upsertNotes: [
    (w) => ({
      url: '/notes/batch',
      headers: { 'x-idempotency-key': `${w.fresh}-batch` },
      body: { notes: [{ path: w.otherPath, mtime: 3, content: `[[${w.notePath}]]`, id: w.other }] },
    }),
  ],
};

/** A request by its body, with an idempotency key. */
function keyed(url: string, word: string, body: (world: World) => object): Making {
  return (w) => ({ url, headers: { 'x-idempotency-key': `${w.fresh}-${word}` }, body: body(w) });
}

const variants: Readonly<Record<string, readonly Making[]>> = {
  upsertNote: [
    (w) => ({ url: '/notes', body: { path: `${w.fresh}.md`, folder: w.folderPath, mtime: 1, content: 'x' } }),
  ],
  upsertNotes: [
    keyed('/notes/batch', 'notes', (w) => ({
      notes: [{ path: `${w.fresh}.md`, folder: w.folderPath, mtime: 1, content: 'x' }],
    })),
  ],
  moveNotes: [keyed('/notes/batch-move', 'move', (w) => ({ ids: [w.other, w.note], target_folder: w.folderPath }))],
  deleteNotes: [
    keyed('/notes/batch-delete', 'delete', (w) => ({ ids: [w.other, w.note], base_hashes: { [w.note]: 'x' } })),
  ],
  moveFolders: [keyed('/folders/batch-move', 'move', (w) => ({ ids: [w.folder], target_parent_id: w.folder }))],
  renameMany: [
    keyed('/vault/rename-many', 'swap', (w) => ({
      moves: [
        { id: w.other, from: w.otherPath, path: w.notePath },
        { id: w.note, from: w.notePath, path: w.otherPath },
      ],
    })),
  ],
  listAttachments: [(w) => ({ url: `/attachments?folder=${encodeURIComponent(w.folderPath)}` })],
  listTasks: [(w) => ({ url: `/vault/tasks?folder=${encodeURIComponent(w.folderPath)}` })],
  queryNotes: [(w) => ({ url: '/vault/query', body: { folder: w.folderPath, columns: ['type'] } })],
  search: [(w) => ({ url: '/search', body: { query: w.notePath, mode: 'keyword', folder: w.folderPath } })],
  replaceText: [
    (w) => ({
      url: '/vault/replace',
      body: { text: 'words', replacement: 'y', folder: w.folderPath, dry_run: true },
    }),
  ],
  createApiKey: [
    (w) => ({ url: '/api-keys', body: { name: 'k', default_access: 'read', vault_access: { [w.gone]: 'read' } } }),
  ],
  listVaults: [
    (w) => ({ url: `/vaults?user_code=${encodeURIComponent(w.userCode)}` }),
    () => ({ url: '/vaults?deleted=true' }),
  ],
  createTicket: [
    (w) => ({ url: '/tickets', body: { operation: 'attachment.put', path: w.attachmentPath } }),
    () => ({ url: '/tickets', body: { operation: 'vault.export' } }),
  ],
  stepUp: [() => ({ url: '/auth/step-up', body: { passkey: USED_PASSKEY } })],
  createPublicLink: [(w) => ({ url: '/vault/links', body: { folder: w.folderPath } })],
  registerVault: [(w) => ({ url: '/vaults/register', body: { client_id: w.clientId, name: 'Mine' } })],
};

/** The request of an operation's row, and its variants. */
export function requestsOf(operation: Known): Making[] {
  return [operation.request, ...(variants[operation.name] ?? []).map(inVaultOf(operation))];
}

/** A world whose values are not looked at. */
export const NAMED = new Proxy({}, { get: (_, field) => `<${String(field)}>` }) as World;

/** Returns the needs of the request in an operation's row. */
export function needsOfRow({ request }: Known): Need[] {
  return needsOf(new Set(fieldsOf(request, NAMED)));
}

/** A variant is called in the same vault as its operation's row. */
export function inVaultOf({ rule }: Known) {
  return (variant: Making): Making =>
    (world) => {
      const { headers, ...rest } = variant(world);
      const vault = rule.vault === undefined ? {} : { 'x-vault-id': world.vault };
      return { ...rest, headers: { ...vault, ...headers } };
    };
}

/** The fields of a world that a request uses. */
export function fieldsOf(request: Making, world: World): Field[] {
  const seen = new Set<Field>();
  request(
    new Proxy(world, {
      get(target, field) {
        seen.add(field as Field);
        return target[field as Field];
      },
    }),
  );
  return [...seen].filter((field) => field !== 'fresh');
}

const FIELDS_OF: Readonly<Record<Need, readonly Field[]>> = {
  gone: ['gone'],
  folder: ['folder', 'folderPath'],
  note: ['note', 'notePath'],
  other: ['other', 'otherPath', 'taskText'],
  attachment: ['attachmentPath'],
  key: ['key'],
  devices: ['device', 'deviceRefresh', 'userCode', 'deviceCode'],
  cursor: ['cursor'],
  trash: ['trashed'],
  activity: ['activity'],
  people: ['self', 'invitation'],
};
export const NEEDS = Object.keys(FIELDS_OF) as readonly Need[];

/** Returns the needs that give a world these fields. */
export function needsOf(fields: ReadonlySet<Field>): Need[] {
  return NEEDS.filter((need) => FIELDS_OF[need].some((field) => fields.has(field)));
}
