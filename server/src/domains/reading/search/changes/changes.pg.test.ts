import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, type Writer } from '../../../../../test/kit/notes.ts';

async function post(who: Writer, path: string, body: Record<string, unknown>, headers = {}): Promise<Json> {
  const answer = await who.caller.post(path, body, headers);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

/** A dry run, then the change. */
async function change(who: Writer, path: string, body: Record<string, unknown>): Promise<Json> {
  const { plan } = await post(who, path, { ...body, dry_run: true });
  return post(who, path, { ...body, plan });
}

const contentOf = async (who: Writer, path: string) => (await who.read(path)).body.content;

onEachEngine('changes of many notes', (open) => {
  const start = notesOnOneServer(open);

  test('POST /vault/tags/rename renames a tag with nested ones in texts and frontmatter, and not in code', async () => {
    const { alice } = await start();
    await alice.write('a.md', '---\ntags: [Work, other]\n---\n#work/plan `#work` #workshop');
    await alice.write('b.md', '#work twice #WORK');
    await alice.write('c.md', 'no tag: work');
    const asked = { from: '#work', to: 'job' };
    const dry = await post(alice, '/vault/tags/rename', { ...asked, dry_run: true });
    assert.deepEqual(
      [dry.changed, dry.notes.map(({ path, count }: Json) => [path, count])],
      [
        0,
        [
          ['a.md', 2],
          ['b.md', 2],
        ],
      ],
    );
    const { text, start: from, end } = dry.notes[1].excerpts[0];
    assert.equal(text.slice(from, end), 'work');
    assert.equal(await contentOf(alice, 'b.md'), '#work twice #WORK');
    const done = await post(alice, '/vault/tags/rename', { ...asked, plan: dry.plan });
    assert.deepEqual([done.changed, done.plan, done.notes], [2, dry.plan, dry.notes]);
    assert.equal(await contentOf(alice, 'a.md'), '---\ntags: [job, other]\n---\n#job/plan `#work` #workshop');
    assert.equal(await contentOf(alice, 'b.md'), '#job twice #job');
    const { tags } = (await alice.caller.get('/tags')).body;
    assert.deepEqual(
      tags.map(({ name }: Json) => name),
      ['job', 'job/plan', 'other', 'workshop'],
    );
    assert.equal((await change(alice, '/vault/tags/rename', asked)).changed, 0);
  });

  test('POST /vault/replace replaces a text in a folder, each note with a version of its own', async () => {
    const { alice } = await start();
    const { id } = await alice.write('In/a.md', '---\nx: Cat\n---\ncat `cat` concat [[Cat]]');
    await alice.write('In/b.md', 'none');
    await alice.write('Out.md', 'cat');
    const done = await change(alice, '/vault/replace', {
      text: 'cat',
      replacement: 'dog',
      whole_words: true,
      folder: 'in',
    });
    assert.deepEqual([done.changed, done.notes[0].count], [1, 4]);
    assert.equal(await contentOf(alice, 'In/a.md'), '---\nx: dog\n---\ndog `dog` concat [[dog]]');
    assert.equal(await contentOf(alice, 'Out.md'), 'cat');
    assert.deepEqual(await alice.edges('In/a.md'), ['dog → ?']);
    const { versions } = (await alice.caller.get(`/notes/by-id/${id}/versions`)).body;
    assert.deepEqual(
      versions.map(({ version, reason }: Json) => `${version} ${reason}`),
      ['2 batch', '1 create'],
    );
    assert.equal(
      (await change(alice, '/vault/replace', { text: 'CAT', replacement: 'x', match_case: true })).changed,
      0,
    );
  });

  test('POST /vault/replace writes nothing when what would change is not what the plan stands for', async () => {
    const { alice } = await start();
    await alice.write('a.md', 'one word');
    const asked = { text: 'word', replacement: 'term' };
    const { plan } = await post(alice, '/vault/replace', { ...asked, dry_run: true });
    const refused = async (body: Record<string, unknown>) => {
      const answer = await alice.caller.post('/vault/replace', { ...asked, plan, ...body });
      assert.deepEqual([answer.status, answer.body.error], [409, 'plan_changed']);
    };
    await refused({ replacement: 'other' });
    await refused({ match_case: true });
    await alice.write('b.md', 'another word');
    await refused({});
    await alice.remove('b.md');
    await alice.write('a.md', 'one word more');
    await refused({});
    assert.equal(await contentOf(alice, 'a.md'), 'one word more');
  });

  test('POST /vault/replace and /vault/tags/rename refuse what cannot be changed, by field', async () => {
    const { alice } = await start();
    const refused = async (path: string, body: Record<string, unknown>) => {
      const answer = await alice.caller.post(path, body);
      assert.equal(answer.status, 422, JSON.stringify(answer.body));
      return Object.keys(answer.body.errors).join(' ');
    };
    const dry = { dry_run: true };
    assert.equal(await refused('/vault/replace', { text: '', replacement: 'x', ...dry }), 'text');
    assert.equal(await refused('/vault/replace', { text: 'x'.repeat(1001), replacement: 'x', ...dry }), 'text');
    assert.equal(await refused('/vault/replace', { text: 'x', replacement: 'x' }), 'plan');
    assert.equal(await refused('/vault/replace', { text: 'x', replacement: 'x', folder: '../a', ...dry }), 'folder');
    assert.equal(await refused('/vault/tags/rename', { from: '#', to: 'x', ...dry }), 'from');
    for (const to of ['a b', '12', '', 'a//b']) {
      assert.equal(await refused('/vault/tags/rename', { from: 'x', to, ...dry }), 'to');
    }
    await alice.write('a.md', 'x'.repeat(2000));
    const grown = await alice.caller.post('/vault/replace', { text: 'x', replacement: 'y'.repeat(10_000), ...dry });
    assert.equal(grown.status, 413);
  });

  test('POST /vault/replace changes 150 notes beside writers of them, and loses no write', async () => {
    const { alice } = await start();
    const key = { 'x-idempotency-key': `made-${alice.vault}` };
    const made = Array.from({ length: 150 }, (_, at) => ({ path: `n${at}.md`, content: `word ${at}`, mtime: 1 }));
    await alice.caller.post('/notes/batch', { notes: made.slice(0, 100) }, key);
    for (const { path, content } of made.slice(100)) await alice.write(path, content);
    const asked = { text: 'word', replacement: 'term' };
    const { plan } = await post(alice, '/vault/replace', { ...asked, dry_run: true });
    const once = { 'x-idempotency-key': `change-${alice.vault}` };
    const changing = alice.caller.post('/vault/replace', { ...asked, plan }, once);
    const appended = made.map(({ path }) => alice.caller.post('/notes/append', { path, text: 'more' }));
    const [done] = await Promise.all([changing, ...appended]);
    // The appends may have come first: then nothing was changed, and a second try changes the rest.
    if (done.status === 200)
      assert.deepEqual((await alice.caller.post('/vault/replace', { ...asked, plan }, once)).body, done.body);
    else await change(alice, '/vault/replace', asked);
    for (const { path, content } of made) {
      assert.equal(await contentOf(alice, path), `${content.replace('word', 'term')}\nmore`);
    }
  });
});
