import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../test/kit/engines.ts';
import { oneServer } from '../../../../test/kit/server.ts';

/** More than one read, resolution or rewrite processes at once. */
const LINKS = 1100;
const links = (target: string) => `[[${target}]] `.repeat(LINKS).trim();

onEachEngine('notes with over a thousand links', (open) => {
  const start = oneServer(() => ({ open }));

  test('a rename rewrites over a thousand links and keeps their identities', async () => {
    const { alice } = await start();
    await alice.post('/vaults', { name: 'Notes' });
    const { id: hub } = (await alice.post('/notes', { path: 'hub.md', mtime: 1, content: '# Hub' })).body.note;
    for (const path of ['a.md', 'b.md'])
      await alice.post('/notes', { path, mtime: 1, content: `[[other]] ${links('hub')}` });
    const renamed = await alice.post('/notes/rename', { old_path: 'hub.md', new_path: 'in/new.md' });
    assert.equal(renamed.status, 200);
    for (const path of ['a.md', 'b.md']) {
      const { note } = { note: (await alice.get(`/notes/${path}`)).body };
      assert.deepEqual([note.content, note.version], [`[[other]] ${links('new')}`, 2]);
      const [other, ...rest] = note.links;
      assert.deepEqual([other.target_text, other.dangling], ['other', true]);
      assert.equal(rest.length, LINKS);
      for (const link of rest) assert.deepEqual([link.target_note_id, link.target_path], [hub, 'in/new.md']);
    }
    const back = await alice.post('/notes/rename', { old_path: 'in/new.md', new_path: 'hub.md' });
    assert.equal(back.status, 200);
    assert.equal((await alice.get('/notes/a.md')).body.content, `[[other]] ${links('hub')}`);
    assert.equal((await alice.get(`/notes/by-id/${hub}/backlinks`)).body.backlinks.length, 200);
  });

  test('a note of over a thousand links that is written again has its new links and no other', async () => {
    const { alice } = await start();
    await alice.post('/vaults', { name: 'Notes' });
    const named = (from: number, count: number) => Array.from({ length: count }, (_, at) => `[[n${from + at}]]`);
    for (const texts of [named(0, LINKS), named(LINKS - 10, 700), named(7, 3)]) {
      await alice.post('/notes', { path: 'a.md', mtime: 1, content: texts.join(' ') });
      const { links } = (await alice.get('/notes/a.md')).body;
      assert.deepEqual(
        links.map(({ target_text }: { target_text: string }) => `[[${target_text}]]`),
        texts,
      );
    }
  });

  test('over a thousand links resolve when their note is created, and dangle when it is deleted', async () => {
    const { alice } = await start();
    await alice.post('/vaults', { name: 'Notes' });
    for (const path of ['a.md', 'b.md']) await alice.post('/notes', { path, mtime: 1, content: links('missing') });
    const targets = async (path: string) => {
      const { body } = await alice.get(`/notes/${path}`);
      return [...new Set(body.links.map((link: { target_note_id: string | null }) => link.target_note_id))];
    };
    assert.deepEqual(await targets('a.md'), [null]);
    const { id } = (await alice.post('/notes', { path: 'missing.md', mtime: 1, content: 'here' })).body.note;
    for (const path of ['a.md', 'b.md']) assert.deepEqual(await targets(path), [id]);
    await alice.delete('/notes/missing.md');
    for (const path of ['a.md', 'b.md']) assert.deepEqual(await targets(path), [null]);
  });
});
