import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, type Writer } from '../../../../../test/kit/notes.ts';

async function list(who: Writer, id: string, cursor: string | null = null): Promise<Json> {
  const query = cursor === null ? '' : `?cursor=${cursor}`;
  const { status, body } = await who.caller.get(`/notes/by-id/${id}/mentions${query}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

const link = (who: Writer, id: string, { note_id, start, text }: Json, headers = {}) =>
  who.caller.post(`/notes/by-id/${id}/mentions/link`, { note_id, start, text }, headers);

onEachEngine('mentions', (open) => {
  const start = notesOnOneServer(open);

  test('GET /notes/by-id/{id}/mentions lists where others have the title or an alias without a link', async () => {
    const { alice } = await start();
    const { id } = await alice.write('x/Plan.md', '---\naliases: [Big Idea, 計画]\n---\nthe plan itself');
    const a = await alice.write('a.md', '---\nx: plan\n---\n# Title\nOur PLAN, a [[Plan]] and `plan` planned.');
    await alice.write('b.md', 'big idea\n\n次の計画書 and https://x.org/plan');
    await alice.write('c.md', 'nothing');
    const { mentions, next_cursor: next } = await list(alice, id);
    assert.equal(next, null);
    assert.deepEqual(mentions[0], {
      ...{ note_id: a.id, path: 'a.md', title: 'Title', start: 28, text: 'PLAN' },
      ...{ context: 'Title Our PLAN, a Plan and plan planned.', context_mention: [10, 14] },
    });
    assert.deepEqual(
      mentions.map(({ path, text }: Json) => `${path} ${text}`),
      ['a.md PLAN', 'b.md big idea', 'b.md 計画'],
    );
    await alice.write('c.md', 'a plan at last');
    assert.equal((await list(alice, id)).mentions.length, 4);
    assert.equal((await alice.caller.get(`/notes/by-id/${alice.vault}/mentions`)).status, 404);
    assert.equal((await alice.caller.get('/notes/by-id/none/mentions')).status, 400);
  });

  test('GET /notes/by-id/{id}/mentions returns pages by a cursor that holds for the same note and person', async () => {
    const { alice } = await start();
    const { id } = await alice.write('Plan.md', 'x');
    const other = await alice.write('Other.md', 'y');
    const many = Array.from({ length: 100 }, (_, at) => ({ path: `n${at}.md`, content: 'a plan, one plan', mtime: 1 }));
    await alice.caller.post('/notes/batch', { notes: many }, { 'x-idempotency-key': `many-${alice.vault}` });
    const first = await list(alice, id);
    assert.ok(first.next_cursor !== null && first.mentions.length < 200);
    const refused = await alice.caller.get(`/notes/by-id/${other.id}/mentions?cursor=${first.next_cursor}`);
    assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_cursor']);
    const seen = first.mentions.map(({ path, start: at }: Json) => `${path} ${at}`);
    for (let cursor = first.next_cursor; cursor !== null; ) {
      const page = await list(alice, id, cursor);
      seen.push(...page.mentions.map(({ path, start: at }: Json) => `${path} ${at}`));
      cursor = page.next_cursor;
    }
    assert.deepEqual([seen.length, new Set(seen).size], [200, 200]);
  });

  test('POST /notes/by-id/{id}/mentions/link makes a link that leads to the note, and refuses other texts', async () => {
    const { alice } = await start();
    const { id } = await alice.write('x/Plan.md', 'x');
    await alice.write('a.md', 'Plan or plan\n\n| a |\n| - |\n| plan |');
    const [exact, lower, cell] = (await list(alice, id)).mentions;
    const done = await link(alice, id, cell, { 'x-idempotency-key': `link-${id}` });
    assert.equal(done.status, 200, JSON.stringify(done.body));
    assert.deepEqual([done.body.path, done.body.version], ['a.md', 2]);
    assert.equal((await link(alice, id, lower)).status, 200);
    assert.equal((await link(alice, id, exact)).status, 200);
    assert.equal(
      (await alice.read('a.md')).body.content,
      '[[Plan]] or [[Plan|plan]]\n\n| a |\n| - |\n| [[Plan\\|plan]] |',
    );
    assert.deepEqual(await alice.edges('a.md'), ['Plan → x/Plan.md', 'Plan → x/Plan.md', 'Plan → x/Plan.md']);
    for (const mention of [exact, { ...exact, start: 1 }, { ...exact, text: 'other' }]) {
      const { status, body } = await link(alice, id, mention);
      assert.deepEqual([status, body.error], [409, 'text_changed']);
    }
    assert.equal((await link(alice, id, { ...exact, note_id: alice.vault })).status, 404);
    assert.deepEqual((await list(alice, id)).mentions, []);
  });

  test('POST /notes/by-id/{id}/mentions/link names a note by its path where its name leads elsewhere', async () => {
    const { alice } = await start();
    await alice.write('y/Plan.md', 'near');
    const { id } = await alice.write('x/Plan.md', 'far');
    const source = await alice.write('y/a.md', 'a Plan');
    assert.equal((await link(alice, id, { note_id: source.id, start: 2, text: 'Plan' })).status, 200);
    assert.deepEqual(await alice.edges('y/a.md'), ['x/Plan → x/Plan.md']);
    const odd = await alice.write('z/C# notes.md', '# Odd');
    const other = await alice.write('y/b.md', 'so odd');
    assert.equal((await link(alice, odd.id, { note_id: other.id, start: 3, text: 'odd' })).status, 200);
    assert.equal((await alice.read('y/b.md')).body.content, 'so [odd](/z/C%23%20notes.md)');
    assert.deepEqual(await alice.backlinks('z/C# notes.md'), ['y/b.md']);
  });
});
