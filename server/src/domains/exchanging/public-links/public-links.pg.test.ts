import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { form, formToken, open, PNG, pathOf, startPublic } from '../../../../test/kit/public-pages.ts';
import { oneServer, startServer } from '../../../../test/kit/server.ts';

onEachEngine('public links', (openDatabase) => {
  const start = oneServer(() => ({ open: openDatabase }));
  const vaultWithNotes = async () => startPublic(await start());

  test('a public link shows its note to anybody, and nothing of other notes, people and paths', async () => {
    const { server, alice, headers, write, attach, link } = await vaultWithNotes();
    await alice.patch('/me', { display_name: 'canary-person' });
    await write('canary-folder/canary-other.md', '# canary-title\ncanary-text');
    await attach('canary-folder/pic.png', PNG);
    await attach('canary-folder/canary-file.png', PNG);
    await attach('canary-folder/list.txt', btoa('eggs'));
    const note = await write(
      'canary-folder/Plan.md',
      '---\nowner: canary-property\n---\n# Plan\n\nHello **you** %%canary-comment%% [[canary-folder/canary-other|there]] ![[canary-other|it]]\n\n![[pic.png]]\n\n![[canary-folder/pic.png]] [list](canary-folder/list.txt) [[canary-folder/list.txt]] ![[canary-folder/none.png]]',
    );
    await write('Back.md', 'canary-backlink [[Plan]]');
    const { path } = await link({ note_id: note });
    const page = await open(server, path);
    assert.equal(page.status, 200);
    assert.match(page.text, /<h1 dir="auto">Plan<\/h1><p dir="auto">Hello <strong>you<\/strong>/);
    assert.match(page.text, /<meta property="og:description" content="Hello you there it list list.txt none.png">/);
    assert.match(page.headers.get('content-security-policy') ?? '', /sandbox allow-forms allow-downloads$/);
    assert.equal(page.headers.get('x-robots-tag'), 'noindex, nofollow');
    assert.equal(page.headers.get('referrer-policy'), 'no-referrer');
    assert.equal(page.headers.get('cache-control'), 'no-store');
    const [, source = ''] = /<img src="([^"]+)"/.exec(page.text) ?? [];
    const picture = await open(server, source);
    assert.equal(picture.status, 200);
    assert.match(picture.headers.get('content-disposition') ?? '', /^inline; filename="pic.png"/);
    const files = [...page.text.matchAll(/(?:src|href)="([^"]*\/files\/[^"]+)"/g)].map(([, address = '']) => address);
    assert.equal(files.length, 4);
    const sent = await Promise.all(files.map(async (address) => [...(await open(server, address)).headers]));
    const bytes = page.text + JSON.stringify([...page.headers, ...sent]);
    assert.doesNotMatch(bytes, /canary|alice|example\.org/);
    assert.equal((await alice.get('/vault/links', headers)).body.links.at(-1).last_used_at !== null, true);
    // Other addresses of the link lead nowhere.
    const other = source.replace(/files\/[^?]+/, `files/${note}`);
    assert.equal((await open(server, other)).status, 404);
    assert.equal((await open(server, source.replace(/.$/, 'x'))).status, 404);
    assert.equal((await open(server, `${path}/n/${note}`)).status, 404);
  });

  test('the public link of a folder shows its notes with the links between them, and follows later changes', async () => {
    const { server, alice, headers, write, link } = await vaultWithNotes();
    const one = await write('Site/One.md', '[[Two]] and [[Outside]]');
    const two = await write('Site/Deep/Two.md', 'second');
    const outside = await write('Outside.md', 'canary-outside');
    const { path } = await link({ folder: 'Site' });
    const home = await open(server, path);
    assert.match(home.text, /<b dir="auto">Deep<\/b>/);
    assert.ok(home.text.includes(`${path}/n/${one}`) && home.text.includes(`${path}/n/${two}`));
    assert.doesNotMatch(home.text, new RegExp(`Outside|${outside}`));
    const page = await open(server, `${path}/n/${one}`);
    assert.ok(page.text.includes(`<a href="${path}/n/${two}">Two</a> and Outside`), page.text);
    assert.equal((await open(server, `${path}/n/${outside}`)).status, 404);
    await alice.post('/folders/rename', { old_path: 'Site', new_path: 'Renamed' }, headers);
    assert.equal((await open(server, `${path}/n/${two}`)).status, 200);
    await alice.post('/notes/rename', { old_path: 'Renamed/One.md', new_path: 'Away.md' }, headers);
    assert.equal((await open(server, `${path}/n/${one}`)).status, 404);
  });

  test('a public link opens no note and no file of another link, of its vault or another', async () => {
    const { server, bob, write, attach, link } = await vaultWithNotes();
    const fileIn = async (path: string) => /<img src="([^"]+)"/.exec((await open(server, path)).text)?.[1] ?? '';
    const one = await write('One/Note.md', '![[one.png]]');
    await attach('One/one.png', PNG);
    await write('Two/Note.md', '![[two.png]]');
    await attach('Two/two.png', PNG);
    const [first, second] = [await link({ folder: 'One' }), await link({ folder: 'Two' })];
    const { vault } = (await bob.post('/vaults', { name: 'Other' })).body;
    const headers = { 'x-vault-id': vault.id };
    const note = (await bob.post('/notes', { path: 'Note.md', content: '![[three.png]]', mtime: 1 }, headers)).body
      .note;
    await bob.post('/attachments', { path: 'three.png', content_base64: PNG, mtime: 1 }, headers);
    const third = pathOf((await bob.post('/vault/links', { note_id: note.id }, headers)).body.url);
    const noteOfFirst = `${first.path}/n/${one}`;
    const files = [await fileIn(noteOfFirst), await fileIn(third)];
    for (const address of [noteOfFirst, ...files]) assert.equal((await open(server, address)).status, 200);
    const unknown = await open(server, '/s/x');
    const pathsOf = [first.path, third];
    for (const address of [noteOfFirst, ...files]) {
      for (const other of [first.path, second.path, third].filter((path) => !address.startsWith(path))) {
        const moved = pathsOf.reduce((moving, path) => moving.replace(path, other), address);
        const { status, text } = await open(server, moved);
        assert.deepEqual([status, text], [404, unknown.text], moved);
      }
    }
  });

  test('files of a public link are shown only as pictures, audio and video, and only while it works', async () => {
    const { server, alice, headers, write, attach, link } = await vaultWithNotes();
    const svg = btoa('<svg xmlns="http://www.w3.org/2000/svg"/>');
    const files = {
      'a.png': PNG,
      'b.svg': svg,
      'c.pdf': btoa('%PDF-1.4'),
      'd.mp3': btoa('ID3'),
      'e.txt': btoa('text'),
    };
    for (const [name, bytes] of Object.entries(files)) await attach(`Files/${name}`, bytes);
    const content = Object.keys(files).map((name) => `![[${name}]]`);
    const note = await write('Files.md', content.join('\n\n'));
    const [first, second] = [await link({ note_id: note }), await link({ note_id: note })];
    const filesOf = async (path: string) => {
      const { text } = await open(server, path);
      return [...text.matchAll(/<(\w+)[^>]* (?:src|href)="([^"]*\/files\/[^"]+)"/g)];
    };
    const shown = [];
    for (const [, tag, address = ''] of await filesOf(first.path)) {
      const { headers: sent } = await open(server, address);
      shown.push(`${tag} ${sent.get('content-disposition')?.split(';', 1)}`);
    }
    assert.deepEqual(shown, ['img inline', 'a attachment', 'a attachment', 'audio inline', 'a attachment']);
    const [[, , ofFirst = ''] = [], [, , ofSecond = ''] = []] = [
      ...(await filesOf(first.path)).slice(0, 1),
      ...(await filesOf(second.path)).slice(0, 1),
    ];
    await alice.delete(`/vault/links/${first.id}`, undefined, headers);
    assert.deepEqual([(await open(server, ofFirst)).status, (await open(server, ofSecond)).status], [404, 200]);
    server.clock.advance({ minutes: 12 * 60 + 1 });
    assert.deepEqual([(await open(server, second.path)).status, (await open(server, ofSecond)).status], [200, 404]);
  });

  test('a public link with a password shows nothing before it is sent from its own form', async () => {
    const { server, write, link } = await vaultWithNotes();
    const note = await write('Secret.md', 'canary-secret');
    const { path } = await link({ note_id: note, password: 'open sesame' });
    const locked = await open(server, path);
    assert.equal(locked.status, 401);
    assert.doesNotMatch(locked.text, /canary|Secret/);
    const token = formToken(locked.text);
    assert.equal((await open(server, path, form({ password: 'open sesame', token: 'forged' }))).status, 403);
    assert.equal((await open(server, path, form({ password: 'wrong', token }))).status, 401);
    const foreign = form({ password: 'open sesame', token });
    const headers = { ...foreign.headers, origin: 'https://evil.example' };
    assert.equal((await open(server, path, { ...foreign, headers })).status, 403);
    const unlocked = await open(server, path, form({ password: 'open sesame', token }));
    assert.deepEqual([unlocked.status, unlocked.headers.get('location')], [303, path]);
    const cookie = unlocked.headers.get('set-cookie') ?? '';
    assert.match(cookie, new RegExp(`; Path=${path}; Max-Age=43200; HttpOnly; SameSite=Lax`));
    const [value = ''] = cookie.split(';', 1);
    assert.match((await open(server, path, { headers: { cookie: value } })).text, /canary-secret/);
    // The cookie of one link opens no other.
    const second = await link({ note_id: note, password: 'another' });
    assert.equal((await open(server, second.path, { headers: { cookie: value } })).status, 401);
  });

  test('wrong passwords of a public link are answered ever later', async () => {
    const { server, write, link } = await vaultWithNotes();
    const { path } = await link({ note_id: await write('Locked.md', 'x'), password: 'right' });
    const token = formToken((await open(server, path)).text);
    const attempt = async (password: string) => (await open(server, path, form({ password, token }))).status;
    const statuses = [];
    for (let i = 0; i < 11; i++) statuses.push(await attempt('wrong'));
    assert.deepEqual(statuses, [...Array(10).fill(401), 429]);
    assert.equal(await attempt('right'), 429);
    server.clock.advance({ minutes: 1 });
    assert.equal(await attempt('right'), 303);
  });

  test('every public link that opens nothing has one answer', async () => {
    const { server, alice, headers, write, link, vault } = await vaultWithNotes();
    const ended = await link({ note_id: await write('Ended.md', 'x') });
    const gone = await link({ note_id: await write('Gone.md', 'x') });
    const expired = await link({ note_id: await write('Expired.md', 'x'), expires_in: 60 });
    const live = await link({ note_id: await write('Live.md', 'x') });
    assert.equal((await alice.delete(`/vault/links/${ended.id}`, undefined, headers)).status, 204);
    assert.equal((await alice.delete(`/vault/links/${ended.id}`, undefined, headers)).status, 404);
    await alice.delete('/notes/Gone.md', undefined, headers);
    server.clock.advance({ minutes: 2 });
    const answers = [];
    const guessed = `/s/${Buffer.alloc(32, 'guess').toString('base64url')}`;
    const long = ['x'.repeat(101), 'x'.repeat(5000)].map((token) => `/s/${token}`);
    const malformed = ['/s/x', '/s/%00', '/s/a%2Fb', `/s/x/n/${vault}`, `/s/x/files/${vault}?signature=1.x`];
    malformed.push('/s/', '/s/x/y', '/s/x/', '/s/x/n/', `${live.path}/y`, `${live.path}/files`, `${live.path}/n/x/y`);
    const wrong = [guessed, live.path.slice(0, -1), `${live.path}x`, `${live.path}/n/${vault}`, ...long, ...malformed];
    for (const path of [ended.path, gone.path, expired.path, ...wrong]) {
      const { status, headers: sent, text } = await open(server, path);
      answers.push(JSON.stringify([status, text, sent.get('content-security-policy')]));
      assert.equal(status, 404, path);
    }
    assert.equal(new Set(answers).size, 1);
    assert.equal((await open(server, live.path)).status, 200);
    await alice.delete(`/vaults/${vault}`);
    assert.equal(
      JSON.stringify((await open(server, live.path)).text),
      JSON.stringify((await open(server, '/s/x')).text),
    );
    await alice.post(`/vaults/${vault}/restore`);
    assert.equal((await open(server, live.path)).status, 200);
    await server.app.publicLinks.sweep();
    const listed = (await alice.get('/vault/links', headers)).body.links as { id: string; path: string | null }[];
    assert.deepEqual(
      listed.map(({ path }) => path),
      [null, 'Live.md'],
    );
  });

  test('only the owner makes, lists and ends public links, and they stay when the vault is handed over', async () => {
    const shared = await vaultWithNotes();
    const { server, alice, bob, carol, dave, headers, note, link } = shared;
    await shared.join(bob, 'editor');
    await shared.join(carol, 'viewer');
    const { id, path } = await link({ note_id: note });
    for (const caller of [bob, carol]) {
      assert.equal((await caller.post('/vault/links', { note_id: note }, headers)).status, 403);
      assert.equal((await caller.get('/vault/links', headers)).status, 403);
      assert.equal((await caller.delete(`/vault/links/${id}`, undefined, headers)).status, 403);
    }
    assert.equal((await dave.get('/vault/links', headers)).status, 404);
    const foreign = (await bob.post('/vaults', { name: 'Own' })).body.vault.id;
    assert.equal((await bob.post('/vault/links', { note_id: note }, { 'x-vault-id': foreign })).status, 404);
    assert.equal((await bob.delete(`/vault/links/${id}`, undefined, { 'x-vault-id': foreign })).status, 404);
    await alice.patch(`${shared.path}/${await shared.idOf(bob)}`, { role: 'owner' });
    assert.equal((await open(server, path)).status, 200);
    assert.equal((await bob.get('/vault/links', headers)).body.links[0].id, id);
    assert.equal((await alice.get('/vault/links', headers)).status, 403);
  });

  test('public links need a target, a password that is not empty, and a lifetime that is not over', async () => {
    const { alice, headers, note } = await vaultWithNotes();
    const statusOf = async (body: object) => (await alice.post('/vault/links', body, headers)).status;
    assert.equal(await statusOf({}), 422);
    assert.equal(await statusOf({ note_id: note, folder: 'x' }), 422);
    assert.equal(await statusOf({ note_id: note, password: '' }), 422);
    assert.equal(await statusOf({ note_id: note, expires_in: 1 }), 422);
    assert.equal(await statusOf({ note_id: 'x' }), 404);
    assert.equal(await statusOf({ folder: 'missing' }), 404);
    assert.equal(await statusOf({ folder: '' }), 404);
  });

  test('a suspended owner’s public links open nothing, and admins count and end those of an account', async () => {
    await using server = await startServer({ open: openDatabase });
    const { alice, bob } = server;
    const { vault } = (await bob.post('/vaults', { name: 'Bob’s' })).body;
    const headers = { 'x-vault-id': vault.id };
    const { note } = (await bob.post('/notes', { path: 'a.md', content: 'words', mtime: 1 }, headers)).body;
    const path = pathOf((await bob.post('/vault/links', { note_id: note.id }, headers)).body.url);
    const { id } = (await bob.get('/me')).body.user;
    assert.equal((await alice.get(`/admin/users/${id}/links`)).body.count, 1);
    await alice.patch(`/admin/users/${id}`, { suspended: true });
    assert.equal((await open(server, path)).status, 404);
    await alice.patch(`/admin/users/${id}`, { suspended: false });
    assert.equal((await open(server, path)).status, 200);
    assert.equal((await alice.delete(`/admin/users/${id}/links`)).body.count, 1);
    assert.equal((await open(server, path)).status, 404);
    assert.equal((await alice.get(`/admin/users/${id}/links`)).body.count, 0);
  });

  test('a server without public links makes none, and opens none', async () => {
    const config = { publicLinks: 'off' } as const;
    await using server = await startServer({ open: openDatabase, config });
    const { vault } = (await server.alice.post('/vaults', { name: 'A' })).body;
    const headers = { 'x-vault-id': vault.id };
    const { note } = (await server.alice.post('/notes', { path: 'a.md', content: 'x', mtime: 1 }, headers)).body;
    const made = await server.alice.post('/vault/links', { note_id: note.id }, headers);
    assert.deepEqual([made.status, made.body.error], [403, 'public_links_off']);
  });
});
