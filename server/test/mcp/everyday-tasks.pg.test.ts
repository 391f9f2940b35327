/** Tasks that a person gives an assistant, each with the calls that it should take. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assistant } from '../kit/clients/mcp.ts';
import { onEachEngine } from '../kit/engines.ts';
import { startServer, type TestServerOptions } from '../kit/server.ts';
import { until } from '../kit/until.ts';
import { doTasks, writeTaskNotes } from './everyday-tasks.ts';

const INDEX_MS = 240_000;

async function start(options: TestServerOptions) {
  const server = await startServer(options);
  const vault = (await server.alice.post('/vaults', { name: 'Home' })).body.vault.id;
  const key = (await server.alice.post('/api-keys', { name: 'k', default_access: 'write' })).body.key;
  const assistant = await Assistant.connect(server, key);
  const write = async (path: string, content: string) =>
    (await server.alice.post('/notes', { path, content, mtime: 1 })).body.note;
  const read = async (path: string) => (await server.alice.get(`/notes/${encodeURIComponent(path)}`)).body;
  const isIndexed = async () => (await server.alice.post('/search', { query: 'x', mode: 'keyword' })).status === 200;
  /** On a busy machine, making the index takes longer than a search may. */
  const indexed = () => until(isIndexed, 'the index', INDEX_MS);
  return {
    ...{ server, vault, assistant, write, read, indexed },
    async [Symbol.asyncDispose]() {
      await assistant.client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

onEachEngine('everyday tasks of an assistant', (open) => {
  test('twelve tasks take at most two calls each, three to merge notes or move a section', async () => {
    await using home = await start({ open, config: { mcpWritesPerMinute: 0 } });
    await writeTaskNotes(home.server.alice);
    await home.indexed();
    const { key } = (await home.server.alice.post('/api-keys', { name: 'tasks' })).body;
    const costs = await doTasks(() => Assistant.connect(home.server, key), home.server.clock.now());
    assert.equal(costs.length, 12);
    for (const { task, tokens } of costs) assert.ok(tokens < 2_500, `${task}: ${tokens} tokens`);
  });

  test('open tasks are listed in one call and ticked by their line and text', async () => {
    await using home = await start({ open });
    await home.write('plan.md', '# Plan\n- [ ] call 📅 2026-12-01\n- [x] sleep\n');
    const { data, text } = await home.assistant.call('list_tasks');
    assert.deepEqual(data.tasks.length, 1);
    assert.match(text, /plan\.md:2 {2}\[ \] call/);
    const task = { path: 'plan.md', line: 2, text: data.tasks[0].text, state: 'done' };
    assert.equal((await home.assistant.call('set_task', task)).isError, false);
    assert.match((await home.read('plan.md')).content, /- \[x\] call/);
    const moved = await home.assistant.call('set_task', { ...task, line: 1 });
    assert.deepEqual([moved.isError, /nothing was changed/.test(moved.text)], [true, true]);
    assert.equal((await home.assistant.call('list_tasks', { state: 'all' })).data.tasks.length, 2);
  });

  test('links that lead nowhere are listed with their place and similar notes', async () => {
    await using home = await start({ open });
    await home.write('Garden plan.md', 'x');
    await home.write('a.md', 'one\n[[Garden plans]] and [[Garden plan]]\n');
    const { data, text } = await home.assistant.call('list_links', { dangling: true });
    assert.deepEqual(
      data.links.map(({ path, line, target }: Record<string, unknown>) => [path, line, target]),
      [['a.md', 2, 'Garden plans']],
    );
    assert.match(text, /similar: .*Garden plan\.md/);
    assert.equal((await home.assistant.call('list_links', { path: 'a.md' })).data.links.length, 2);
    assert.equal((await home.assistant.call('list_links', {})).isError, true);
  });

  test('a deleted note is found in the trash by its path, named where it is missed, and restored by path', async () => {
    await using home = await start({ open });
    const { id } = await home.write('f/diary.md', 'text');
    await home.server.alice.delete(`/notes/by-id/${id}`);
    assert.match(
      (await home.assistant.call('get_notes', { paths: ['f/diary'] })).text,
      new RegExp(`trash[\\s\\S]*${id}`),
    );
    const listed = await home.assistant.call('list_trash', { path: 'F/Diary.md' });
    assert.deepEqual(
      listed.data.items.map((item: { id: string }) => item.id),
      [id],
    );
    assert.equal((await home.assistant.call('restore_note', { path: 'f/diary' })).data.id, id);
    assert.equal((await home.read('f/diary.md')).content, 'text');
    assert.match((await home.assistant.call('restore_note', { path: 'f/diary.md' })).text, /nothing was done/);
  });

  test('tag_notes tags a folder in one call, keeps other tags, and removes tags again', async () => {
    await using home = await start({ open });
    await home.write('f/a.md', 'no frontmatter\n');
    await home.write('f/b.md', '---\nTags: [Old, other]\nk: 1\n---\ntext\n');
    await home.write('f/c.md', '---\ntags: new\n---\ntext\n');
    await home.write('f/d.md', '---\nunclosed\n');
    const dry = await home.assistant.call('tag_notes', { folder: 'f', add: ['#new'], dry_run: true });
    assert.deepEqual(
      dry.data.changed.map(({ path }: { path: string }) => path),
      ['f/a.md', 'f/b.md'],
    );
    assert.equal((await home.read('f/a.md')).content, 'no frontmatter\n');
    const { data } = await home.assistant.call('tag_notes', { folder: 'f', add: ['#new'], remove: ['old'] });
    assert.deepEqual([data.changed.length, data.unchanged], [2, 1]);
    assert.deepEqual(
      data.left.map(({ name }: { name: string }) => name),
      ['f/d.md'],
    );
    assert.equal((await home.read('f/a.md')).content, '---\ntags:\n  - new\n---\nno frontmatter\n');
    assert.equal((await home.read('f/b.md')).content, '---\nTags:\n  - other\n  - new\nk: 1\n---\ntext\n');
  });

  test('set_property replaces only a value that was read, and names the notes it leaves', async () => {
    await using home = await start({ open });
    await home.write('a.md', '---\nstatus: open\n---\n');
    await home.write('b.md', '---\nstatus: done\n---\n');
    await home.write('c.md', 'text');
    const paths = ['a.md', 'b.md', 'c.md', 'no.md'];
    const set = { paths, key: 'status', value: 'closed', expected: 'open' };
    const { data, text } = await home.assistant.call('set_property', set);
    assert.deepEqual(
      data.changed.map(({ path }: { path: string }) => path),
      ['a.md', 'c.md'],
    );
    assert.deepEqual(data.missing, ['no.md']);
    assert.match(text, /b\.md: has another value: "done"/);
    assert.match((await home.read('b.md')).content, /status: done/);
    assert.equal((await home.assistant.call('set_property', { paths, key: 'status' })).isError, true);
  });

  test('a note that the server refuses is named, and the answer still says which notes changed', async () => {
    await using home = await start({ open });
    await home.write('a.md', 'short');
    await home.write('large.md', 'x'.repeat(10 * 1024 * 1024 - 10));
    const call = (paths: string[]) => home.assistant.call('tag_notes', { paths, add: ['new'] });
    const { isError, data } = await call(['a.md', 'large.md']);
    assert.equal(isError, false);
    assert.deepEqual(
      data.changed.map(({ path }: { path: string }) => path),
      ['a.md'],
    );
    assert.deepEqual(
      data.left.map(({ name }: { name: string }) => name),
      ['large.md'],
    );
    assert.match((await call(['large.md'])).text, /Nothing was done/);
  });

  test('a property that has the value already keeps its style', async () => {
    await using home = await start({ open });
    const content = '---\nk: [1, "b"]\n---\n';
    await home.write('a.md', content);
    const { data } = await home.assistant.call('set_property', { paths: ['a.md'], key: 'k', value: [1, 'b'] });
    assert.deepEqual([data.unchanged, (await home.read('a.md')).content], [1, content]);
  });

  test('tools that change many notes count each note in the budget of writes', async () => {
    await using home = await start({ open, config: { mcpWritesPerMinute: 4 } });
    for (const name of ['a', 'b', 'c']) await home.write(`${name}.md`, 'x');
    const tag = (paths: string[], tag: string) => home.assistant.call('tag_notes', { paths, add: [tag] });
    assert.equal((await tag(['a.md', 'b.md', 'c.md'], 'one')).isError, false);
    assert.match((await tag(['a.md', 'b.md'], 'two')).text, /Too many writes/);
    assert.equal((await tag(['a.md'], 'three')).isError, false);
  });

  test('tools that change many notes take at most 100, also those of a folder', async () => {
    await using home = await start({ open });
    const notes = Array.from({ length: 101 }, (_, at) => ({ path: `f/${at}.md`, content: 'x', mtime: 1 }));
    for (const [at, part] of [notes.slice(1), notes.slice(0, 1)].entries())
      await home.server.alice.post('/notes/batch', { notes: part }, { 'x-idempotency-key': `${at}` });
    const paths = notes.map(({ path }) => path);
    const tagged = (which: object) => home.assistant.call('tag_notes', { ...which, add: ['new'], dry_run: true });
    for (const which of [{ paths }, { folder: 'f' }]) assert.match((await tagged(which)).text, /100/);
    assert.equal((await home.read('f/0.md')).content, 'x');
  });

  test('tools that change many notes edit again what somebody else writes meanwhile', async () => {
    await using home = await start({ open });
    await home.write('a.md', 'text\n');
    const typing = async () => {
      for (let line = 1; line <= 20; line++) {
        const { content, content_hash: base_hash } = await home.read('a.md');
        const { status } = await home.server.alice.post('/notes', {
          ...{ path: 'a.md', content: `${content}line ${line}\n`, base_hash, mtime: 1 },
        });
        if (status === 409) line--;
      }
    };
    const tagging = async () => {
      for (let tag = 1; tag <= 20; tag++) await home.assistant.call('tag_notes', { paths: ['a.md'], add: [`t${tag}`] });
    };
    await Promise.all([typing(), tagging()]);
    const { content } = await home.read('a.md');
    for (let index = 1; index <= 20; index++) assert.match(content, new RegExp(`\\nline ${index}\\n`));
  });

  test('search_notes finds what was changed after a time', async () => {
    await using home = await start({ open });
    await home.write('old.md', 'soil');
    home.server.clock.advance({ minutes: 1 });
    const changed_after = new Date(home.server.clock.now()).toISOString();
    home.server.clock.advance({ minutes: 1 });
    await home.write('new.md', 'soil');
    await home.indexed();
    const { data } = await home.assistant.call('search_notes', { query: 'soil', mode: 'keyword', changed_after });
    assert.deepEqual(
      data.results.map(({ path }: { path: string }) => path),
      ['new.md'],
    );
  });

  test('the hash of a note stands after its path in an answer of several notes', async () => {
    await using home = await start({ open });
    const hashes = [];
    for (const path of ['a.md', 'b.md']) hashes.push((await home.write(path, path)).content_hash);
    const { text } = await home.assistant.call('get_notes', { paths: ['a.md', 'b.md'] });
    const places = ['\na.md\n', hashes[0], '\nb.md\n', hashes[1]].map((part) => text.indexOf(part));
    assert.ok(!places.includes(-1), text);
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
      text,
    );
  });

  test('a list sent as JSON text is a list for a key that holds one, and refused for another', async () => {
    await using home = await start({ open });
    const { content_hash: base_hash } = await home.write('a.md', '---\ntags: [x]\nk: v\n---\n');
    const edit = (key: string) =>
      home.assistant.call('edit_note', {
        ...{ path: 'a.md', base_hash, dry_run: true },
        edits: [{ op: 'set_property', key, value: '["y", "z"]' }],
      });
    assert.match((await edit('tags')).text, /\+ {2}- y/);
    assert.match((await edit('k')).text, /list as JSON text/);
  });

  test('a heading of an absent note is made with it', async () => {
    await using home = await start({ open });
    const added = { path: 'new', heading: 'Plan > Week 1', text: '- item', create: true };
    assert.equal((await home.assistant.call('append_to_note', added)).isError, false);
    assert.equal((await home.read('new.md')).content, '# Plan\n\n## Week 1\n\n- item\n');
    await home.assistant.call('append_to_note', { ...added, text: '- more' });
    assert.match((await home.read('new.md')).content, /- item\n- more\n/);
  });

  test('list_vaults names the vaults with advice for assistants, which resources list first', async () => {
    await using home = await start({ open });
    assert.doesNotMatch((await home.assistant.call('list_vaults')).text, /AGENTS/);
    await home.write('AGENTS.md', 'Write in German.');
    await home.write('b.md', 'x');
    const { text, data } = await home.assistant.call('list_vaults');
    assert.match(text, new RegExp(`AGENTS\\.md first; these vaults have one: ${home.vault}`));
    assert.doesNotMatch(text, /German/);
    assert.equal(data.vaults[0].agents_md, true);
    const { resources } = await home.assistant.client.listResources();
    assert.equal(resources[0]?.name, 'AGENTS.md');
    assert.doesNotMatch(home.assistant.client.getInstructions() ?? '', /German/);
  });
});
