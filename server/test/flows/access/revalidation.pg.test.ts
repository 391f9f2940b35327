import assert from 'node:assert/strict';
import { test } from 'node:test';
import { YjsClient } from '../../kit/clients/yjs-client.ts';
import { onEachEngine } from '../../kit/engines.ts';
import type { Answer, Caller } from '../../kit/person.ts';
import { oneServer, startServer, type TestServer } from '../../kit/server.ts';

const LISTS = [
  '/vault/tree',
  '/vault/graph',
  '/sync/manifest',
  '/folders',
  '/folders/explicit',
  '/folders/list?folder=',
  '/folders/list?folder=Deep',
  '/tags',
  '/types',
  '/notes/recent',
];

/** A vault of alice with three linked notes. */
async function vaultOf(server: TestServer, name = 'Work') {
  const { alice } = server;
  const { vault } = (await alice.post('/vaults', { name })).body;
  const headers = { 'x-vault-id': vault.id };
  const put = async (path: string, content: string) =>
    (await alice.post('/notes', { path, content, mtime: 1 }, headers)).body.note;
  const note = await put('Home.md', '---\ntype: page\n---\nSee [[Target]] and [[Missing]]. #tag');
  await put('Deep/Target.md', 'Text');
  return { vault: vault.id as string, headers, put, note: note.id as string };
}

function readsOf(note: string): string[] {
  return [...LISTS, `/notes/by-id/${note}`, '/notes/Home.md', `/notes/by-id/${note}/backlinks?context=true`];
}

const tagOf = ({ headers }: Answer) => headers.get('etag') ?? '';

onEachEngine('conditional reads', (open) => {
  const start = oneServer(() => ({ open }));

  test('conditional reads answer 304 without a body while nothing has changed, with the headers for caches', async () => {
    await using server = await start();
    const { headers, note } = await vaultOf(server);
    for (const url of readsOf(note)) {
      const first = await server.alice.get(url, headers);
      assert.equal(first.status, 200, url);
      assert.match(tagOf(first), /^"[\w.-]+"$/, url);
      const again = await server.alice.get(url, { ...headers, 'if-none-match': `"other", ${tagOf(first)}` });
      assert.deepEqual([again.status, again.body, tagOf(again)], [304, null, tagOf(first)], url);
      for (const answer of [first, again]) {
        assert.equal(answer.headers.get('cache-control'), 'private, no-cache', url);
        assert.match(answer.headers.get('vary') ?? '', /Authorization, X-Vault-ID, Accept-Encoding$/, url);
      }
      const other = await server.alice.get(url, { ...headers, 'if-none-match': '"other"' });
      assert.deepEqual([other.status, other.body], [200, first.body], url);
    }
  });

  test('conditional reads have another tag whenever the answer is another one, whatever was changed', async () => {
    await using server = await start();
    const { headers, put, note } = await vaultOf(server);
    const { alice } = server;
    const send = async (answer: Promise<Answer>) => assert.ok((await answer).status < 300);
    const keyed = (key: string) => ({ ...headers, 'x-idempotency-key': key });
    const changes: Record<string, () => Promise<unknown>> = {
      'an edit': () => put('Home.md', '---\ntype: page\n---\nSee [[Target]] and [[Missing]]! #tag #more'),
      'a note that resolves a link': () => put('Missing.md', 'Found'),
      'a rename that rewrites a link': () =>
        send(alice.post('/notes/rename', { old_path: 'Missing.md', new_path: 'Deep/There.md' }, headers)),
      'an explicit folder': () => send(alice.post('/folders', { folder: 'Empty' }, headers)),
      'a folder renamed': () => send(alice.post('/folders/rename', { old_path: 'Empty', new_path: 'Void' }, headers)),
      'a folder no longer explicit': () => send(alice.delete('/folders/Void', undefined, headers)),
      'an attachment': () =>
        send(alice.post('/attachments', { path: 'a.txt', content_base64: 'YQ==', mtime: 1 }, headers)),
      'a deletion': () => send(alice.delete('/notes/Deep/There.md', undefined, headers)),
      'a batch': () =>
        send(alice.post('/notes/batch', { notes: [{ path: 'B.md', content: '[[Home]]', mtime: 1 }] }, keyed('b'))),
      'a restoration': async () => {
        const [item] = (await alice.get('/trash', headers)).body.items;
        await send(alice.post(`/trash/${item.id}/restore`, {}, headers));
      },
      'an older version': () => send(alice.post(`/notes/by-id/${note}/restore`, { version: 1 }, headers)),
    };
    const read = async () => {
      const answers = await Promise.all(
        readsOf(note).map(async (url) => [url, await alice.get(url, headers)] as const),
      );
      return new Map(answers);
    };
    const seen = new Map<string, Map<string, string>>();
    let before = await read();
    for (const [what, change] of Object.entries(changes)) {
      await change();
      const after = await read();
      let changed = 0;
      for (const [url, answer] of after) {
        const text = answer.bytes.toString();
        const tags = seen.get(url) ?? new Map<string, string>();
        seen.set(url, tags);
        const same = tags.get(tagOf(answer));
        assert.ok(same === undefined || same === text, `${what}: ${url} has the tag of another answer`);
        tags.set(tagOf(answer), text);
        if (text !== before.get(url)?.bytes.toString()) changed += 1;
        const asked = await alice.get(url, { ...headers, 'if-none-match': tagOf(before.get(url) ?? answer) });
        if (text !== before.get(url)?.bytes.toString()) assert.equal(asked.status, 200, `${what}: ${url}`);
      }
      assert.ok(changed > 0, what);
      before = after;
    }
  });

  test('conditional reads leave the tag of a note unchanged when other notes change', async () => {
    await using server = await start();
    const { headers, put, note } = await vaultOf(server);
    const before = await server.alice.get(`/notes/by-id/${note}`, headers);
    await put('Elsewhere.md', 'nothing to do with it');
    const after = await server.alice.get(`/notes/by-id/${note}`, { ...headers, 'if-none-match': tagOf(before) });
    assert.equal(after.status, 304);
  });

  test('conditional reads are refused before tags are compared', async () => {
    await using server = await start();
    const { headers, note } = await vaultOf(server);
    const { vault: other, note: twin } = await vaultOf(server, 'Other');
    await server.bob.signed();
    const { key } = (await server.alice.post('/api-keys', { name: 'K', vault_access: { [other]: 'read' } })).body;
    for (const url of readsOf(note)) {
      const tag = { 'if-none-match': tagOf(await server.alice.get(url, headers)) };
      const ask = async (caller: Caller, more = headers) => (await caller.get(url, { ...more, ...tag })).status;
      assert.equal(await ask(server.anyone), 401, url);
      assert.equal(await ask(server.bob), 404, url);
      assert.equal(await ask(server.bearer(key)), 403, url);
      // The other vault has notes with the same paths and texts.
      const elsewhere = await server.alice.get(url.replace(note, twin), { 'x-vault-id': other, ...tag });
      assert.equal(elsewhere.status, 200, url);
    }
  });

  test('conditional reads see every acknowledged edit of a socket', async () => {
    await using server = await start();
    const { vault, headers, note } = await vaultOf(server);
    const tags = new Map<string, string>();
    const urls = [`/notes/by-id/${note}`, '/sync/manifest', '/tags', '/notes/recent'];
    for (const url of urls) tags.set(url, tagOf(await server.alice.get(url, headers)));
    using editor = await new YjsClient('alice').join(server.app, vault, note);
    await editor.type('typed #socket ');
    for (const url of urls) {
      const answer = await server.alice.get(url, { ...headers, 'if-none-match': tags.get(url) ?? '' });
      assert.equal(answer.status, 200, url);
    }
  });

  test('conditional reads return a tag that guards a deletion', async () => {
    await using server = await start();
    const { headers, put } = await vaultOf(server);
    const tag = tagOf(await server.alice.get('/notes/Home.md', headers));
    await put('Home.md', 'changed');
    const late = await server.alice.delete('/notes/Home.md', undefined, { ...headers, 'if-match': tag });
    assert.deepEqual([late.status, late.body.error], [409, 'version_conflict']);
    const now = tagOf(await server.alice.get('/notes/Home.md', headers));
    const done = await server.alice.delete('/notes/Home.md', undefined, { ...headers, 'if-match': now });
    assert.equal(done.status, 200);
  });
});

onEachEngine('the graph of a vault', (open) => {
  test('the graph of a vault has every note, and each pair of linked notes once', async () => {
    await using server = await startServer({ open });
    const { headers, put, note: home } = await vaultOf(server);
    const target = (await server.alice.get('/notes/Deep/Target.md', headers)).body.id;
    const many = await put(
      'Many.md',
      `${'[[Home]] '.repeat(2100)}[[Target]] [[Many]] [[Nowhere]] ![[Home]] #plan/2027`,
    );
    const { status, body } = await server.alice.get('/vault/graph', headers);
    assert.equal(status, 200);
    assert.deepEqual(
      body.nodes.map(({ path, title, tags }: { path: string; title: string; tags?: string[] }) => [path, title, tags]),
      [
        ['Deep/Target.md', 'Target', undefined],
        ['Home.md', 'Home', ['tag']],
        ['Many.md', 'Many', ['plan/2027']],
      ],
    );
    const sorted = (edges: string[][]) => edges.map((edge) => edge.join(' ')).sort();
    const expected = [
      [home, target],
      [many.id, home],
      [many.id, target],
    ];
    assert.deepEqual(sorted(body.edges), sorted(expected));
    await server.alice.delete('/notes/Deep/Target.md', undefined, headers);
    const after = (await server.alice.get('/vault/graph', headers)).body;
    assert.deepEqual(sorted(after.edges), sorted([[many.id, home]]));
    assert.ok(after.change_seq > body.change_seq);
  });
});
