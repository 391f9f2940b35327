import type { VaultClient } from '@notevault/client/vault-client.ts';
import { fileName, folderOf, foldPath, normalizePath } from '@notevault/note-text/paths.ts';
import type { NoteListed } from '@notevault/protocol/notes.ts';
import { operations } from '@notevault/protocol/operations.ts';
import { counted } from '@notevault/protocol/values/counted.ts';
import { chooseVault } from '../choose-vault.ts';
import { nearest } from '../edits/nearest.ts';
import { inOrder, moreLine, pageOf } from '../paging.ts';
import { DATA_NOTICE, data, ToolFailure } from '../text/answer.ts';
import { cutTo } from '../text/tokens.ts';
import { tool } from '../tool.ts';
import { cursor, input, limit, optional, vault } from './fields.ts';

const PAGE = 80;
const TAGS_PAGE = 200;
/** Maximum tokens of a title or tag in a list. */
const TITLE_TOKENS = 200;

/** A line of a folder. */
interface FolderEntry {
  readonly kind: 'folder' | 'note' | 'attachment';
  readonly path: string;
  readonly note?: NoteListed;
  readonly notes?: number;
  readonly size?: number;
}

export const listFolder = tool({
  name: 'list_folder',
  title: 'List a folder',
  description: 'List the subfolders, notes and attachments directly inside a folder.',
  input: input({ vault, path: optional('Folder; the root if absent.'), cursor }),
  rule: operations.getVaultTree,
  async run({ vault: wanted, path: sent = '', cursor: from }, context) {
    const client = await chooseVault(context, wanted);
    const folder = /^[/\s]*$/.test(sent) ? '' : normalizePath(sent);
    const entries = await entriesOf(client, folder);
    const page = pageOf(entries, from, { keyOf, lineOf: entryLine, limit: PAGE });
    const structured = {
      notice: DATA_NOTICE,
      ...{ vault: client.id, path: folder, has_more: page.next !== null, cursor: page.next, left: page.left },
      entries: page.items.map(({ kind, path, note, notes, size }) => ({
        ...{ kind, path },
        ...(note === undefined ? {} : { id: note.id, title: note.title }),
        ...(notes === undefined ? {} : { notes }),
        ...(size === undefined ? {} : { size }),
      })),
    };
    if (entries.length === 0) return { parts: ['The folder is empty.'], structured };
    return { parts: [data(page.lines.join('\n')), ...moreLine(page.next, page.left)], structured };
  },
});

/** Folders first, each kind by path. Throws ToolFailure for a folder that does not exist. */
async function entriesOf(client: VaultClient, folder: string): Promise<FolderEntry[]> {
  const [folders, notes, attachments] = await Promise.all([
    client.folders(),
    client.notesIn(folder),
    client.attachmentsIn(folder),
  ]);
  if (folder !== '' && folders.every(({ name }) => foldPath(name) !== foldPath(folder))) {
    const near = nearest(folders, folder, ({ name }) => name).map(({ name }) => name);
    throw new ToolFailure(
      'There is no such folder.',
      ...(near.length === 0 ? [] : ['Similar ones:', data(near.join('\n'))]),
    );
  }
  const isInside = (path: string) => foldPath(folderOf(path)) === foldPath(folder);
  return [
    ...folders
      .filter(({ name }) => name !== '' && isInside(name))
      .map(({ name: path, count }) => ({ kind: 'folder' as const, path, notes: count })),
    ...notes.map((note) => ({ kind: 'note' as const, path: note.path, note })),
    ...attachments
      .filter(({ path }) => isInside(path))
      .map(({ path, size_bytes: size }) => ({ kind: 'attachment' as const, path, size })),
  ].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

function keyOf({ kind, path }: FolderEntry): string {
  return `${['folder', 'note', 'attachment'].indexOf(kind)} ${path}`;
}

function entryLine({ kind, path, note, notes, size }: FolderEntry): string {
  if (kind === 'folder') return `${path}/  (${counted(notes ?? 0, 'note')})`;
  if (note === undefined) return `${path}  (${size} bytes)`;
  return note.title === fileName(path).replace(/\.md$/i, '') ? path : `${path}  "${cutTo(note.title, TITLE_TOKENS)}"`;
}

export const listTags = tool({
  name: 'list_tags',
  title: 'List tags',
  description: 'List the tags of a vault with their number of notes.',
  input: input({ vault, cursor }),
  rule: operations.listTags,
  async run({ vault: wanted, cursor: from }, context) {
    const client = await chooseVault(context, wanted);
    const tags = (await client.tags()).sort((a, b) => (a.name < b.name ? -1 : 1));
    const page = pageOf(tags, from, {
      keyOf: ({ name }) => name,
      lineOf: ({ name, count }) => `${cutTo(name, TITLE_TOKENS)} (${count})`,
      limit: TAGS_PAGE,
    });
    const structured = { notice: DATA_NOTICE, vault: client.id, tags: page.items, cursor: page.next, left: page.left };
    if (tags.length === 0) return { parts: ['The vault has no tags.'], structured };
    return { parts: [data(page.lines.join('\n')), ...moreLine(page.next, page.left)], structured };
  },
});

const RECENT_USUAL = 20;

export const recentNotes = tool({
  name: 'recent_notes',
  title: 'Recently changed notes',
  description: 'List the notes that changed last, newest first.',
  input: input({ vault, limit: limit(100, RECENT_USUAL), cursor }),
  rule: operations.listRecentNotes,
  async run({ vault: wanted, limit: most = RECENT_USUAL, cursor: from }, context) {
    const client = await chooseVault(context, wanted);
    const page = pageOf(await client.recentNotes(most), from, {
      keyOf: inOrder,
      lineOf: ({ path, updated_at: updated }) => `${updated.slice(0, 19)}Z  ${path}`,
      limit: most,
    });
    const structured = {
      notice: DATA_NOTICE,
      vault: client.id,
      cursor: page.next,
      notes: page.items.map(({ id, path, title, content_hash: hash, updated_at: updated }) => ({
        id,
        path,
        title,
        hash,
        updated,
      })),
    };
    if (page.items.length === 0) return { parts: ['The vault has no notes.'], structured };
    return { parts: [data(page.lines.join('\n')), ...moreLine(page.next, page.left)], structured };
  },
});
