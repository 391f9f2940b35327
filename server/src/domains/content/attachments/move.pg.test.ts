import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileOf, fileUrl, readRaw, uploadRaw } from '../../../../test/kit/content/files.ts';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, type Writer } from '../../../../test/kit/notes.ts';

/** One link in `s/S.md`, and its expected text after `t/Old.png` was renamed to `u/New.jpg`. */
type Form = readonly [before: string, after: string];

const FORMS: readonly Form[] = [
  ['[[Old.png]]', '[[New.jpg]]'],
  ['![[old.PNG|300]]', '![[New.jpg|300]]'],
  ['![[Old.png#page=3]]', '![[New.jpg#page=3]]'],
  ['[[t/Old.png]]', '[[u/New.jpg]]'],
  ['[[../t/Old.png]]', '[[../u/New.jpg]]'],
  ['![l](Old.png)', '![l](New.jpg)'],
  ['![l](t/Old.png "Title")', '![l](u/New.jpg "Title")'],
  ['[l](<../t/Old.png>)', '[l](<../u/New.jpg>)'],
  ['<img src="Old.png" alt="l">', '<img src="New.jpg" alt="l">'],
  ["<p>\n<IMG width=9 src = '../t/Old.png' />\n</p>", "<p>\n<IMG width=9 src = '../u/New.jpg' />\n</p>"],
  ['![one][r]\n\n[r]: ../t/Old.png "Title"', '![one][r]\n\n[r]: ../u/New.jpg "Title"'],
];
const text = (at: 0 | 1) => `${FORMS.map((form) => form[at]).join('\n\n')}\n\n\`![[Old.png]]\` stays\n`;

const linksOf = async (alice: Writer, path: string): Promise<Json[]> => (await alice.read(path)).body.links;
const rename = (alice: Writer, old_path: string, new_path: string) =>
  alice.caller.post('/attachments/rename', { old_path, new_path });
const key = (name: string) => ({ 'x-idempotency-key': name });

for (const blobs of ['disk', 'database'] as const)
  onEachEngine(`attachments that move, blobs: ${blobs}`, (open) => {
    const start = notesOnOneServer(open, { blobs });

    describe('links', () => {
      it('links to a file resolve when it appears, dangle when it is deleted, and name no note path', async () => {
        const { alice } = await start();
        await alice.write('n.md', '![[a.png]] [[a.png.md]]');
        assert.deepEqual(
          (await linksOf(alice, 'n.md')).map(({ dangling }) => dangling),
          [true, true],
        );
        const { id } = (await uploadRaw(alice.caller, 'x/a.png', fileOf('png'))).body.attachment;
        const [link] = await linksOf(alice, 'n.md');
        const { dangling, link_type, target_note_id, target_attachment_id, target_path } = link;
        assert.deepEqual(
          [dangling, link_type, target_note_id, target_attachment_id, target_path],
          [false, 'embed', null, id, null],
        );
        const written = (await alice.write('m.md', '[[x/a.png]]')).links[0];
        assert.deepEqual([written.target_attachment_id, written.target_path], [id, null]);
        await alice.write('a.png.md');
        assert.equal((await linksOf(alice, 'n.md'))[0].target_attachment_id, id, 'the file comes first');
        await alice.caller.delete(fileUrl('x/a.png'));
        assert.equal((await linksOf(alice, 'n.md'))[0].target_path, 'a.png.md', 'then the note of that name');
        assert.equal((await linksOf(alice, 'm.md'))[0].dangling, true);
      });

      it('links to attachments follow a rename in their own form, and a rename back restores them exactly', async () => {
        const { alice } = await start();
        const { caller } = alice;
        const bytes = fileOf('png');
        const before = (await uploadRaw(caller, 't/Old.png', bytes)).body.attachment;
        await alice.write('s/S.md', text(0));
        const { status, body } = await rename(alice, 't/OLD.png', 'u/New.jpg');
        assert.equal(status, 200);
        const { attachment, ...rest } = body;
        assert.deepEqual(rest, { renamed: true, old_path: 't/Old.png', new_path: 'u/New.jpg' });
        assert.deepEqual(
          [attachment.id, attachment.path, attachment.mime_type, attachment.content_hash, attachment.mtime],
          [before.id, 'u/New.jpg', 'image/jpeg', before.content_hash, before.mtime],
        );
        assert.ok(attachment.seq > before.seq);
        const source = (await alice.read('s/S.md')).body;
        assert.equal(source.content, text(1));
        assert.equal(source.version, 2);
        assert.ok(source.links.every((link: Json) => link.target_attachment_id === before.id));
        assert.equal((await readRaw(caller, 't/Old.png')).status, 404);
        assert.ok((await readRaw(caller, 'u/New.jpg')).bytes.equals(bytes));
        assert.equal((await rename(alice, 'u/New.jpg', 't/Old.png')).status, 200);
        assert.equal((await alice.read('s/S.md')).body.content, text(0));
      });

      it('links to attachments are written with the path where a bare name would mean another file', async () => {
        const { alice } = await start();
        await uploadRaw(alice.caller, 'a/one.png', fileOf('png'));
        await uploadRaw(alice.caller, 'a/two.png', fileOf('png'));
        await alice.write('a/n.md', '![[one.png]]');
        await rename(alice, 'a/one.png', 'b/two.png');
        assert.equal((await alice.read('a/n.md')).body.content, '![[b/two.png]]');
      });

      it('links to attachments stay true when a note that embeds files moves, relative ones too', async () => {
        const { alice } = await start();
        const { id } = (await uploadRaw(alice.caller, 'a/img/p.png', fileOf('png'))).body.attachment;
        await uploadRaw(alice.caller, 'img/p.png', fileOf('png'));
        await alice.write('a/n.md', '![x](img/p.png) ![[p.png]]');
        await alice.caller.post('/notes/rename', { old_path: 'a/n.md', new_path: 'b/c/n.md' });
        const { content, links } = (await alice.read('b/c/n.md')).body;
        assert.equal(content, '![x](../../a/img/p.png) ![[a/img/p.png]]');
        assert.ok(links.every((link: Json) => link.target_attachment_id === id));
      });
    });

    describe('rename', () => {
      it('renaming an attachment says which entry is at the path', async () => {
        const { alice } = await start();
        const { caller } = alice;
        await uploadRaw(caller, 'a.png', fileOf('png'));
        await uploadRaw(caller, 'b.png', fileOf('png'));
        const note = await alice.write('n.md');
        const cases: [from: string, to: string, status: number, body: object][] = [
          ['none.png', 'c.png', 404, { error: 'not_found' }],
          ['n.md', 'c.png', 404, { error: 'not_found' }],
          ['a.png', 'B.png', 409, { error: 'conflict', server_path: 'b.png' }],
          ['a.png', 'c.exe', 415, { error: 'extension_not_allowed', extension: 'exe', mime_type: null }],
          ['a.png', '../c.png', 422, { errors: { new_path: ['must not contain ".." segments'] } }],
        ];
        for (const [from, to, status, body] of cases) {
          const answer = await rename(alice, from, to);
          assert.deepEqual([answer.status, answer.body], [status, body]);
        }
        const below = await rename(alice, 'a.png', 'n.md/a.png');
        assert.deepEqual([below.status, below.body.server_note.id], [409, note.id]);
        const seq = (await caller.get('/attachments')).body.attachments[0].seq;
        const same = await rename(alice, 'a.png', 'a.png');
        assert.deepEqual([same.status, same.body.attachment.seq], [200, seq]);
        const cased = await rename(alice, 'a.png', 'A.png');
        assert.deepEqual([cased.status, cased.body.new_path], [200, 'A.png']);
      });
    });

    describe('batch move', () => {
      it('a batch move of attachments is all or nothing, counts the named ones, and is idempotent by key', async () => {
        const { alice } = await start();
        const { caller } = alice;
        for (const path of ['a.png', 'x/b.png', 'y/b.png', 'z/c.png']) await uploadRaw(caller, path, fileOf('png'));
        const move = (body: unknown, headers = key('k')) => caller.post('/attachments/batch-move', body, headers);
        const first = await move({ paths: ['A.png', 'x/b.png', 'z/c.png', 'a.png'], target_folder: 'Z' });
        assert.deepEqual([first.status, first.body], [200, { moved: 3 }]);
        const again = await move({ paths: ['A.png', 'x/b.png', 'z/c.png', 'a.png'], target_folder: 'Z' });
        assert.equal(again.headers.get('idempotency-replayed'), 'true');
        const paths = (await caller.get('/attachments')).body.attachments.map(({ path }: Json) => path);
        assert.deepEqual(paths, ['y/b.png', 'z/a.png', 'z/b.png', 'z/c.png']);
        const cases: [body: object, status: number, answer: object][] = [
          [{ paths: ['z/a.png', 'none.png'], target_folder: '' }, 404, { error: 'not_found', item_path: 'none.png' }],
          [{ paths: ['z/a.png', 'Y/B.png'], target_folder: 'z' }, 409, { error: 'conflict', item_path: 'Y/B.png' }],
        ];
        for (const [body, status, answer] of cases) {
          const { status: got, body: said } = await move(body, key('other'));
          assert.deepEqual([got, said], [status, answer]);
        }
        const missing = 'missing required params: paths, target_folder';
        for (const [body, error] of [
          [{}, missing],
          [{ paths: ['a.png'] }, missing],
          [{ target_folder: '' }, missing],
          [{ paths: [], target_folder: '' }, 'invalid_ids'],
          [{ paths: [3], target_folder: '' }, 'invalid_ids'],
          [{ paths: Array.from({ length: 1001 }, (_, at) => `${at}.png`), target_folder: '' }, 'too_many_items'],
          [{ paths: Array(1001).fill('z/a.png'), target_folder: '' }, 'too_many_items'],
        ] as const) {
          const answer = await move(body, key('third'));
          assert.deepEqual([answer.status, answer.body.error], [400, error]);
        }
        const keyless = await caller.post('/attachments/batch-move', { paths: ['z/a.png'], target_folder: '' });
        assert.equal(keyless.body.error, 'missing_idempotency_key');
      });
    });

    describe('folders', () => {
      it('exist while they contain a file, and take their files along when they are renamed', async () => {
        const { alice } = await start();
        const { caller } = alice;
        await uploadRaw(caller, 'f/g/a.png', fileOf('png'));
        await alice.write('f/n.md', '![](g/a.png) ![[a.png]]');
        await alice.write('s.md', '![[f/g/a.png]]');
        const renamed = await caller.post('/folders/rename', { old_path: 'f', new_path: 'h/F2' });
        const expected = { renamed: true, old_path: 'f', new_path: 'h/F2', count: 1, attachments: 1 };
        assert.deepEqual(renamed.body, expected);
        assert.equal((await readRaw(caller, 'h/F2/g/a.png')).status, 200);
        assert.equal((await alice.read('h/F2/n.md')).body.content, '![](g/a.png) ![[a.png]]');
        assert.equal((await alice.read('s.md')).body.content, '![[h/F2/g/a.png]]');
        const names = async () => (await caller.get('/folders')).body.folders.map(({ name }: Json) => name);
        assert.deepEqual(await names(), ['', 'h', 'h/F2', 'h/F2/g']);
        const { folder } = (await caller.post('/folders', { folder: 'h' })).body;
        const moved = await caller.post('/folders/batch-move', { ids: [folder.id], target_parent: 'top' }, key('m'));
        assert.deepEqual(moved.body, { moved: 1 });
        assert.equal((await readRaw(caller, 'top/h/F2/g/a.png')).status, 200);
      });

      it('take their files with them when they are deleted', async () => {
        const { alice } = await start();
        const { caller, vault } = alice;
        for (const path of ['f/a.png', 'f/g/b.png', 'm/c.png', 'd.png']) await uploadRaw(caller, path, fileOf('png'));
        await alice.write('n.md', '![[a.png]] ![[d.png]]');
        assert.equal((await caller.delete('/folders/f?recursive=true')).status, 204);
        const dangling = (await linksOf(alice, 'n.md')).map((link) => link.dangling);
        assert.deepEqual(dangling, [true, false]);
        const { folder } = (await caller.post('/folders', { folder: 'm' })).body;
        await caller.post('/folders/batch-delete', { ids: [folder.id] }, key('d'));
        const left = (await caller.get('/attachments')).body.attachments.map(({ path }: Json) => path);
        assert.deepEqual(left, ['d.png']);
        assert.equal((await caller.get(`/vaults/${vault}`)).body.vault.attachment_count, 1);
      });
    });

    it('attachments that move appear once in the feed, the manifest and the tree, at their last seq', async () => {
      const { alice } = await start();
      const { caller } = alice;
      const kept = (await uploadRaw(caller, 'a.png', fileOf('png'))).body.attachment;
      const gone = (await uploadRaw(caller, 'b.png', fileOf('png'))).body.attachment;
      await alice.write('n.md', '![[a.png]]');
      await caller.delete(fileUrl('b.png'));
      const { attachment } = (await rename(alice, 'a.png', 'c.png')).body;
      const { changes } = (await caller.get('/sync/changes')).body;
      assert.deepEqual(
        changes.map(({ type, id, path, deleted }: Json) => [type, id === kept.id || id === gone.id, path, deleted]),
        [
          ['attachment', true, 'b.png', true],
          ['note', false, 'n.md', false],
          ['attachment', true, 'c.png', false],
        ],
      );
      const manifest = (await caller.get('/sync/manifest')).body;
      assert.deepEqual(manifest.attachments, [
        { id: kept.id, path: 'c.png', content_hash: kept.content_hash, seq: attachment.seq },
      ]);
      const tree = (await caller.get('/vault/tree')).body;
      assert.equal(tree.attachments[0].path, 'c.png');
    });
  });
