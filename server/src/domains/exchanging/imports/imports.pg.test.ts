import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { FAULTS_NAME } from '@notevault/protocol/vault-zip.ts';
import { fromBufferPromise } from 'yauzl';
import { PNG, tarOf, type ZipFileInput, zipOf } from '../../../../test/kit/content/archives.ts';
import { onEachEngine, rawOf } from '../../../../test/kit/engines.ts';
import { startImporting } from '../../../../test/kit/importing.ts';
import type { Answer, Caller } from '../../../../test/kit/person.ts';
import { startServer } from '../../../../test/kit/server.ts';

const said = ({ status, body }: Answer) => [status, body?.error ?? body];
const LIMITS = { entries: 50, unpackedBytes: 4_000_000, ratio: 100, ratioFrom: 100_000 };

onEachEngine('imports of zips', (open) => {
  test('write notes and attachments at their paths with their times, links resolved', async () => {
    await using at = await startImporting({ open });
    const mtime = new Date(1_600_000_000_000);
    const result = await at.run(
      zipOf([
        { name: 'Home.md', data: 'See [[Deep note]] and ![[bed.png]] and [[Nowhere]]', mtime },
        { name: 'Folder/', mode: 0o040755 },
        { name: 'Folder/Deep note.md', data: '# Deep' },
        { name: 'img/bed.png', data: PNG, mtime, method: 0 },
      ]),
    );
    assert.deepEqual([result.state, result.error, result.done, result.total], ['done', null, 3, 3]);
    assert.deepEqual(
      [result.report.notes, result.report.attachments, result.report.unchanged, result.report.dangling],
      [2, 1, 0, 1],
    );
    assert.deepEqual(await at.paths(), ['Folder/Deep note.md', 'Home.md', 'img/bed.png']);
    const { body: home } = await at.note('Home.md');
    assert.equal(home.mtime, 1_600_000_000);
    assert.deepEqual(
      home.links.map(({ dangling }: { dangling: boolean }) => dangling),
      [false, false, true],
    );
    assert.deepEqual((await at.file('img/bed.png')).bytes, PNG);
    // The archive is erased, and the attachment's bytes stay.
    assert.equal(await at.blobs(), 1);
  });

  test('begin only with a vault, and with a dry_run that is a yes or a no', async () => {
    await using at = await startImporting({ open });
    const archive = zipOf([{ name: 'a.md', data: 'a' }]);
    for (const value of ['True', 'yes', '', '2', 'true&dry_run=true']) {
      const { status, body } = await at.begin(archive, `&dry_run=${value}`);
      assert.deepEqual([status, Object.keys(body.errors)], [422, ['dry_run']], value);
    }
    for (const query of ['', '?dry_run=true']) {
      const { status, body } = await at.server.alice.post(`/imports${query}`, archive);
      assert.deepEqual([status, Object.keys(body.errors)], [422, ['vault_id']]);
    }
    for (const [value, isDry] of Object.entries({ true: true, 1: true, false: false, 0: false })) {
      assert.equal((await at.run(archive, `&dry_run=${value}`)).dry_run, isDry, value);
      await at.server.alice.delete(`/imports/${(await at.server.alice.get('/imports')).body.imports[0].id}`);
    }
  });

  test('can be repeated: equal files are left, others get a new name, also for another case or Unicode form', async () => {
    await using at = await startImporting({ open });
    await at.put('a.md', 'mine');
    await at.put('same.md', 'same');
    const archive = zipOf([
      { name: 'A.md', data: 'theirs' },
      { name: 'same.md', data: 'same' },
      { name: 'B\u00e4r.md', data: 'composed' },
      { name: 'Ba\u0308r.md', data: 'decomposed' },
      { name: 'x.txt', data: 'one' },
      { name: 'X.TXT', data: 'two' },
    ]);
    const { report } = await at.run(archive);
    assert.deepEqual([report.notes, report.attachments, report.unchanged, report.skipped_count], [3, 2, 1, 0]);
    assert.deepEqual(report.renamed, [
      { from: 'A.md', to: 'A 2.md' },
      { from: 'Ba\u0308r.md', to: 'B\u00e4r 2.md' },
      { from: 'X.TXT', to: 'X 2.TXT' },
    ]);
    const paths = await at.paths();
    assert.equal((await at.note('a.md')).body.content, 'mine');
    assert.equal((await at.note('A 2.md')).body.content, 'theirs');
    const again = (await at.run(archive)).report;
    assert.deepEqual([again.notes, again.attachments, again.unchanged, again.skipped_count], [0, 0, 6, 0]);
    assert.deepEqual(await at.paths(), paths);
  });

  test('convert notes in UTF-16 with a byte order mark', async () => {
    await using at = await startImporting({ open });
    const marked = Buffer.from('\ufeff# Täglich 日本\r\n', 'utf16le');
    const { report } = await at.run(
      zipOf([
        { name: 'little.md', data: marked },
        { name: 'big.md', data: Buffer.from(marked).swap16() },
        { name: 'large.md', data: Buffer.from(`\ufeff${'日'.repeat(4_000_000)}`, 'utf16le'), method: 0 },
      ]),
    );
    assert.deepEqual([report.notes, report.skipped], [2, [{ path: 'large.md', reason: 'too_large' }]]);
    for (const path of ['little.md', 'big.md']) assert.equal((await at.note(path)).body.content, '# Täglich 日本\r\n');
  });

  test('only report in a dry run, which can be applied once', async () => {
    await using at = await startImporting({ open });
    await at.put('a.md', 'mine');
    const archive = zipOf([
      { name: 'a.md', data: 'theirs' },
      { name: 'b.md', data: 'new' },
      { name: 'c.png', data: PNG },
      { name: 'd.exe', data: 'x' },
    ]);
    const dry = await at.run(archive, '&dry_run=true');
    assert.deepEqual([dry.state, dry.dry_run, dry.report.notes, dry.report.attachments], ['done', true, 2, 1]);
    assert.deepEqual(dry.report.renamed, [{ from: 'a.md', to: 'a 2.md' }]);
    assert.deepEqual(dry.report.skipped, [{ path: 'd.exe', reason: 'type_not_allowed' }]);
    assert.deepEqual(await at.paths(), ['a.md']);
    const apply = () => at.server.alice.post(`/imports/${dry.id}/apply`, {});
    assert.equal((await apply()).status, 202);
    assert.deepEqual(said(await apply()), [409, 'import_not_applicable']);
    await at.server.app.imports.runWaiting();
    const { body } = await at.server.alice.get(`/imports/${dry.id}`);
    assert.deepEqual({ ...body.report, dangling: null }, dry.report);
    assert.deepEqual(await at.paths(), ['a 2.md', 'a.md', 'b.md', 'c.png']);
    assert.deepEqual(said(await apply()), [409, 'import_not_applicable']);
  });

  test('refuse hostile names and kinds of files, and import the others', async () => {
    await using at = await startImporting({ open });
    const hostile: [ZipFileInput, string][] = [
      [{ name: '../escape.md' }, 'unsafe_path'],
      [{ name: 'a/../../escape.md' }, 'unsafe_path'],
      [{ name: 'a\\..\\..\\escape.md' }, 'unsafe_path'],
      [{ name: '/etc/passwd.md' }, 'unsafe_path'],
      [{ name: '\\\\server\\share.md' }, 'unsafe_path'],
      [{ name: 'C:\\Windows\\a.md' }, 'unsafe_path'],
      [{ name: 'c:a.md' }, 'unsafe_path'],
      [{ name: 'nul\0.md' }, 'unsafe_path'],
      [{ name: 'by-id/x.md' }, 'unsafe_path'],
      [{ name: '.obsidian/app.json' }, 'hidden'],
      [{ name: '__MACOSX/._a.md' }, 'hidden'],
      [{ name: 'link.md', data: '/etc/passwd', mode: 0o120777 }, 'link'],
      [{ name: 'device.md', mode: 0o060600 }, 'special_file'],
      [{ name: 'pipe.md', mode: 0o010600 }, 'special_file'],
      [{ name: 'secret.md', encrypted: true }, 'encrypted'],
      [{ name: 'method.md', method: 99 }, 'unsupported'],
      [{ name: 'bomb.md', data: Buffer.alloc(3_000_000) }, 'ratio'],
      [{ name: 'bytes.md', data: Buffer.from([0xff, 0xfe, 0xfd]) }, 'not_utf8'],
      [{ name: 'liar.md', data: 'x'.repeat(1000), claims: 10 }, 'damaged'],
      [{ name: 'good.md/below.md' }, 'conflict'],
    ];
    const files = [
      { name: 'good.md', data: 'good' },
      ...hostile.map(([file]) => file),
      { name: 'last.md', data: 'last' },
    ];
    for (const query of ['&dry_run=true', '']) {
      const { state, error, report } = await at.run(zipOf(files), query);
      assert.deepEqual([state, error], ['done', null]);
      const reasons = report.skipped.map(({ path, reason }: { path: string; reason: string }) => [path, reason]);
      assert.deepEqual(
        reasons,
        hostile.map(([{ name }, reason]) => [name, reason]),
      );
      assert.equal(report.notes, 2);
    }
    assert.deepEqual(await at.paths(), ['good.md', 'last.md']);
  });

  test('fail as a whole for what is no archive, is damaged, or is beyond the limits', async () => {
    await using at = await startImporting({ open, archiveLimits: LIMITS });
    const good = zipOf([{ name: 'a.md', data: 'a' }]);
    const shared = { name: 'a.md', data: 'text '.repeat(2000) };
    const noise = Array.from({ length: 60_000 }, (_, i) => (i * 7919) % 65_521).join(' ');
    const cases: [string, Buffer, string][] = [
      ['nothing', Buffer.alloc(0), 'unsupported_archive'],
      ['a text', Buffer.from('hello'), 'unsupported_archive'],
      ['a cut zip', good.subarray(0, good.length - 8), 'damaged_archive'],
      ['a zip without a directory', Buffer.from('PK\x03\x04 nothing else'), 'damaged_archive'],
      [
        'a zip of files that share bytes',
        zipOf([shared, { ...shared, name: 'b.md', isFirst: true }]),
        'damaged_archive',
      ],
      ['too many files', zipOf(Array.from({ length: 51 }, (_, i) => ({ name: `${i}.md` }))), 'too_many_entries'],
      [
        'too much',
        zipOf(Array.from({ length: 30 }, (_, i) => ({ name: `${i}.md`, data: noise }))),
        'unpacked_too_large',
      ],
      ['a tar that is no export', tarOf([{ name: 'a.md', data: 'a' }]), 'unsupported_archive'],
    ];
    for (const [what, archive, fault] of cases) {
      const { state, error } = await at.run(archive);
      assert.deepEqual([state, error], ['failed', fault], what);
      assert.equal(await at.blobs(), 0, what);
    }
  });

  test('stop at the limits of the plan and import what fits', async () => {
    const plan = { vaults_cap: null, notes_cap: 2, attachments_enabled: false, max_file_bytes: 0 };
    const more = { attachment_bytes_cap: 0, pats_cap: null, cross_vault_search: true, requests_per_minute: null };
    const config = { plans: { small: { ...plan, ...more } }, defaultPlan: 'small' };
    await using at = await startImporting({ open, config });
    const files = ['a', 'b', 'c', 'd'].map((name) => ({ name: `${name}.md`, data: name }));
    const { state, report } = await at.run(zipOf([...files, { name: 'x.png', data: PNG }]));
    assert.deepEqual([state, report.notes, report.attachments], ['done', 2, 0]);
    assert.deepEqual(
      report.skipped.map(({ reason }: { reason: string }) => reason),
      ['limit_exceeded', 'limit_exceeded', 'limit_exceeded'],
    );
  });
});

onEachEngine('jobs of imports', (open) => {
  const archive = zipOf(Array.from({ length: 120 }, (_, i) => ({ name: `${i}.md`, data: `note ${i}` })));

  test('run one at a time for an account, and a new one replaces one that is over', async () => {
    await using at = await startImporting({ open });
    const both = await Promise.all([at.begin(archive), at.begin(archive)]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [202, 409]);
    assert.deepEqual(said(await at.begin(archive)), [409, 'import_in_progress']);
    await at.server.app.imports.runWaiting();
    assert.equal((await at.begin(archive)).status, 202);
    assert.equal((await at.server.alice.get('/imports')).body.imports.length, 1);
  });

  test('are run once by two processes', async () => {
    await using at = await startImporting({ open });
    const { db, blobs, masterKey, clock } = at.server;
    await using other = await startServer({ open: async () => db, blobs, masterKey, clock });
    const { id } = (await at.begin(archive)).body;
    await Promise.all([at.server.app.imports.runWaiting(), other.app.imports.runWaiting()]);
    const { state, report } = (await at.server.alice.get(`/imports/${id}`)).body;
    assert.deepEqual([state, report.notes, report.unchanged], ['done', 120, 0]);
  });

  test('go on where they were interrupted, and write nothing twice', async () => {
    await using at = await startImporting({ open });
    const { id } = (await at.begin(archive)).body;
    await at.server.app.imports.runWaiting(AbortSignal.abort());
    assert.equal((await at.server.alice.get(`/imports/${id}`)).body.state, 'queued');
    const stop = new AbortController();
    const run = at.server.app.imports.runWaiting(stop.signal);
    for (;;) {
      const { done } = (await at.server.alice.get(`/imports/${id}`)).body;
      if (done > 0) break;
    }
    stop.abort();
    await run;
    at.server.clock.advance({ minutes: 3 });
    await at.server.app.imports.runWaiting();
    const { state, done, report } = (await at.server.alice.get(`/imports/${id}`)).body;
    assert.deepEqual([state, done, report.renamed_count, report.skipped_count], ['done', 120, 0, 0]);
    assert.equal(report.notes + report.unchanged, 120);
    assert.equal((await at.paths()).length, 120);
  });

  test('can be cancelled, which erases the archive', async () => {
    await using at = await startImporting({ open });
    const { id } = (await at.begin(archive)).body;
    assert.equal(await at.blobs(), 1);
    assert.equal((await at.server.alice.delete(`/imports/${id}`)).status, 204);
    assert.equal(await at.blobs(), 0);
    await at.server.app.imports.runWaiting();
    const { state } = (await at.server.alice.get(`/imports/${id}`)).body;
    assert.deepEqual([state, await at.paths()], ['cancelled', []]);
  });

  test('are gone after a day, also a dry run that was never applied', async () => {
    await using at = await startImporting({ open });
    const { id } = await at.run(archive, '&dry_run=true');
    assert.equal(await at.blobs(), 1);
    at.server.clock.advance({ hours: 24 });
    const { accessToken } = await at.server.app.accounts.login(at.server.alice);
    const alice = at.server.bearer(accessToken);
    assert.deepEqual(said(await alice.get(`/imports/${id}`)), [404, 'not_found']);
    await at.server.app.imports.sweep();
    assert.equal(await at.blobs(), 0);
  });

  test('belong to their account, and to the vault they write to', async () => {
    await using at = await startImporting({ open });
    const { bob, alice } = at.server;
    const { id } = (await at.begin(archive, '&dry_run=1')).body;
    for (const asked of [
      bob.get(`/imports/${id}`),
      bob.delete(`/imports/${id}`),
      bob.post(`/imports/${id}/apply`, {}),
    ]) {
      assert.deepEqual(said(await asked), [404, 'not_found']);
    }
    assert.deepEqual(said(await at.begin(archive, '', bob)), [404, 'Vault not found']);
    await alice.delete(`/vaults/${at.vault}`);
    assert.deepEqual((await alice.get('/imports')).body, { imports: [] });
    assert.equal(await at.blobs(), 1);
  });
});

onEachEngine('exports', (open) => {
  test('are a zip of every note, attachment and folder with its time, by a ticket of a session, once', async () => {
    await using at = await startImporting({ open });
    const { server } = at;
    const headers = { 'x-vault-id': at.vault };
    await at.put('Ünï/Note.md', 'text of the note');
    await server.alice.post('/folders', { folder: 'Empty' }, headers);
    await server.alice.post(
      '/attachments',
      { path: 'b.png', content_base64: PNG.toString('base64'), mtime: 5 },
      headers,
    );
    const ticket = (who: Caller) => who.post('/tickets', { operation: 'vault.export' }, headers);
    const { key } = (await server.alice.post('/api-keys', { name: 'K' })).body;
    assert.deepEqual(said(await ticket(server.bearer(key))), [403, 'api_key_not_allowed']);
    const { url, method } = (await ticket(server.alice)).body;
    assert.equal(method, 'GET');
    const path = new URL(url).pathname.replace('/api', '');
    assert.equal((await server.anyone.call('HEAD', path, undefined, {})).status, 200);
    const zip = await server.anyone.get(path);
    assert.deepEqual([zip.status, zip.headers.get('content-type')], [200, 'application/zip']);
    assert.equal((await server.anyone.get(path)).status, 404);

    const { vault: copy } = (await server.alice.post('/vaults', { name: 'Copy' })).body;
    const { body } = await server.alice.post(`/imports?vault_id=${copy.id}`, zip.bytes);
    await server.app.imports.runWaiting();
    const { state, report } = (await server.alice.get(`/imports/${body.id}`)).body;
    assert.deepEqual([state, report.notes, report.attachments, report.skipped_count], ['done', 1, 1, 0]);
    const note = (await server.alice.get('/notes/%C3%9Cn%C3%AF/Note.md', { 'x-vault-id': copy.id })).body;
    assert.deepEqual([note.content, note.mtime], ['text of the note', 1]);
    const file = await server.alice.get('/attachments/b.png?raw=1', { 'x-vault-id': copy.id });
    assert.deepEqual(file.bytes, PNG);
  });

  test('leave out what is damaged, and list it in a file that is not imported', async () => {
    await using at = await startImporting({ open });
    const { alice, anyone, app, db } = at.server;
    await at.put('sound.md', 'sound');
    const { id } = (await at.put('damaged.md', 'damaged')).body.note;
    await using raw = await rawOf(db);
    await raw.run('update entries set meta = $2 where id = $1', id, Buffer.alloc(64));
    const { url } = (await alice.post('/tickets', { operation: 'vault.export' }, { 'x-vault-id': at.vault })).body;
    const zip = await anyone.get(new URL(url).pathname.replace('/api', ''));
    const { vault: copy } = (await alice.post('/vaults', { name: 'Copy' })).body;
    assert.equal((await alice.post(`/imports?vault_id=${copy.id}`, zip.bytes)).status, 202);
    await app.imports.runWaiting();
    const there = { 'x-vault-id': copy.id };
    assert.equal((await alice.get('/notes/sound.md', there)).body.content, 'sound');
    assert.deepEqual((await alice.get('/sync/manifest', there)).body.attachments, []);
    const opened = await fromBufferPromise(zip.bytes, { lazyEntries: true });
    for await (const entry of opened.eachEntry()) {
      if (entry.fileName !== FAULTS_NAME) continue;
      const report = await text(await opened.openReadStreamPromise(entry));
      assert.match(report, new RegExp(`^note ${id}, whose path is not known$`, 'm'));
      return;
    }
    assert.fail('the zip has no report');
  });
});
