/** The calls that the answers of writing tools name: they undo exactly the write; and the item that contains it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writerNames } from '@notevault/mcp/all-tools.ts';
import { Assistant, type ToolResult } from '../kit/clients/mcp.ts';
import { onEachEngine } from '../kit/engines.ts';
import type { Json } from '../kit/notes.ts';
import type { Caller } from '../kit/person.ts';
import { oneServer } from '../kit/server.ts';
import { startShared } from '../kit/shared-vault.ts';

interface Call {
  readonly tool: string;
  readonly arguments: Record<string, unknown>;
}

type Input = Record<string, unknown>;

/** One call of every tool that can be undone, for notes `a.md`, `f/b.md` and `g/c.md`; some need more than one. */
const writes: readonly (readonly [tool: string, input: (idOf: (path: string) => string) => Input, calls?: number])[] = [
  ['create_note', () => ({ path: 'new.md', content: 'new\n' })],
  ['append_to_note', () => ({ path: 'made.md', create: true, text: 'made' })],
  ['append_to_note', () => ({ path: 'a.md', text: 'more' })],
  ['edit_note', () => ({ path: 'a.md', edits: [{ op: 'replace_text', old_text: 'one', new_text: 'two' }] })],
  ['set_property', () => ({ paths: ['a.md', 'f/b.md'], key: 'k', value: 1 }), 2],
  ['tag_notes', () => ({ paths: ['a.md'], add: ['t'] })],
  ['set_task', (idOf) => ({ id: idOf('f/b.md'), line: 1, text: 'task', state: 'done' })],
  ['rename_note', () => ({ path: 'a.md', new_path: 'f/z.md' })],
  ['move_notes', (idOf) => ({ paths: ['f/b.md'], ids: [idOf('g/c.md')], folder: '' }), 2],
  ['move_notes', () => ({ paths: ['a.md', 'f/b.md'], folder: 'f' })],
  ['delete_note', () => ({ path: 'f/b.md' })],
  ['rename_folder', () => ({ path: 'f', new_path: 'h/i' })],
  ['restore_note', (idOf) => ({ id: idOf('a.md'), version: 1 })],
];

onEachEngine('undoing what an assistant did', (open) => {
  const start = oneServer(() => ({ open, config: { mcpWritesPerMinute: 0 } }));
  async function world() {
    const shared = await startShared(await start());
    const { alice, bob, vault, headers, server } = shared;
    await shared.join(bob, 'editor');
    const put = (caller: Caller, path: string, content: string) =>
      caller.post('/notes', { path, content, mtime: 1 }, headers);
    await put(alice, 'f/b.md', '- [ ] task\n[[a]]\n');
    await put(alice, 'g/c.md', 'three [[b]]\n');
    await put(alice, 'a.md', 'one\n\n[[b]] [[c]]\n');
    const of = async (caller: Caller, name: string) => {
      const made = await caller.post('/api-keys', { name, vault_access: { [vault]: 'write' } });
      return Assistant.connect(server, made.body.key);
    };
    const notes = async (): Promise<Json[]> => (await alice.get('/sync/changes?fields=all', headers)).body.changes;
    const read = async (path: string): Promise<string> =>
      (await alice.get(`/notes/${encodeURIComponent(path)}`, headers)).body.content;
    return { ...shared, put, of, notes, read };
  }

  async function stateOf({ alice, headers }: Awaited<ReturnType<typeof world>>) {
    const { notes } = (await alice.get('/vault/tree', headers)).body;
    const texts = notes.map(async ({ id, path }: Json) => {
      const { content } = (await alice.get(`/notes/by-id/${id}`, headers)).body;
      return [path, id, content] as const;
    });
    return ((await Promise.all(texts)) as (readonly [string, string, string])[]).sort();
  }

  test('the answer of each writing tool ends with the calls that undo exactly this write', async () => {
    const shared = await world();
    await using assistant = await shared.of(shared.alice, 'robot');
    const untried = new Set([...writerNames].filter((name) => !writes.some(([tool]) => tool === name)));
    assert.deepEqual(untried, new Set(['undo_change', 'create_folder', 'get_attachment_upload_target']));
    for (const [tool, inputOf, calls = 1] of writes) {
      const before = await stateOf(shared);
      const idOf = (path: string) => before.find(([at]) => at === path)?.[1] ?? '';
      const done = await assistant.call(tool, inputOf(idOf));
      assert.equal(done.isError, false, done.text);
      assert.notDeepEqual(await stateOf(shared), before, tool);
      const undo = done.data.undo as Call[];
      assert.equal(undo.length, calls, done.text);
      assert.match(done.text, /To undo exactly this[:,]/, tool);
      const [item] = (await shared.alice.get('/vault/activity', shared.headers)).body.items;
      assert.deepEqual([done.data.item, done.text.includes(item.id)], [item.id, true], tool);
      for (const call of undo) {
        const undone = await assistant.call(call.tool, call.arguments);
        assert.equal(undone.isError, false, `${tool}: ${undone.text}`);
      }
      assert.deepEqual(await stateOf(shared), before, tool);
    }
    const folder = await assistant.call('create_folder', { path: 'empty' });
    assert.match(folder.text, /No call undoes exactly this\.$/);
    const upload = await assistant.call('get_attachment_upload_target', { path: 'x.png' });
    assert.match(upload.text, /No call undoes an upload/);
  });

  test('such a call is refused once somebody else has written; undoing the item keeps what they wrote', async () => {
    const shared = await world();
    const { bob, put, read } = shared;
    await using assistant = await shared.of(shared.alice, 'robot');
    const edits = [{ op: 'replace_text', old_text: 'one', new_text: 'two' }];
    const { data } = await assistant.call('edit_note', { path: 'a.md', edits });
    await put(bob, 'a.md', 'two\n\n[[b]] [[c]]\nbob\n');
    const [exact] = data.undo as [Call];
    const refused = await assistant.call(exact.tool, exact.arguments);
    assert.deepEqual([refused.isError, /\+bob/.test(refused.text)], [true, true], refused.text);
    const dry = await assistant.call('undo_change', { item: data.item, dry_run: true });
    assert.match(dry.text, /Dry run: nothing was undone\. Would undo changes of 1 entry, 1 of them with later changes/);
    assert.match(await read('a.md'), /^two/);
    const undone = await assistant.call('undo_change', { item: data.item });
    assert.equal(await read('a.md'), 'one\n\n[[b]] [[c]]\nbob\n');
    await assistant.call('undo_change', { item: lastCall(undone).arguments.item });
    assert.equal(await read('a.md'), 'two\n\n[[b]] [[c]]\nbob\n');
  });

  test('recent changes say who did what, with deletions, renames, and differences word by word', async () => {
    const shared = await world();
    const { bob, put, server } = shared;
    await bob.patch('/me', { display_name: 'Bob' });
    await using assistant = await shared.of(shared.alice, 'robot');
    await assistant.call('rename_note', { path: 'a.md', new_path: 'z.md' });
    server.clock.advance({ minutes: 1 });
    const since = new Date(server.clock.now()).toISOString();
    server.clock.advance({ minutes: 1 });
    await put(bob, 'z.md', 'one and two\n\n[[b]] [[c]]\n');
    await assistant.call('delete_note', { path: 'g/c.md' });
    const all = await assistant.call('recent_changes');
    assert.match(
      all.text,
      /move, 1 change, links in 1 note follow by key "robot", says it is test assistant\n- move a\.md → z\.md/,
    );
    assert.match(all.text, /delete, 1 change by key "robot".*\n- delete g\/c\.md/);
    assert.match(all.text, /write, 1 change by session "Bob" \([0-9a-f-]{36}\)\n- edit z\.md\none\[\+ and two\+\]/);
    const late = await assistant.call('recent_changes', { since });
    assert.deepEqual(actionsOf(late), ['delete', 'write']);
    assert.deepEqual(actionsOf(await assistant.call('recent_changes', { action: 'delete' })), ['delete']);
    const ofBob = await assistant.call('recent_changes', { by: await shared.idOf(bob), path: 'z.md' });
    assert.deepEqual(actionsOf(ofBob), ['write']);
    const [item] = ofBob.data.items as Json[];
    await using other = await shared.of(bob, 'other robot');
    const [own] = (await other.call('recent_changes', { action: 'delete' })).data.items as Json[];
    const foreign = await other.call('undo_change', { item: own.id });
    assert.deepEqual([foreign.isError, /owner/.test(foreign.text)], [true, true], foreign.text);
    assert.equal((await other.call('undo_change', { item: item.id })).isError, false);
    const unknown = await assistant.call('undo_change', { item: '0190a000-0000-7000-8000-000000000000' });
    assert.match(unknown.text, /no such item; nothing was done/);
  });
});

function lastCall({ text }: ToolResult): Call {
  const [, tool = '', sent = '{}'] = /exactly this: (\w+) (.*)$/.exec(text) ?? [];
  return { tool, arguments: JSON.parse(sent) };
}

function actionsOf({ data }: ToolResult): string[] {
  return (data.items as Json[]).map(({ action }) => action);
}
