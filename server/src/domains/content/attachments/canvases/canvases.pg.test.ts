import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileOf, fileUrl, readRaw, sha256, uploadRaw } from '../../../../../test/kit/content/files.ts';
import { onEachEngine, rawOf } from '../../../../../test/kit/engines.ts';
import { notesOnOneServer, type Writer } from '../../../../../test/kit/notes.ts';
import { builtinPlans } from '../../../foundation/plans/plans.ts';

interface Links {
  readonly files?: readonly string[];
  readonly texts?: readonly string[];
}

/** A canvas as Obsidian writes it. */
function canvasOf({ files = [], texts = [] }: Links): string {
  const place = { x: 0, y: 0, width: 400, height: 400 };
  const nodes = [
    ...files.map((file, at) => ({ id: `f${at}`, type: 'file', file, ...place })),
    ...texts.map((text, at) => ({ id: `t${at}`, type: 'text', text, ...place })),
  ];
  return `{\n\t"nodes":[\n${nodes.map((node) => `\t\t${JSON.stringify(node)}`).join(',\n')}\n\t],\n\t"edges":[]\n}`;
}

const plans = {
  ...builtinPlans,
  tight: { ...builtinPlans.pro, max_file_bytes: 1000 },
  full: { ...builtinPlans.pro, attachment_bytes_cap: 1 },
};

const key = (name: string) => ({ 'x-idempotency-key': name });
const put = async ({ caller }: Writer, path: string, links: Links | string) => {
  const text = typeof links === 'string' ? links : canvasOf(links);
  return (await uploadRaw(caller, path, Buffer.from(text))).body.attachment;
};
const read = async ({ caller }: Writer, path: string) => (await readRaw(caller, path)).bytes.toString();
const meta = async ({ caller }: Writer, path: string) => {
  const { attachments } = (await caller.get('/attachments')).body;
  return attachments.find((attachment: { path: string }) => attachment.path === path);
};
const rename = ({ caller }: Writer, what: string, old_path: string, new_path: string, more = {}) =>
  caller.post(`/${what}/rename`, { old_path, new_path, ...more });

onEachEngine('canvases', (open) => {
  const start = notesOnOneServer(open, { config: { plans } });

  describe('renames', () => {
    it('a canvas follows renames of notes and attachments, in file nodes and wikilinks, byte for byte', async () => {
      const { alice } = await start();
      await alice.write('n/Old.md');
      await uploadRaw(alice.caller, 'p/old.png', fileOf('png'));
      const before = await put(alice, 'b/x.canvas', {
        files: ['n/Old.md', 'p/old.png', 'n/Other.md', 'Old.md'],
        texts: ['[[Old|see]] and ![[old.png]] and [[Other]] `[[Old]]`', 'plain "Old" n/Old.md'],
      });
      assert.equal((await rename(alice, 'notes', 'n/Old.md', 'n/New "2".md')).status, 200);
      assert.equal((await rename(alice, 'attachments', 'p/old.png', 'q/new.jpg')).status, 200);
      const expected = canvasOf({
        files: ['n/New "2".md', 'q/new.jpg', 'n/Other.md', 'Old.md'],
        texts: ['[[New "2"|see]] and ![[new.jpg]] and [[Other]] `[[Old]]`', 'plain "Old" n/Old.md'],
      });
      assert.equal(await read(alice, 'b/x.canvas'), expected);
      const after = await meta(alice, 'b/x.canvas');
      assert.equal(after.id, before.id);
      assert.ok(after.seq > before.seq);
      assert.deepEqual(
        [after.content_hash, after.size_bytes],
        [sha256(Buffer.from(expected)), Buffer.byteLength(expected)],
      );
      const used = (await alice.caller.get('/user/storage')).body.used_bytes;
      assert.equal(used, 200 + after.size_bytes);
    });

    it('a rename that concerns no reference of a canvas leaves the canvas as it is', async () => {
      const { alice } = await start();
      await alice.write('a/Same.md');
      await alice.write('b/Other.md');
      const before = await put(alice, 'x.canvas', { files: ['b/Same.md'], texts: ['[[Other]]'] });
      await rename(alice, 'notes', 'a/Same.md', 'a/Moved.md');
      await rename(alice, 'notes', 'b/Other.md', 'c/Other.md');
      assert.deepEqual(await meta(alice, 'x.canvas'), before);
    });

    it('renaming a folder moves its canvases, and canvases inside and outside of it link to what moved', async () => {
      const { alice } = await start();
      await alice.write('f/a.md');
      await alice.write('f/g/a.md');
      const links = { files: ['f/a.md', 'f/g/a.md', 'f/in.canvas'], texts: ['[[f/a]] [[a]] [[./g/a]]'] };
      await put(alice, 'f/in.canvas', links);
      await put(alice, 'out.canvas', { files: links.files, texts: ['[[f/a]] [[f/g/a]]'] });
      const renamed = await rename(alice, 'folders', 'f', 'h/k');
      assert.deepEqual([renamed.body.count, renamed.body.attachments], [2, 1]);
      const files = ['h/k/a.md', 'h/k/g/a.md', 'h/k/in.canvas'];
      assert.equal(await read(alice, 'h/k/in.canvas'), canvasOf({ files, texts: ['[[h/k/a]] [[a]] [[./g/a]]'] }));
      assert.equal(await read(alice, 'out.canvas'), canvasOf({ files, texts: ['[[h/k/a]] [[h/k/g/a]]'] }));
    });

    it('a canvas that moves alone keeps its targets, and a file that becomes a canvas counts as one', async () => {
      const { alice } = await start();
      await alice.write('a/n.md');
      await alice.write('b/n.md');
      await put(alice, 'a/x.json', { files: ['a/n.md'], texts: ['[[n]] ![[n]] [[none]]'] });
      await rename(alice, 'attachments', 'a/x.json', 'a/x.canvas');
      await rename(alice, 'attachments', 'a/x.canvas', 'b/x.canvas');
      assert.equal(
        await read(alice, 'b/x.canvas'),
        canvasOf({ files: ['a/n.md'], texts: ['[[a/n]] ![[a/n]] [[none]]'] }),
      );
      await rename(alice, 'notes', 'a/n.md', 'a/m.md');
      assert.equal(
        await read(alice, 'b/x.canvas'),
        canvasOf({ files: ['a/m.md'], texts: ['[[a/m]] ![[a/m]] [[none]]'] }),
      );
    });

    it('notes that swap their names through a third one keep their places in a canvas', async () => {
      const { alice } = await start();
      for (const path of ['a.md', 'b.md']) await alice.write(path);
      await put(alice, 'x.canvas', { files: ['a.md', 'b.md'], texts: ['[[a]] [[b]]'] });
      for (const [from, to] of [
        ['a', 'c'],
        ['b', 'a'],
        ['c', 'b'],
      ])
        await rename(alice, 'notes', `${from}.md`, `${to}.md`);
      assert.equal(await read(alice, 'x.canvas'), canvasOf({ files: ['b.md', 'a.md'], texts: ['[[b]] [[a]]'] }));
    });

    it('a batch move happens once for its key and changes a canvas once, and a dry run changes nothing', async () => {
      const { alice } = await start();
      const ids = [(await alice.write('a.md')).id, (await alice.write('b.md')).id];
      const before = await put(alice, 'x.canvas', { files: ['a.md', 'b.md'], texts: ['[[a]] [[b]] [[b.md]]'] });
      const move = (more: object) =>
        alice.caller.post('/notes/batch-move', { ids, target_folder: 'f', ...more }, key(JSON.stringify(more)));
      assert.deepEqual((await move({ dry_run: true })).body, { moved: 0 });
      assert.deepEqual(await meta(alice, 'x.canvas'), before);
      assert.deepEqual((await move({})).body, { moved: 2 });
      const after = await meta(alice, 'x.canvas');
      assert.deepEqual((await move({})).body, { moved: 2 });
      assert.deepEqual(await meta(alice, 'x.canvas'), after);
      assert.equal(
        await read(alice, 'x.canvas'),
        canvasOf({ files: ['f/a.md', 'f/b.md'], texts: ['[[a]] [[b]] [[b.md]]'] }),
      );
    });

    it('canvases that become equal share their bytes, and former bytes are released', async () => {
      const { alice, server } = await start();
      await using raw = await rawOf(server.db);
      await alice.write('a.md');
      await put(alice, 'x.canvas', { files: ['a.md'] });
      await put(alice, 'y.canvas', { files: ['b.md'] });
      await rename(alice, 'notes', 'a.md', 'b.md');
      assert.equal(await read(alice, 'x.canvas'), await read(alice, 'y.canvas'));
      await rename(alice, 'notes', 'b.md', 'c.md');
      for (const path of ['x.canvas', 'y.canvas']) assert.equal(await read(alice, path), canvasOf({ files: ['c.md'] }));
      await rename(alice, 'notes', 'c.md', 'd.md', { dry_run: true });
      const states = await raw.all(
        'select state from attachment_blobs where vault_id = $1 order by state',
        alice.vault,
      );
      assert.deepEqual(
        states.map(({ state }) => state),
        ['committed', ...Array(4).fill('deleting')],
      );
    });
  });

  it('files that are no canvas, and canvases that are no UTF-8 or no JSON, stay as they are', async () => {
    const { alice } = await start();
    await alice.write('a.md');
    const text = canvasOf({ files: ['a.md'], texts: ['[[a]]'] });
    const stored = new Map([
      ['x.json', Buffer.from(text)],
      ['cut.canvas', Buffer.from(text.slice(0, -1))],
      ['latin.canvas', Buffer.from(text.replace('[[a]]', '\u00e9 [[a]]'), 'latin1')],
      ['empty.canvas', Buffer.from('')],
    ]);
    for (const [path, bytes] of stored) assert.equal((await uploadRaw(alice.caller, path, bytes)).status, 200, path);
    await rename(alice, 'notes', 'a.md', 'b.md');
    for (const [path, bytes] of stored) assert.ok((await readRaw(alice.caller, path)).bytes.equals(bytes), path);
  });

  it('a canvas from the trash follows renames again, and one in the trash stays', async () => {
    const { alice } = await start();
    await alice.write('a.md');
    await put(alice, 'x.canvas', { files: ['a.md'] });
    await alice.caller.delete(fileUrl('x.canvas'));
    await rename(alice, 'notes', 'a.md', 'b.md');
    const [item] = (await alice.caller.get('/trash')).body.items;
    assert.equal((await alice.caller.post(`/trash/${item.id}/restore`, {})).status, 200);
    assert.equal(await read(alice, 'x.canvas'), canvasOf({ files: ['a.md'] }));
    await rename(alice, 'notes', 'b.md', 'a.md');
    await rename(alice, 'notes', 'a.md', 'c.md');
    assert.equal(await read(alice, 'x.canvas'), canvasOf({ files: ['c.md'] }));
  });

  it('a canvas is no backlink and no node of the graph', async () => {
    const { alice } = await start();
    const { id } = await alice.write('a.md');
    await put(alice, 'x.canvas', { files: ['a.md'], texts: ['[[a]]'] });
    assert.deepEqual((await alice.caller.get(`/notes/by-id/${id}/backlinks`)).body, { backlinks: [] });
  });

  it('a rename that is refused after canvases were rewritten leaves no bytes behind', async () => {
    const { alice, server } = await start();
    await using raw = await rawOf(server.db);
    const blobs = () => raw.all('select id, state from attachment_blobs where vault_id = $1', alice.vault);
    for (const path of ['a.md', 'b.md']) await alice.write(path);
    await put(alice, 'x.canvas', { files: ['a.md'] });
    const [before, stored] = [await meta(alice, 'x.canvas'), await blobs()];
    assert.equal((await rename(alice, 'notes', 'a.md', 'b.md')).status, 409);
    assert.deepEqual([await meta(alice, 'x.canvas'), await blobs()], [before, stored]);
  });

  it('a long canvas is rewritten on a worker thread', async () => {
    const { alice } = await start();
    await alice.write('a.md');
    const texts = ['x '.repeat(100_000), `${'y '.repeat(20_000)}[[a]]`, ...Array(500).fill('[[a|b]]')];
    await put(alice, 'x.canvas', { files: ['a.md'], texts });
    await rename(alice, 'notes', 'a.md', 'b.md');
    const moved = texts.map((text) => text.replace('[[a', '[[b'));
    assert.equal(await read(alice, 'x.canvas'), canvasOf({ files: ['b.md'], texts: moved }));
  });

  it('a canvas that would grow over a plan limit stays and is named; one that shrinks is rewritten', async () => {
    const { alice, server } = await start();
    const { setPlan } = server.app.accounts;
    await setPlan(server.alice.email, 'tight');
    await alice.write('a.md');
    const links = { files: ['a.md'], texts: ['[[a]] [[a]]'] };
    await put(alice, 'x.canvas', `${canvasOf(links)}${' '.repeat(1000 - canvasOf(links).length)}`);
    const before = await read(alice, 'x.canvas');
    const left = [{ path: 'x.canvas', count: 3 }];
    const dry = await rename(alice, 'notes', 'a.md', 'long.md', { dry_run: true });
    const { status, body } = await rename(alice, 'notes', 'a.md', 'long.md');
    assert.deepEqual([status, body.links_left, dry.body.links_left], [200, left, left]);
    assert.equal(await read(alice, 'x.canvas'), before);
    await put(alice, 'y.canvas', { files: ['long.md'] });
    const shorter = await rename(alice, 'notes', 'long.md', 'b.md');
    assert.deepEqual([shorter.status, shorter.body.links_left], [200, undefined]);
    assert.equal(await read(alice, 'y.canvas'), canvasOf({ files: ['b.md'] }));
    await put(alice, 'z.canvas', { files: ['b.md'], texts: ['z'.repeat(1000 - 350)] });
    await setPlan(server.alice.email, 'full');
    const full = await rename(alice, 'notes', 'b.md', 'longer.md');
    assert.deepEqual([full.status, full.body.links_left.length], [200, 2]);
    await setPlan(server.alice.email, 'self_hosted');
  });

  it('links and canvases that an older version stored follow renames once they were read again', async () => {
    const { alice, server } = await start();
    await using raw = await rawOf(server.db);
    const { id } = await alice.write('n.md', '<img src="p.png"> [[n2]]');
    await alice.write('n2.md');
    await uploadRaw(alice.caller, 'p.png', fileOf('png'));
    await put(alice, 'x.canvas', { files: ['p.png'], texts: ['[[n2]]'] });
    const forget = async () => {
      await raw.run('delete from links where source_id = $1', id);
      await raw.run('delete from link_texts where source_id = $1', id);
      await raw.run('delete from canvas_names where vault_id = $1', alice.vault);
      await raw.run('update vault_feeds set links_version = 0 where vault_id = $1', alice.vault);
    };
    await forget();
    await rename(alice, 'attachments', 'p.png', 'q.png');
    assert.equal((await alice.read('n.md')).body.content, '<img src="q.png"> [[n2]]');
    assert.equal(await read(alice, 'x.canvas'), canvasOf({ files: ['q.png'], texts: ['[[n2]]'] }));
    await forget();
    assert.deepEqual(await alice.edges('n.md'), []);
    await server.app.links.catchUp(new AbortController().signal);
    assert.deepEqual(await alice.backlinks('n2.md'), ['n.md']);
    await rename(alice, 'notes', 'n2.md', 'n3.md');
    assert.equal((await alice.read('n.md')).body.content, '<img src="q.png"> [[n3]]');
    assert.equal(await read(alice, 'x.canvas'), canvasOf({ files: ['q.png'], texts: ['[[n3]]'] }));
  });

  it('a canvas that is replaced during a rename has its new bytes or the new name, and none is lost', async () => {
    const { alice } = await start();
    await alice.write('n0.md');
    await put(alice, 'x.canvas', { files: ['n0.md'], texts: ['0'] });
    for (let round = 0; round < 5; round++) {
      const [file, next] = [`n${round}.md`, `n${round + 1}.md`];
      const [written, renamed] = await Promise.all([
        put(alice, 'x.canvas', { files: [file], texts: [`${round}`] }),
        rename(alice, 'notes', file, next),
      ]);
      assert.ok(written !== undefined && renamed.status === 200);
      const now = await read(alice, 'x.canvas');
      // Written after the rename, it has the name that its writer knew.
      const names = [file, next].map((name) => canvasOf({ files: [name], texts: [`${round}`] }));
      assert.ok(names.includes(now), now);
      await put(alice, 'x.canvas', { files: [next], texts: [`${round}`] });
    }
  });
});
