import { createHash } from 'node:crypto';
import { type DerivedNote, deriveNote } from '@notevault/note-text/derive.ts';
import {
  aliasKey,
  attachmentNameKey,
  type Candidate,
  lookupOf,
  noteNameKey,
  resolve,
} from '@notevault/note-text/links/resolve.ts';
import { ancestorsOf, folderOf, foldPath } from '@notevault/note-text/paths.ts';
import { defaultExtensions as allowedExtensions } from '../../../src/domains/content/attachments/uploads/extensions.ts';
import { loadDocument, textOf } from '../../../src/domains/content/notes/merge/document.ts';
import type { KeyOwner, Keyring, SealingKey } from '../../../src/ports/keyring/keyring.ts';
import type { Raw, Row } from './raw-sql.ts';

/*
 * Reads every stored row and recomputes everything that is derived: nothing may be missing or partial. It knows the
 * tables, but not the code that writes them.
 */

/** A note with its sealed parts opened. */
interface OpenedNote {
  readonly id: string;
  readonly row: Row;
  readonly live: boolean;
  readonly path: string;
  readonly content: string;
  readonly derived: DerivedNote;
  readonly aliases: readonly string[];
}

/** An attachment with its sealed part opened. */
interface OpenedFile {
  readonly id: string;
  readonly row: Row;
  readonly live: boolean;
  readonly path: string;
  readonly hash: string;
}

interface VaultCheck {
  readonly id: string;
  readonly key: SealingKey;
  /** The vault's rows of a table. */
  rows(table: string): readonly Row[];
  fault(what: string): void;
}

/**
 * Returns everything wrong with the stored rows, in words; empty when they are consistent.
 *
 * @param only the vault to check; all vaults by default.
 */
export async function checkConsistency(raw: Raw, keyring: Keyring, only: string | null = null): Promise<string[]> {
  const faults: string[] = [];
  const [keys, vaults, users] = [await raw.all('select * from data_keys'), await vaultsOf(raw), await usersOf(raw)];
  const open = (owner: KeyOwner) => {
    const row = keys.find((each) => each.owner_kind === owner.kind && each.owner_id === owner.id);
    if (row === undefined) return null;
    const wrapped = { masterKeyId: String(row.master_key_id), bytes: bytes(row.wrapped) };
    return attempt(faults, `data key of ${owner.kind} ${owner.id}`, () => keyring.openDataKey(owner, wrapped, 0));
  };
  for (const id of users) if (open({ kind: 'user', id }) === null) faults.push(`user ${id} has no data key`);
  const tables = new Map<string, Map<unknown, Row[]>>();
  for (const table of TABLES) {
    const rows = await (only === null
      ? raw.all(`select * from ${table}`)
      : raw.all(`select * from ${table} where vault_id = $1`, only));
    tables.set(
      table,
      Map.groupBy(rows, (row) => row.vault_id),
    );
  }
  for (const vault of vaults) {
    const id = String(vault.id);
    if (only !== null && id !== only) continue;
    const key = open({ kind: 'vault', id });
    if (key === null) faults.push(`vault ${id} has no data key`);
    else {
      const rows = (table: string) => tables.get(table)?.get(id) ?? [];
      checkVault({ id, key, rows, fault: (what) => faults.push(`vault ${id}: ${what}`) }, vault);
    }
  }
  return faults;
}

const TABLES = [
  ...['vault_feeds', 'entries', 'note_bodies', 'note_aliases', 'note_versions', 'links'],
  ...['link_texts', 'attachment_blobs', 'spent_ids'],
];
const vaultsOf = (raw: Raw) => raw.all('select * from vaults where purging_at is null');
const usersOf = async (raw: Raw) => (await raw.all('select id from users')).map((row) => String(row.id));

function checkVault(vault: VaultCheck, row: Row): void {
  attempt(vault, 'name and description', () => unseal(vault, 'vaults.meta', vault.id, row.meta_version, row.meta));
  const stored = entriesOf(vault, 'note');
  const notes = stored.filter(hasContent).flatMap((note) => openNote(vault, note) ?? []);
  for (const note of stored) if (!hasContent(note)) checkEnded(vault, note);
  const live = notes.filter((note) => note.live);
  const files = entriesOf(vault, 'attachment').flatMap((file) => openFile(vault, file) ?? []);
  const liveFiles = files.filter((file) => file.live);
  checkFeed(vault, live.length, liveFiles);
  checkTrash(vault);
  const spent = new Set(vault.rows('spent_ids').map(({ id }) => String(id)));
  for (const { id, kind } of vault.rows('entries'))
    if (spent.has(String(id))) vault.fault(`${kind} ${id} has the id of one that is gone`);
  for (const note of notes) checkNote(vault, note);
  for (const file of files) checkFile(vault, file);
  checkBlobs(
    vault,
    files.filter(({ row }) => hasContent(row)),
  );
  checkNamespace(vault, live, liveFiles);
  checkEdges(vault, notes, liveFiles);
  for (const version of vault.rows('note_versions')) checkVersion(vault, version, notes);
}

function entriesOf(vault: VaultCheck, kind: string): Row[] {
  return vault.rows('entries').filter((row) => row.kind === kind);
}

/** Whether an entry is live or in the trash; of others only the tombstone is left. */
function hasContent(row: Row): boolean {
  return row.deleted_at === null || row.trashed === 1;
}

/** A tombstone that is not in the trash keeps nothing of the note; of one that was just ended, versions may be left. */
function checkEnded(vault: VaultCheck, { id, trashed }: Row): void {
  const left = ['note_bodies', 'note_aliases', 'note_versions'].filter((table) =>
    vault.rows(table).some((row) => row.note_id === id),
  );
  const allowed = trashed === 0 ? ['note_versions'] : [];
  for (const table of left) if (!allowed.includes(table)) vault.fault(`note ${id} has ended and keeps ${table}`);
}

/**
 * Checks the trash: it has only tombstones, the vault counts them, and every attachment in it has its blob, but no
 * other tombstone has.
 */
function checkTrash(vault: VaultCheck): void {
  const entries = vault.rows('entries');
  const trashed = entries.filter((row) => row.trashed === 1);
  for (const { id, kind, deleted_at, trashed: state, blob_id: blob } of entries) {
    if (state !== null && deleted_at === null) vault.fault(`${kind} ${id} is in the trash and live`);
    const keeps = kind === 'attachment' && (deleted_at === null || state === 1);
    if ((blob !== null) !== keeps) vault.fault(`${kind} ${id} has ${blob === null ? 'no' : 'a'} blob`);
  }
  const notes = trashed.filter(({ kind }) => kind === 'note');
  const sizeOf = (rows: readonly Row[]) => rows.reduce((sum, row) => sum + Number(row.size_bytes), 0);
  const files = trashed.filter(({ kind }) => kind === 'attachment');
  const counts = { trash_notes: notes.length, trash_text_bytes: sizeOf(notes), trash_attachment_bytes: sizeOf(files) };
  const [feed] = vault.rows('vault_feeds');
  for (const [column, count] of Object.entries(counts)) {
    if (feed?.[column] !== count) vault.fault(`${column} is ${feed?.[column]}, in all ${count}`);
  }
}

function checkFeed(vault: VaultCheck, live: number, files: readonly OpenedFile[]): void {
  const feeds = vault.rows('vault_feeds');
  const [feed] = feeds;
  if (feed === undefined || feeds.length !== 1) {
    vault.fault(`has ${feeds.length} feeds`);
    return;
  }
  if (feed.note_count !== live) vault.fault(`note_count is ${feed.note_count}, live notes are ${live}`);
  if (feed.attachment_count !== files.length)
    vault.fault(`attachment_count is ${feed.attachment_count}, live attachments are ${files.length}`);
  const bytes = files.reduce((sum, { row }) => sum + Number(row.size_bytes), 0);
  if (feed.attachment_bytes !== bytes) vault.fault(`attachment_bytes is ${feed.attachment_bytes}, in all ${bytes}`);
  const seqs = [...entriesOf(vault, 'note'), ...entriesOf(vault, 'attachment')].map((row) => Number(row.seq));
  const last = Math.max(0, ...seqs);
  if (Number(feed.change_seq) < last) vault.fault(`change_seq is ${feed.change_seq}, a row has ${last}`);
  if (new Set(seqs).size !== seqs.length) vault.fault('two rows have one seq');
}

function openNote(vault: VaultCheck, row: Row): OpenedNote | null {
  const id = String(row.id);
  const bodies = vault.rows('note_bodies').filter((body) => body.note_id === id);
  const [body] = bodies;
  if (body === undefined || bodies.length !== 1) {
    vault.fault(`note ${id} has ${bodies.length} bodies`);
    return null;
  }
  return attempt(vault, `note ${id}`, () => {
    const meta = unsealJson(vault, 'entries.meta', id, row.revision, row.meta);
    const content = unseal(vault, 'notes.content', id, row.version, body.content);
    const text = content.toString();
    const said = (what: string) => vault.fault(`note ${id} at ${meta.path}: ${what}`);
    if (createHash('sha256').update(content).digest('hex') !== meta.hash) said('its hash is not of its content');
    if (content.length !== row.size_bytes) said(`has ${content.length} bytes, its row says ${row.size_bytes}`);
    if (body.doc === null) {
      if (meta.seed === undefined) said('has neither a document nor a seed');
    } else if (textOf(loadDocument(unseal(vault, 'notes.doc', id, row.version, body.doc))) !== text) {
      said('its document has another text than its content');
    }
    const derived = deriveNote(meta.path, text);
    for (const part of ['title', 'tags', 'aliases', 'description', 'type'] as const) {
      if (JSON.stringify(meta[part]) !== JSON.stringify(derived[part])) said(`its ${part} do not follow from its text`);
    }
    return {
      id,
      row,
      live: row.deleted_at === null,
      path: meta.path,
      content: text,
      derived,
      aliases: derived.aliases,
    };
  });
}

function openFile(vault: VaultCheck, row: Row): OpenedFile | null {
  const id = String(row.id);
  return attempt(vault, `attachment ${id}`, () => {
    const { path, hash } = unsealJson(vault, 'entries.meta', id, row.revision, row.meta);
    return { id, row, live: row.deleted_at === null, path, hash };
  });
}

function checkFile(vault: VaultCheck, file: OpenedFile): void {
  const said = (what: string) => vault.fault(`attachment ${file.id} at ${file.path}: ${what}`);
  if (!pathKey(vault, file.path).equals(bytes(file.row.path_key))) said('its path key is of another path');
  const named = nameKey(vault, attachmentNameKey(file.path));
  if (!named.equals(bytes(file.row.name_key))) said('its name key is of another name');
}

/**
 * Committed blobs are in use, one for equal bytes, and blobs in use are committed. (A run's own check reads the bytes.)
 */
function checkBlobs(vault: VaultCheck, files: readonly OpenedFile[]): void {
  const kept = new Map(
    vault
      .rows('attachment_blobs')
      .filter(({ state }) => state === 'committed')
      .map((blob) => [blob.id, blob]),
  );
  for (const { id, path, hash, row } of files) {
    const blob = kept.get(row.blob_id);
    const said = (what: string) => vault.fault(`attachment ${id} at ${path}: ${what}`);
    if (blob === undefined) said('its blob is not kept');
    else if (blob.size_bytes !== row.size_bytes) said('its blob has another size');
    else if (!vault.key.blind('attachment hash', hash).equals(bytes(blob.hash_key))) said('its blob has other bytes');
  }
  const used = new Set(files.map(({ row }) => row.blob_id));
  for (const id of kept.keys()) if (!used.has(id)) vault.fault(`blob ${id} is kept for nothing`);
}

function checkNote(vault: VaultCheck, note: OpenedNote): void {
  const said = (what: string) => vault.fault(`note ${note.id} at ${note.path}: ${what}`);
  if (!pathKey(vault, note.path).equals(bytes(note.row.path_key))) said('its path key is of another path');
  if (!nameKey(vault, noteNameKey(note.path)).equals(bytes(note.row.name_key))) said('its name key is of another name');
  const aliases = note.live
    ? [...new Set(note.aliases.map(aliasKey))].map((key) => nameKey(vault, key).toString('hex'))
    : [];
  const stored = vault.rows('note_aliases').filter((alias) => alias.note_id === note.id);
  const differ = setsDiffer(
    aliases,
    stored.map((alias) => bytes(alias.alias_key).toString('hex')),
  );
  if (differ) said('its stored aliases are not those of its text');
}

/** A folder's row with its path opened. */
interface OpenedFolder {
  readonly row: Row;
  readonly path: string;
}

/**
 * Every folder is explicit or above something live or explicit, its counts are right, and no two live entries have the
 * same path.
 */
function checkNamespace(vault: VaultCheck, live: readonly OpenedNote[], files: readonly OpenedFile[]): void {
  const opened = entriesOf(vault, 'folder').flatMap((row): OpenedFolder[] => {
    const unsealed = () => unsealJson(vault, 'entries.meta', String(row.id), row.revision, row.meta);
    const path: string | null = attempt(vault, `folder ${row.id}`, unsealed)?.path ?? null;
    return path === null ? [] : [{ row, path }];
  });
  const marked = opened.filter(({ row }) => row.explicit === 1).map(({ path }) => path);
  const above = [...[...live, ...files].map(({ path }) => path), ...marked].flatMap(ancestorsOf);
  const needed = new Set([...marked, ...above].map(foldPath));
  const folders = new Map(opened.map((folder) => [foldPath(folder.path), folder]));
  if (folders.size < opened.length) vault.fault('two folders are at one path');
  for (const folder of opened) checkFolder(vault, folder, live, files, needed);
  for (const folder of needed) if (!folders.has(folder)) vault.fault(`folder ${folder} is missing`);
  const held = [...live, ...files, ...opened].map(({ path }) => foldPath(path));
  if (new Set(held).size < held.length) vault.fault('two live entries are at one path');
  const items = [
    ...live.map(({ id, path, row }) => ({ what: `note ${id} at ${path}`, path, in: row.parent_id })),
    ...files.map(({ id, path, row }) => ({ what: `attachment ${id} at ${path}`, path, in: row.parent_id })),
    ...opened.map(({ path, row }) => ({ what: `folder ${path}`, path, in: row.parent_id })),
  ];
  for (const { what, path, in: listed } of items) {
    const holding = folders.get(foldPath(folderOf(path)));
    if (listed !== (holding?.row.id ?? null)) vault.fault(`${what} is in another folder's list`);
    if (folderOf(path) !== (holding?.path ?? '')) vault.fault(`${what} spells its folder otherwise`);
  }
}

function checkFolder(
  vault: VaultCheck,
  { row, path }: OpenedFolder,
  live: readonly OpenedNote[],
  files: readonly OpenedFile[],
  needed: ReadonlySet<string>,
): void {
  const said = (what: string) => vault.fault(`folder ${path} ${what}`);
  const key = foldPath(path);
  if (!pathKey(vault, path).equals(bytes(row.path_key))) said('has the path key of another');
  const notes = live.filter((note) => foldPath(folderOf(note.path)) === key).length;
  if (row.notes !== notes) said(`counts ${row.notes} notes and has ${notes}`);
  const inside = [...needed].filter((folder) => folderOf(folder) === key).length;
  const attached = files.filter((file) => foldPath(folderOf(file.path)) === key).length;
  const children = notes + attached + inside;
  if (row.children !== children) said(`counts ${row.children} children, has ${children}`);
  if (!needed.has(key)) said('is empty and still there');
}

/** The edges of each note equal those of a fresh parse of its text, with the targets to which they resolve now. */
function checkEdges(vault: VaultCheck, notes: readonly OpenedNote[], files: readonly OpenedFile[]): void {
  const byName = new Map<string, Candidate[]>();
  for (const { id, path } of files) {
    const name = attachmentNameKey(path);
    byName.set(name, [...(byName.get(name) ?? []), { kind: 'attachment', id, path, aliases: [] }]);
  }
  for (const { id, path, aliases, live } of notes) {
    if (!live) continue;
    const candidate: Candidate = { kind: 'note', id, path, aliases };
    for (const name of new Set([noteNameKey(path), ...aliases.map(aliasKey)])) {
      byName.set(name, [...(byName.get(name) ?? []), candidate]);
    }
  }
  for (const note of notes) {
    const said = (what: string) => vault.fault(`note ${note.id} at ${note.path}: ${what}`);
    const edges = vault.rows('links').filter((edge) => edge.source_id === note.id);
    const texts = vault.rows('link_texts').filter((row) => row.source_id === note.id);
    edges.sort((a, b) => Number(a.ord) - Number(b.ord));
    const links = note.live ? note.derived.links : [];
    if (edges.length !== links.length) said(`has ${edges.length} edges and ${links.length} links`);
    if (!note.live && texts.length > 0) said('is deleted and keeps link texts');
    if (note.live && links.length > 0) checkTexts(vault, note, texts, said);
    for (const [ord, link] of links.entries()) {
      const edge = edges[ord];
      if (edge === undefined) continue;
      const lookup = lookupOf(link.target, link.form, allowedExtensions);
      const stems = lookup.kind === 'self' ? [] : lookup.stems;
      const candidates = [...new Set(stems.flatMap((stem) => byName.get(stem) ?? []))];
      const found = lookup.kind === 'self' ? null : resolve(link, note.path, candidates, allowedExtensions);
      const target = lookup.kind === 'self' ? note.id : found?.kind === 'note' ? found.id : null;
      const attached = found?.kind === 'attachment' ? found.id : null;
      if (edge.ord !== ord) said(`edge ${ord} has place ${edge.ord}`);
      if (edge.target_note_id !== target) said(`link ${ord} points to ${edge.target_note_id} instead of ${target}`);
      if (edge.target_attachment_id !== attached)
        said(`link ${ord} points to ${edge.target_attachment_id} instead of attachment ${attached}`);
      const keys = [edge.target_key, edge.other_key]
        .filter((key) => key !== null)
        .map((key) => bytes(key).toString('hex'));
      if (
        setsDiffer(
          keys,
          stems.map((stem) => nameKey(vault, stem).toString('hex')),
        )
      )
        said(`link ${ord} is looked up under other names`);
    }
  }
}

function checkTexts(vault: VaultCheck, note: OpenedNote, rows: readonly Row[], said: (what: string) => void): void {
  const [row] = rows;
  if (row === undefined) {
    said('has links and no link texts');
    return;
  }
  const texts = attempt(vault, `link texts of ${note.id}`, () =>
    unsealJson(vault, 'link_texts.texts', note.id, row.version, row.texts),
  );
  const wanted = note.derived.links.map(({ target, anchor, alias, embed, form }) => [
    target,
    anchor,
    alias,
    embed ? 1 : 0,
    form,
  ]);
  // The last fields hold the text to which a link returns when its target does; a parse cannot know them.
  const stored = texts?.map((text: unknown[]) => text.slice(0, 5)) ?? null;
  if (stored !== null && JSON.stringify(stored) !== JSON.stringify(wanted))
    said('its link texts are not those of its text');
}

function checkVersion(vault: VaultCheck, row: Row, notes: readonly OpenedNote[]): void {
  const id = String(row.note_id);
  attempt(vault, `version ${row.version} of note ${id}`, () => {
    const meta = unsealJson(vault, 'note_versions.meta', id, row.version, row.meta);
    const content = unseal(vault, 'notes.content', id, row.version, row.content);
    unseal(vault, 'note_versions.snapshot', id, row.version, row.snapshot);
    if (createHash('sha256').update(content).digest('hex') !== meta.hash)
      throw new Error('its hash is not of its content');
  });
  const note = notes.find((each) => each.id === id);
  if (note !== undefined && Number(row.version) >= Number(note.row.version))
    vault.fault(`note ${id} keeps a version not yet written over`);
}

/** The value of a SealedJson, which follows the byte with its format. */
function unsealJson(...sealed: Parameters<typeof unseal>) {
  return JSON.parse(unseal(...sealed).toString('utf8', 1));
}

function unseal(vault: VaultCheck, kind: string, row: string, version: unknown, sealed: unknown): Buffer {
  return vault.key.open({ kind, row, version: Number(version) }, bytes(sealed));
}

const pathKey = (vault: VaultCheck, path: string) => vault.key.blind('path', foldPath(path));
const nameKey = (vault: VaultCheck, name: string) => vault.key.blind('name', name);

function bytes(value: unknown): Buffer {
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
}

function setsDiffer(some: readonly string[], others: readonly string[]): boolean {
  return new Set(some).symmetricDifference(new Set(others)).size > 0 || some.length !== others.length;
}

function attempt<T>(faults: string[] | VaultCheck, what: string, work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    const fault = `${what}: ${error instanceof Error ? error.message : String(error)}`;
    if (Array.isArray(faults)) faults.push(fault);
    else faults.fault(fault);
    return null;
  }
}
