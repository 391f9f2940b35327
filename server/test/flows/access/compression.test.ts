import assert from 'node:assert/strict';
import { request as send } from 'node:http';
import { after, before, test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { onSqlite } from '../../kit/engines.ts';
import { NEEDS, needsOfRow } from '../../kit/operation-variants.ts';
import { type Known, knownOperations, makeWorld, type World } from '../../kit/operations.ts';
import { Person } from '../../kit/person.ts';
import { startServer, type TestServer } from '../../kit/server.ts';

/** The operations whose answers are compressed: reads of a vault's notes and lists, search and queries. */
const COMPRESSED = [
  'getActivity',
  'getManifest',
  'getNote',
  'getNoteById',
  'getNoteVersion',
  'getVaultGraph',
  'getVaultTree',
  'listActivity',
  'listAttachments',
  'listBacklinks',
  'listChanges',
  'listDanglingLinks',
  'listExplicitFolders',
  'listFolderNotes',
  'listFolderNotesById',
  'listFolders',
  'listMentions',
  'listNoteVersions',
  'listRecentNotes',
  'listTags',
  'listTasks',
  'listTrash',
  'listTypes',
  'queryNotes',
  'search',
];
const NOTES = 60;
const DECODERS = { br: brotliDecompressSync, gzip: gunzipSync, identity: (bytes: Buffer) => bytes };

/** A vault whose lists are longer than 1 KB. */
async function vaultOf({ alice }: TestServer) {
  const { vault } = (await alice.post('/vaults', { name: 'Work' })).body;
  const headers = { 'x-vault-id': vault.id as string };
  const notes = Array.from({ length: NOTES }, (_, index) => ({
    path: `Folder ${index}/Note.md`,
    content: `---\ntype: type ${index}\n---\n[[Hub]] #tag${index} ${'the text of a note '.repeat(60)}`,
    mtime: 1,
  }));
  await alice.post('/notes/batch', { notes }, { ...headers, 'x-idempotency-key': 'notes' });
  const { note } = (await alice.post('/notes', { path: 'Hub.md', content: 'words '.repeat(500), mtime: 1 }, headers))
    .body;
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      alice.post('/attachments', { path: `${index}.txt`, content_base64: 'YQ==', mtime: 1 }, headers),
    ),
  );
  return { headers, id: note.id as string };
}

interface Sent {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly bytes: Buffer;
}

/** Sends a request and returns the bytes as they were sent. */
async function raw(server: TestServer, path: string, headers: Record<string, string>, method = 'GET', body?: object) {
  const { accessToken } = await server.alice.signed();
  const all = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json', ...headers };
  const { promise, resolve, reject } = Promise.withResolvers<Sent>();
  const request = send(`${server.url}/api${path}`, { method, headers: all }, async (answer) => {
    const bytes = Buffer.concat(await answer.toArray());
    resolve({ status: answer.statusCode, headers: answer.headers as Sent['headers'], bytes });
  });
  request.once('error', reject).end(body === undefined ? undefined : JSON.stringify(body));
  return promise;
}

onSqlite('compressed answers', (open) => {
  let server: TestServer;
  let vault: Awaited<ReturnType<typeof vaultOf>>;
  before(async () => {
    server = await startServer({ open });
    vault = await vaultOf(server);
  });
  after(() => server[Symbol.asyncDispose]());

  test('contain the same, with a length and a strong tag of their own that every client may name', async () => {
    const { headers, id } = vault;
    const reads = ['/vault/tree', '/vault/graph', '/sync/manifest', '/folders', '/tags', '/types', '/notes/recent'];
    const lists = ['/sync/changes', '/sync/changes?fields=all', '/attachments'];
    const ofNote = ['/notes/Hub.md', `/notes/by-id/${id}`, `/notes/by-id/${id}/backlinks?context=true`];
    for (const url of [...reads, ...lists, ...ofNote, `/notes/by-id/${id}/versions/1`]) {
      const plain = await raw(server, url, headers);
      assert.deepEqual([plain.status, plain.headers['content-encoding']], [200, undefined], url);
      const tags = new Set([plain.headers.etag]);
      for (const coding of ['br', 'gzip'] as const) {
        const encoded = { ...headers, 'accept-encoding': coding };
        const answer = await raw(server, url, encoded);
        assert.deepEqual([answer.status, answer.headers['content-encoding']], [200, coding], url);
        assert.equal(DECODERS[coding](answer.bytes).toString(), plain.bytes.toString(), url);
        assert.ok(answer.bytes.length < plain.bytes.length, url);
        assert.equal(answer.headers['content-length'], String(answer.bytes.length), url);
        assert.match(answer.headers.vary ?? '', /Accept-Encoding$/, url);
        const head = await raw(server, url, encoded, 'HEAD');
        assert.deepEqual([head.headers.etag, head.bytes.length], [answer.headers.etag, 0], url);
        tags.add(answer.headers.etag);
      }
      if (plain.headers.etag === undefined) continue;
      assert.equal(tags.size, 3, url);
      for (const tag of tags) {
        assert.match(tag ?? '', /^"/, url);
        const again = await raw(server, url, { ...headers, 'accept-encoding': 'br', 'if-none-match': tag ?? '' });
        assert.deepEqual([again.status, again.headers.etag, again.bytes.length], [304, tag, 0], url);
        assert.match(again.headers.vary ?? '', /Accept-Encoding$/, url);
      }
    }
  });

  test('are sent for searches', async () => {
    const { headers } = vault;
    const search = (coding: string) =>
      raw(server, '/search', { ...headers, 'accept-encoding': coding }, 'POST', { query: 'text', mode: 'keyword' });
    const [plain, answer] = [await search('identity'), await search('br')];
    assert.equal(answer.headers['content-encoding'], 'br');
    assert.deepEqual(JSON.parse(DECODERS.br(answer.bytes).toString()), JSON.parse(plain.bytes.toString()));
  });
});

onSqlite('operations whose answers may be compressed', (open) => {
  test('are lists of notes, searches and queries; never one with a credential, a ticket, a range or a file', async () => {
    await using server = await startServer({ open });
    const compressed: string[] = [];
    const read = { owner: server.bob, world: await makeWorld(server.bob, 'read', NEEDS) };
    for (const operation of await knownOperations(server.anyone)) {
      const place = operation.method === 'GET' ? read : await ownPlace(server, operation);
      const { headers } = await answerOf(server, operation, place);
      if (/accept-encoding/i.test(headers.get('vary') ?? '')) compressed.push(operation.name);
    }
    assert.deepEqual(compressed.sort(), COMPRESSED);
  });
});

interface Place {
  readonly owner: Person;
  readonly world: World;
}

/** Gives a writing operation an account and a world of its own. */
async function ownPlace(server: TestServer, operation: Known): Promise<Place> {
  const owner = new Person(server.url, operation.name.toLowerCase(), () => server.alice.signed());
  return { owner, world: await makeWorld(owner, operation.name, needsOfRow(operation)) };
}

async function answerOf(server: TestServer, { name, method, rule, request, answers }: Known, { owner, world }: Place) {
  const { url, body, headers } = request(world);
  const caller = rule.who === 'admin' ? server.alice : owner;
  const answer = await caller.call(method, url, body, { ...headers, 'accept-encoding': 'br, gzip' });
  // What changes something may be refused here, because it was made for a world of its own.
  if (method === 'GET') assert.equal(answer.status, answers, name);
  return answer;
}
