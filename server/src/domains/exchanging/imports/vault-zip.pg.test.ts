import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/kit/content/any-character.ts';
import { zipOf } from '../../../../test/kit/content/archives.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { startServer, type TestServerOptions } from '../../../../test/kit/server.ts';

interface VaultItem {
  readonly path: string;
  readonly mtime: number;
}

const name = fc.oneof(
  fc.constantFrom(
    'Q: why',
    'C:',
    'con',
    'x.',
    'x ',
    '...',
    'x?',
    'x_',
    'X_',
    '.git',
    '__MACOSX',
    'by-id',
    'ﬁ',
    'a\u2028b',
  ),
  fc.constantFrom('NOTEVAULT\u2002LIST', 'NOT\u2002EXPORTED', 'a\\b'),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 8 }),
);
const path = fc
  .tuple(fc.array(name, { maxLength: 2 }), name, fc.constantFrom('.md', '.MD', '.txt', '.zip', '.json', ''))
  .map(([folders, own, ending]) => [...folders, own + ending].join('/'));
const mtime = fc.constantFrom(1, 1_700_000_000.123, -5.5, -1e300, 1e12);
const vaultItem: fc.Arbitrary<VaultItem> = fc.record({ path, mtime });

/** A server, and what tests do with the vaults of alice. */
async function start(options: TestServerOptions) {
  const server = await startServer(options);
  const { alice, anyone } = server;
  const inVault = (id: string) => ({ 'x-vault-id': id });
  return {
    server,
    newVault: async (name: string) => (await alice.post('/vaults', { name })).body.vault.id as string,
    /** Writes what the API accepts: notes, attachments, and folders for paths without an ending. */
    async fill(vault: string, files: readonly VaultItem[]): Promise<void> {
      for (const { path, mtime } of files) {
        const content_base64 = Buffer.from(`PK ${path}`).toString('base64');
        if (/\.md$/i.test(path)) await alice.post('/notes', { path, content: path, mtime }, inVault(vault));
        else if (/\.\w+$/.test(path)) await alice.post('/attachments', { path, content_base64, mtime }, inVault(vault));
        else await alice.post('/folders', { folder: path }, inVault(vault));
      }
    },
    async exportPath(vault: string): Promise<string> {
      const { url } = (await alice.post('/tickets', { operation: 'vault.export' }, inVault(vault))).body;
      return new URL(url).pathname;
    },
    async zip(vault: string): Promise<Buffer> {
      const { status, bytes } = await anyone.get((await this.exportPath(vault)).replace('/api', ''));
      assert.equal(status, 200);
      return bytes;
    },
    async import(vault: string, zip: Buffer) {
      const { body } = await alice.post(`/imports?vault_id=${vault}`, zip);
      await server.app.imports.runWaiting();
      return (await alice.get(`/imports/${body.id}`)).body;
    },
    async contents(vault: string) {
      const { notes, attachments } = (await alice.get('/sync/manifest', inVault(vault))).body;
      const { folders } = (await alice.get('/folders/explicit', inVault(vault))).body;
      const of = (rows: { path: string; content_hash: string; mtime: number }[]) =>
        rows.map(({ path, content_hash, mtime }) => ({ path, content_hash, mtime })).sort(byPath);
      return {
        notes: of(notes),
        attachments: of(attachments),
        folders: folders.map((each: { name: string }) => each.name),
      };
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);

onEachEngine('zips of vaults', (open) => {
  test('zips of vaults are imported exactly, whatever paths and times the API accepts', async () => {
    await using at = await start({ open });
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(vaultItem, { minLength: 20, maxLength: 40 }), async (files) => {
        const vault = await at.newVault('From');
        await at.fill(vault, files);
        const copy = await at.newVault('To');
        const { state, report } = await at.import(copy, await at.zip(vault));
        assert.deepEqual([state, report.skipped, report.renamed], ['done', [], []]);
        const there = await at.contents(copy);
        assert.deepEqual(there, await at.contents(vault));
        accepted += there.notes.length + there.attachments.length + there.folders.length;
      }),
      { numRuns: 4 },
    );
    assert.ok(accepted > 20);
  });

  test('zips of vaults have names that systems can hold, each once', async () => {
    await using at = await start({ open });
    const vault = await at.newVault('From');
    const paths = [
      'Q: why.md',
      'Q_ why.md',
      'C:/a.md',
      'c_/A.md',
      'con.md',
      'x?.txt',
      'NOTEVAULT\u2002LIST.jsonl/a.md',
    ];
    await at.fill(
      vault,
      paths.map((path) => ({ path, mtime: 1 })),
    );
    const names = namesIn(await at.zip(vault)).filter((name) => !name.endsWith('/'));
    assert.deepEqual(names.toSorted(), [
      'C_ 2/a.md',
      'NOTEVAULT\u2000LIST.jsonl',
      'NOTEVAULT\u2002LIST 2.jsonl/a.md',
      'Q_ why 2.md',
      'Q_ why.md',
      '_con.md',
      'c_/A.md',
      'x_.txt',
    ]);
  });

  test('zips of vaults that cannot be completed end in an error of the connection, over HTTP 1.0 too', async (t) => {
    await using at = await start({ open });
    const vault = await at.newVault('From');
    const content_base64 = randomBytes(500_000).toString('base64');
    for (const path of ['a.txt', 'b.txt']) {
      const { status } = await at.server.alice.post('/attachments', { path, content_base64 }, { 'x-vault-id': vault });
      assert.equal(status, 200);
    }
    const read = at.server.blobs.read.bind(at.server.blobs);
    for (const version of ['1.0', '1.1']) {
      let reads = 0;
      t.mock.method(at.server.blobs, 'read', async (...sent: Parameters<typeof read>) => {
        reads += 1;
        if (reads > 1) throw new RangeError('broke off');
        return read(...sent);
      });
      const socket = connect(Number(new URL(at.server.url).port), '127.0.0.1');
      socket.write(`GET ${await at.exportPath(vault)} HTTP/${version}\r\nHost: a\r\n\r\n`);
      let received = 0;
      socket.on('data', (piece) => {
        received += piece.length;
      });
      await assert.rejects(once(socket, 'end'), { code: 'ECONNRESET' });
      assert.ok(received > 100_000, version);
    }
  });

  test('zips of vaults lead out of no folder by their list, and a list that cannot be read is left out', async () => {
    await using at = await start({ open });
    const list = (...lines: object[]) => ({
      name: 'NOTEVAULT\u2000LIST.jsonl',
      data: lines.map((line) => JSON.stringify(line)).join('\n'),
    });
    const head = { format: 'notevault-zip', version: 1 };
    const vault = await at.newVault('To');
    const listed = ['../a.md', 'by-id/a.md', ''].map((path, number) => ({ name: `${number}.md`, path }));
    const files = listed.map(({ name }) => ({ name, data: 'a' }));
    const hostile = await at.import(vault, zipOf([list(head, ...listed), ...files]));
    assert.deepEqual(
      hostile.report.skipped.map(({ reason }: { reason: string }) => reason),
      ['unsafe_path', 'unsafe_path', 'unsafe_path'],
    );
    const later = await at.import(vault, zipOf([list({ ...head, version: 2 }), ...files]));
    assert.deepEqual([later.state, later.report.notes, later.report.skipped_count], ['done', 3, 1]);
  });
});

/** The names in the directory of a zip. */
function namesIn(zip: Buffer): string[] {
  const names: string[] = [];
  for (let at = zip.readUInt32LE(zip.length - 6); zip.readUInt32LE(at) === 0x02014b50; ) {
    const length = zip.readUInt16LE(at + 28);
    names.push(zip.toString('utf8', at + 46, at + 46 + length));
    at += 46 + length + zip.readUInt16LE(at + 30) + zip.readUInt16LE(at + 32);
  }
  return names;
}
