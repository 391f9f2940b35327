import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import { type Json, notesOnOneServer, type Writer } from '../../../../../test/kit/notes.ts';

async function query(who: Writer, body: Record<string, unknown>): Promise<Json> {
  const answer = await who.caller.post('/vault/query', body);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body;
}

const pathsOf = ({ rows }: Json) => rows.map(({ path }: Json) => path);

const yaml = (fields: string) => `---\n${fields}\n---\n`;

onEachEngine('queries over properties', (open) => {
  const start = notesOnOneServer(open);

  test('POST /vault/query returns a table of the notes that match, with their values as written', async () => {
    const { alice } = await start();
    const plan = await alice.write('Work/Plan.md', yaml('Status: open\ndue: 2026-03-01\npeople: [Ann, Bo]\nrank: 2'));
    await alice.write('Work/Done.md', yaml('status: done\nrank: 1'));
    await alice.write('Home.md', yaml('status: Open\nrank: high'));
    const where = [{ property: 'status', op: 'is', value: 'OPEN' }];
    const columns = ['Status', 'due', 'people', 'rank', 'file.folder'];
    assert.deepEqual(await query(alice, { where, folder: 'work', columns }), {
      columns,
      rows: [{ id: plan.id, path: 'Work/Plan.md', values: ['open', '2026-03-01', ['Ann', 'Bo'], 2, 'Work'] }],
      total: 1,
      next_cursor: null,
    });
    const sorted = await query(alice, { sort: [{ by: 'rank', dir: 'desc' }] });
    assert.deepEqual(
      [pathsOf(sorted), sorted.columns, sorted.rows[0].values],
      [['Work/Plan.md', 'Work/Done.md', 'Home.md'], ['rank'], [2]],
    );
  });

  test('POST /vault/query sees every write as soon as it is answered, also renames and deletions', async () => {
    const { alice } = await start();
    const where = [{ property: 'n', op: 'exists' }];
    for (let at = 0; at < 5; at++) {
      await alice.write(`n${at}.md`, yaml(`n: ${at}`));
      assert.equal((await query(alice, { where })).total, at + 1);
    }
    await alice.write('n0.md', yaml('n: 70'));
    assert.deepEqual((await query(alice, { where, columns: ['n'] })).rows[0].values, [70]);
    await alice.caller.post('/notes/rename', { old_path: 'n0.md', new_path: 'moved/m.md' });
    assert.deepEqual(pathsOf(await query(alice, { where, folder: 'moved' })), ['moved/m.md']);
    await alice.remove('moved/m.md');
    assert.equal((await query(alice, { where })).total, 4);
  });

  test('POST /vault/query knows links and backlinks as they resolve now, and the times and sizes of files', async () => {
    const { alice } = await start();
    await alice.write('a.md', '[[b]] and [[later]]', { mtime: 1_000_000_000 });
    await alice.write('b.md', '[[a]]');
    const columns = ['file.links', 'file.backlinks', 'file.size', 'file.modified'];
    const before = await query(alice, { columns });
    assert.deepEqual(before.rows[0].values, [['b.md'], ['b.md'], 19, '2001-09-09T01:46:40.000Z']);
    await alice.write('later.md', 'x');
    const by = { property: 'file.links', op: 'is', value: 'later' };
    assert.deepEqual(pathsOf(await query(alice, { where: [by] })), ['a.md']);
    const orphans = [{ property: 'file.backlinks', op: 'missing' }];
    assert.deepEqual(pathsOf(await query(alice, { where: orphans })), []);
    const most = await query(alice, { sort: [{ by: 'file.links', dir: 'desc' }] });
    assert.deepEqual(pathsOf(most), ['a.md', 'b.md', 'later.md']);
    const made = [{ property: 'file.created', op: 'lt', value: '2000-01-01' }];
    assert.equal((await query(alice, { where: made })).total, 0);
  });

  test('POST /vault/query returns pages of up to 500 rows; a cursor holds for one query, vault and account', async () => {
    await using notes = await start();
    const { alice } = notes;
    const bob = await notes.bob();
    const many = Array.from({ length: 60 }, (_, at) => ({
      path: `n${at}.md`,
      content: yaml(`k: ${at % 7}`),
      mtime: 1,
    }));
    await alice.caller.post('/notes/batch', { notes: many }, { 'x-idempotency-key': `many-${alice.vault}` });
    const asked = { sort: [{ by: 'k', dir: 'desc' }] };
    const first = await query(alice, asked);
    assert.deepEqual([first.rows.length, first.total], [50, 60]);
    const rest = await query(alice, { ...asked, limit: 7, cursor: first.next_cursor });
    const last = await query(alice, { ...asked, cursor: rest.next_cursor });
    assert.deepEqual([rest.rows.length, last.rows.length, last.next_cursor], [7, 3, null]);
    const seen = new Set([first, rest, last].flatMap(pathsOf));
    assert.equal(seen.size, 60);
    assert.equal((await query(alice, { limit: 9999 })).rows.length, 60);
    assert.equal((await query(alice, { limit: 0 })).rows.length, 1);
    const refused = async (who: Writer, body: Record<string, unknown>, headers = {}) => {
      const answer = await who.caller.post('/vault/query', body, headers);
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_cursor']);
    };
    await refused(alice, { cursor: first.next_cursor });
    await refused(alice, { ...asked, cursor: `${first.next_cursor}=` });
    await refused(bob, { ...asked, cursor: first.next_cursor });
  });

  test('POST /vault/query refuses unknown operators, bad dates, columns of files and zones, by field', async () => {
    const { alice } = await start();
    const refused = async (body: Record<string, unknown>) => {
      const answer = await alice.caller.post('/vault/query', body);
      assert.equal(answer.status, 422, JSON.stringify(answer.body));
      return Object.keys(answer.body.errors).join(' ');
    };
    const where = (property: string, op: string, value?: unknown) => ({ where: [{ property, op, value }] });
    assert.equal(await refused(where('a', 'like', 'x')), 'where');
    assert.equal(await refused(where('a', 'is')), 'where');
    assert.equal(await refused(where('a', 'is', ['x'])), 'where');
    assert.equal(await refused(where('a', 'lt', '2026-02-30')), 'where');
    assert.equal(await refused(where('file.created', 'lt', 'yesterday')), 'where');
    assert.equal(await refused(where('file.sise', 'lt', 5)), 'where');
    assert.equal(await refused({ sort: [{ by: 'a', dir: 'up' }] }), 'sort');
    assert.equal(await refused({ columns: ['file.nothing'] }), 'columns');
    assert.equal(await refused({ match: 'most' }), 'match');
    assert.equal(await refused({ tz: 'Mars/Olympus' }), 'tz');
    assert.equal(await refused({ folder: '../up' }), 'folder');
    assert.ok((await refused({ limit: 'many' })).includes('limit'));
  });

  test('POST /vault/query keeps its columns with the stored index', async () => {
    const { alice, server } = await start();
    const many = Array.from({ length: 100 }, (_, at) => ({ path: `n${at}.md`, content: yaml(`k: ${at}`), mtime: 1 }));
    for (const part of ['a', 'b', 'c']) {
      const renamed = many.map((note) => ({ ...note, path: `${part}/${note.path}` }));
      await alice.caller.post('/notes/batch', { notes: renamed }, { 'x-idempotency-key': `${part}-${alice.vault}` });
    }
    const asked = { where: [{ property: 'k', op: 'lt', value: 2 }], columns: ['k'] };
    const before = await query(alice, asked);
    await server.app.search.idle();
    await server.app.search.stopWorker();
    assert.deepEqual(await query(alice, asked), before);
    assert.equal(before.total, 6);
  });
});
