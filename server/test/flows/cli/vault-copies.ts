import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { localVaultClient, type VaultClient } from '@notevault/cli/copy/vault-client.ts';
import { exportVault } from '@notevault/cli/export/export.ts';
import { listFolder } from '@notevault/cli/import/files.ts';
import { importFolder } from '@notevault/cli/import/import.ts';
import { deriveNote } from '@notevault/note-text/derive.ts';
import { resolve } from '@notevault/note-text/links/resolve.ts';
import { fileName } from '@notevault/note-text/paths.ts';
import { defaultExtensions as allowedExtensions } from '../../../src/domains/content/attachments/uploads/extensions.ts';
import type { Database } from '../../../src/ports/database/database.ts';
import { checkedCallers } from '../../kit/openapi.ts';
import type { Answer } from '../../kit/person.ts';
import { Folder } from '../../kit/programs/process.ts';
import { startServer } from '../../kit/server.ts';
import type { KnownVault } from '../vaults/vaults.known.ts';

type Wire = Answer['body'];

const silent = () => undefined;

/** Data read from a folder's files without the server. */
interface FromFiles {
  readonly texts: ReadonlyMap<string, Buffer>;
  /** For each path, the path of the file to which each of its links leads; null when it dangles. */
  readonly links: ReadonlyMap<string, readonly (string | null)[]>;
}

const read = new Map<string, Promise<FromFiles>>();

/** Resolves every link among all files of the folder, without an index. Computed once for both engines. */
function fromFiles(root: string, listing: Awaited<ReturnType<typeof listFolder>>): Promise<FromFiles> {
  const known = read.get(root) ?? readFiles(root, listing.notes, listing.attachments);
  read.set(root, known);
  return known;
}

async function readFiles(root: string, paths: readonly string[], others: readonly string[]): Promise<FromFiles> {
  const texts = new Map<string, Buffer>();
  for (const path of paths) texts.set(path.normalize('NFC'), await readFile(join(root, path)));
  const derived = [...texts].map(([path, bytes]) => ({ path, note: deriveNote(path, bytes.toString('utf8')) }));
  const noted = derived.map(({ path, note }) => ({ kind: 'note' as const, id: path, path, aliases: note.aliases }));
  const attached = others.map((file) => file.normalize('NFC'));
  const candidates = [
    ...noted,
    ...attached.map((path) => ({ kind: 'attachment' as const, id: path, path, aliases: [] })),
  ];
  const links = derived.map(({ path, note }): [string, (string | null)[]] => [
    path,
    note.links.map((link) => resolve(link, path, candidates, allowedExtensions)?.path ?? null),
  ]);
  return { texts, links: new Map(links) };
}

/** The value of a plain `key: value` line of the frontmatter, found without a YAML parser. */
function lineOf(text: string, key: string): string | null {
  const [, block = ''] = /^---\r?\n([\s\S]*?)\r?\n---\s*(?:\r?\n|$)/.exec(text) ?? [];
  const [, value = ''] = new RegExp(`^${key}:[ \\t]*(.*?)[ \\t]*\\r?$`, 'm').exec(block) ?? [];
  return value === 'null' ? null : value.replace(/^(["'])(.*)\1$/, '$2') || null;
}

/**
 * Tests of one vault: imported by the code of `notevault import`; read over HTTP, texts and files byte for byte, and
 * links as the desktop application resolves them; and exported by the code of `notevault export`.
 */
export function describeVault(open: () => Promise<Database>, known: KnownVault, root: () => string): void {
  describe(`vault ${known.name}`, () => {
    const closing = new AsyncDisposableStack();
    after(() => closing.disposeAsync());
    const notes = new Map<string, Wire>();
    let get: (path: string) => Promise<Answer>;
    let door: VaultClient;
    let importAgain: () => ReturnType<typeof importFolder>;
    let files: FromFiles;
    let listing: Awaited<ReturnType<typeof listFolder>>;
    /** Paths of attachments by id. */
    let pathOf: Map<string, string>;
    const leadsTo = (link: Wire) => link.target_path ?? pathOf.get(link.target_attachment_id) ?? null;

    before(async () => {
      const server = closing.use(await startServer({ open }));
      await server.alice.signed();
      door = await localVaultClient(server.app, server.alice.email, { name: known.name, make: 'if-missing' });
      importAgain = () => importFolder(root(), door, silent);
      const summary = await importAgain();
      assert.deepEqual([summary.skipped, summary.failed, summary.degraded], [[], [], known.degraded]);
      assert.deepEqual(
        { notes: summary.notes, links: summary.links, dangling: summary.dangling, attachments: summary.attachments },
        known.totals,
      );
      listing = await listFolder(root());
      files = await fromFiles(root(), listing);
      const checked = (await checkedCallers(server))(server.alice);
      get = (path) => checked.get(path);
      for (const path of files.texts.keys()) {
        const { body } = await get(`/notes/${path.split('/').map(encodeURIComponent).join('/')}`);
        notes.set(path, body);
      }
      const { attachments } = (await get('/attachments')).body;
      pathOf = new Map(attachments.map(({ id, path }: Wire) => [id, path]));
    });

    test('returns every text byte for byte, with the hash of its file', () => {
      assert.equal(notes.size, known.totals.notes);
      for (const [path, bytes] of files.texts) {
        const note = notes.get(path);
        assert.equal(note.path, path);
        assert.equal(note.content_hash, createHash('sha256').update(bytes).digest('hex'), path);
        assert.ok(Buffer.from(note.content, 'utf8').equals(bytes), path);
      }
    });

    test('returns frontmatter as its lines say', () => {
      for (const [path, note] of notes) {
        if (known.degraded.includes(path)) continue;
        const text = note.content.replace(/^\ufeff/, '');
        assert.deepEqual([note.parse_status, 'parse_reason' in note], ['ok', false], path);
        assert.equal(note.description, lineOf(text, 'description'), path);
        assert.equal(note.type, lineOf(text, 'type'), path);
      }
    });

    test('resolves every link as the files alone do, and backlinks are the inverse', async () => {
      const backlinks = new Map<string, string[]>();
      const bySeq = [...notes.values()].sort((a, b) => a.seq - b.seq);
      for (const note of bySeq) {
        assert.deepEqual(note.links.map(leadsTo), files.links.get(note.path), note.path);
        for (const link of note.links) {
          assert.equal(link.dangling, leadsTo(link) === null);
          assert.ok(link.target_path === null || link.target_attachment_id === null);
          assert.equal(link.target_note_id, link.target_path === null ? null : notes.get(link.target_path)?.id);
          if (link.target_path === null || link.target_text === '') continue;
          const line = JSON.stringify([note.path, note.title, link.alias, link.anchor]);
          backlinks.set(link.target_path, [...(backlinks.get(link.target_path) ?? []), line]);
        }
      }
      for (const [path, { id }] of notes) {
        const { body } = await get(`/notes/by-id/${id}/backlinks`);
        const lines = body.backlinks.map((link: Wire) =>
          JSON.stringify([link.source_path, link.source_title, link.alias, link.anchor]),
        );
        assert.deepEqual(lines, (backlinks.get(path) ?? []).slice(0, 200), path);
      }
    });

    test('has only those dangling links that are known to lead nowhere or to files that the vault lacks', () => {
      const isFile = (name: string) =>
        listing.attachments.length === 0 && allowedExtensions.has(name.split('.').at(-1)?.toLowerCase() ?? '');
      const lost = [...notes.values()].flatMap((note) =>
        note.links.filter((link: Wire) => link.dangling && !isFile(fileName(link.target_text))),
      );
      assert.deepEqual(lost.map((link: Wire) => link.target_text).sort(), [...known.lost].sort());
    });

    test('resolves the hand-checked links as expected', () => {
      for (const [source, text, alias, anchor, target] of known.checked) {
        const found = notes
          .get(source)
          .links.filter((link: Wire) => link.target_text === text && link.alias === alias && link.anchor === anchor);
        assert.ok(found.length > 0, `${source}: no link ${text}`);
        for (const link of found) assert.equal(link.target_path, target, `${source}: ${text}`);
      }
    });

    test('is unchanged by a second import', async () => {
      const { written, uploaded } = await importAgain();
      assert.deepEqual([written, uploaded], [0, 0]);
      for (const note of notes.values()) assert.deepEqual((await get(`/notes/by-id/${note.id}`)).body, note);
    });

    test('is exported with every file byte for byte, and its time to the second', async () => {
      const folder = closing.use(new Folder()).path;
      const { failed, ...counts } = await exportVault(folder, door, silent);
      assert.deepEqual(failed, []);
      assert.deepEqual(counts, { notes: known.totals.notes, attachments: known.totals.attachments });
      const written = await listFolder(folder);
      const nfc = (paths: readonly string[]) => paths.map((path) => path.normalize('NFC')).sort();
      assert.deepEqual(written.notes, nfc(listing.notes));
      assert.deepEqual(written.attachments, nfc(listing.attachments));
      assert.deepEqual(written.skipped, []);
      for (const path of [...listing.notes, ...listing.attachments]) {
        const [from, to] = [join(root(), path), join(folder, path.normalize('NFC'))];
        assert.ok((await readFile(from)).equals(await readFile(to)), path);
        const [before, after] = [(await stat(from)).mtimeMs, (await stat(to)).mtimeMs];
        assert.equal(Math.floor(after / 1000), Math.floor(before / 1000), path);
      }
    });
  });
}
