import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, type Writer } from '../../../../../test/kit/notes.ts';

async function list(who: Writer, parameters = ''): Promise<Json> {
  const answer = await who.caller.get(`/vault/tasks?${parameters}`);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

const textsOf = ({ tasks }: Json) => tasks.map(({ text }: Json) => text).join(' ');

onEachEngine('tasks', (open) => {
  const start = notesOnOneServer(open);

  test('GET /vault/tasks lists boxes by day, filtered by state, day, tag and folder', async () => {
    const { alice } = await start();
    const note = await alice.write('Work/a.md', '---\nx: 1\n---\n- [ ] pay 📅 2026-12-01 #home/tax\n- [x] old');
    await alice.write('b.md', '```\n- [ ] code\n```\n- [ ] call due:: 2026-11-30\n- [ ] idle');
    const all = await list(alice);
    assert.deepEqual(all.tasks[1], {
      note_id: note.id,
      path: 'Work/a.md',
      line: 4,
      text: 'pay 📅 2026-12-01 #home/tax',
      state: 'open',
      due: '2026-12-01',
      tags: ['home/tax'],
    });
    assert.deepEqual(
      [textsOf(all), all.next_cursor],
      ['call due:: 2026-11-30 pay 📅 2026-12-01 #home/tax old idle', null],
    );
    assert.equal(textsOf(await list(alice, 'state=done')), 'old');
    assert.equal(textsOf(await list(alice, 'due_before=2026-11-30')), 'call due:: 2026-11-30');
    assert.equal(textsOf(await list(alice, 'tag=%23Home')), 'pay 📅 2026-12-01 #home/tax');
    assert.equal(textsOf(await list(alice, 'folder=work&state=done')), 'old');
    await alice.write('b.md', '- [ ] new');
    assert.equal(textsOf(await list(alice, 'state=open')), 'pay 📅 2026-12-01 #home/tax new');
    for (const [parameters, field] of [
      ['state=all', 'state'],
      ['due_before=2026-02-30', 'due_before'],
      ['folder=..', 'folder'],
    ]) {
      const { status, body } = await alice.caller.get(`/vault/tasks?${parameters}`);
      assert.deepEqual([status, Object.keys(body.errors)], [422, [field]]);
    }
  });

  test('GET /vault/tasks returns pages by a cursor that holds for the same list of the same person', async () => {
    await using notes = await start();
    const { alice } = notes;
    const bob = await notes.bob();
    await alice.write('a.md', Array.from({ length: 230 }, (_, at) => `- [ ] t${at}`).join('\n'));
    const seen: string[] = [];
    let cursor = '';
    do {
      const page = await list(alice, cursor === '' ? '' : `cursor=${cursor}`);
      seen.push(...page.tasks.map(({ text }: Json) => text));
      cursor = page.next_cursor;
      if (cursor === null) break;
      for (const [who, more] of [
        [bob, ''],
        [alice, '&state=open'],
      ] as const) {
        const { status, body } = await who.caller.get(`/vault/tasks?cursor=${cursor}${more}`);
        assert.deepEqual([status, body.error], [400, 'invalid_cursor']);
      }
    } while (seen.length < 500);
    assert.deepEqual(
      seen,
      Array.from({ length: 230 }, (_, at) => `t${at}`),
    );
  });

  test('POST /vault/tasks/toggle writes a version with the other mark, and refuses a line that has changed', async () => {
    const { alice } = await start();
    const { id } = await alice.write('a.md', 'intro\r\n- [ ] one #x\r\n- [-] two');
    const toggle = (body: Record<string, unknown>, headers = {}) =>
      alice.caller.post('/vault/tasks/toggle', { note_id: id, ...body }, headers);
    const key = { 'x-idempotency-key': `toggle-${id}` };
    const ticked = await toggle({ line: 2, text: 'one #x' }, key);
    assert.equal(ticked.status, 200, JSON.stringify(ticked.body));
    const stored = (await alice.read('a.md')).body;
    assert.equal(stored.content, 'intro\r\n- [x] one #x\r\n- [-] two');
    assert.deepEqual(ticked.body, {
      task: { note_id: id, path: 'a.md', line: 2, text: 'one #x', state: 'done', due: null, tags: ['x'] },
      version: 2,
      content_hash: stored.content_hash,
    });
    assert.deepEqual((await toggle({ line: 2, text: 'one #x' }, key)).body, ticked.body);
    assert.equal((await toggle({ line: 2, text: 'one #x', state: 'done' })).body.version, 2);
    assert.equal((await toggle({ line: 3, text: 'two' })).body.task.state, 'open');
    for (const body of [
      { line: 1, text: 'intro' },
      { line: 2, text: 'one' },
      { line: 4, text: 'two' },
    ]) {
      const { status, body: answer } = await toggle(body);
      assert.deepEqual([status, answer.error], [409, 'text_changed']);
    }
    assert.equal((await toggle({ line: 2, text: 'one #x', state: 'gone' })).status, 422);
    assert.equal((await toggle({ line: 2, text: 'x', note_id: alice.vault })).status, 404);
    const { versions } = (await alice.caller.get(`/notes/by-id/${id}/versions`)).body;
    assert.deepEqual(
      versions.map(({ version }: Json) => version),
      [3, 2, 1],
    );
  });

  test('POST /vault/tasks/toggle loses none of many ticks at once, and none of a rename beside them', async () => {
    const { alice } = await start();
    const lines = Array.from({ length: 12 }, (_, at) => `- [ ] t${at}`);
    const { id } = await alice.write('a.md', lines.join('\n'));
    const ticks = lines.map((_, at) =>
      alice.caller.post('/vault/tasks/toggle', { note_id: id, line: at + 1, text: `t${at}` }),
    );
    const renamed = alice.caller.post('/notes/rename', { old_path: 'a.md', new_path: 'b.md' });
    for (const { status } of await Promise.all([...ticks, renamed])) assert.equal(status, 200);
    assert.equal((await alice.read('b.md')).body.content, lines.join('\n').replaceAll('[ ]', '[x]'));
  });
});
