import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assistant } from '../kit/clients/mcp.ts';
import { onEachEngine } from '../kit/engines.ts';
import { startServer } from '../kit/server.ts';

onEachEngine('moves by assistants', (open) => {
  test('moves by assistants say in a dry run which paths change and what is in the way, and move nothing', async () => {
    await using server = await startServer({ open });
    await server.alice.post('/vaults', { name: 'Home' });
    const { key } = (await server.alice.post('/api-keys', { name: 'k' })).body;
    const rest = server.bearer(key);
    for (const [path, content] of [
      ['Plans/a.md', 'one'],
      ['Plans/b.md', '[[a]]'],
      ['Done/a.md', 'another'],
    ] as const)
      await rest.post('/notes', { path, content, mtime: 1 });
    await rest.post('/attachments', { path: 'Plans/bed.txt', content_base64: btoa('soil'), mtime: 1 });
    const tree = async () => JSON.stringify((await rest.get('/vault/tree')).body);
    const before = await tree();
    await using assistant = await Assistant.connect(server, key);
    const dry = (name: string, input: Record<string, unknown>) => assistant.call(name, { ...input, dry_run: true });

    const renamed = await dry('rename_note', { path: 'Plans/b.md', new_path: 'Done/b' });
    assert.deepEqual(
      [renamed.isError, renamed.data.moves[0].old_path, renamed.data.moves[0].new_path],
      [false, 'Plans/b.md', 'Done/b.md'],
    );
    assert.match(
      (await dry('rename_note', { path: 'Plans/a.md', new_path: 'x.md' })).text,
      /nothing was moved\. 1 note links/,
    );
    const spelled = await dry('rename_note', { path: 'Plans/a.md', new_path: 'plans/A.md' });
    assert.equal(spelled.isError, false, 'a note is not in the way of itself');
    const taken = await dry('rename_note', { path: 'Plans/a.md', new_path: 'done/A.md' });
    assert.deepEqual([taken.isError, /paths are taken/.test(taken.text)], [true, true]);

    const { id } = (await rest.get('/notes/Plans%2Fb.md')).body;
    const moved = await dry('move_notes', { paths: ['Plans/a.md'], ids: [id], folder: 'New' });
    assert.deepEqual(
      moved.data.moves.map((move: { new_path: string }) => move.new_path),
      ['New/a.md', 'New/b.md'],
    );
    const both = await dry('move_notes', { paths: ['Plans/a.md', 'Done/a.md'], folder: '' });
    assert.match(both.text, /paths are taken[\s\S]*a\.md/);

    const folder = await dry('rename_folder', { path: 'plans', new_path: 'Old/Plans' });
    assert.deepEqual([folder.isError, folder.data.notes, folder.data.attachments], [false, 2, 1]);
    for (const [path, new_path, reason] of [
      ['None', 'x', /no such folder/],
      ['Plans', 'done', /path is taken/],
      ['Plans', 'Done/a.md', /path is taken/],
      ['Plans', 'Plans/in', /into itself/],
    ] as const) {
      const refused = await dry('rename_folder', { path, new_path });
      assert.deepEqual([refused.isError, reason.test(refused.text)], [true, true], refused.text);
    }
    assert.equal(await tree(), before);
  });

  test('moves by assistants name the links that no longer lead there, in a dry run too', async () => {
    await using server = await startServer({ open });
    await server.alice.post('/vaults', { name: 'Home' });
    const { key } = (await server.alice.post('/api-keys', { name: 'k' })).body;
    const rest = server.bearer(key);
    await rest.post('/notes', { path: 'in/a.md', content: 'one', mtime: 1 });
    await rest.post('/notes', { path: 's.md', content: '---\nup: "[[a]]"\n---\n[[a]]', mtime: 1 });
    await using assistant = await Assistant.connect(server, key);
    const left = [{ path: 's.md', count: 1 }];
    const rename = { path: 'in/a.md', new_path: 'in/C#.md' };
    const dry = await assistant.call('rename_note', { ...rename, dry_run: true });
    assert.deepEqual(dry.data.links_left, left);
    assert.match(dry.text, /1 links would no longer lead there[\s\S]*s\.md \(1\)/);
    const renamed = await assistant.call('rename_note', rename);
    assert.deepEqual([renamed.data.links_left, renamed.data.linking_notes], [left, 1]);
    assert.match(renamed.text, /1 links no longer lead there[\s\S]*s\.md \(1\)/);
    const plain = await assistant.call('rename_note', { path: 'in/C#.md', new_path: 'in/b.md' });
    assert.deepEqual([plain.data.links_left, plain.text.includes('no longer')], [undefined, false]);

    await rest.post('/notes', { path: 's.md', content: '---\nup: "[[in/b]]"\n---\n', mtime: 1 });
    await rest.post('/notes', { path: 'b.md', content: '', mtime: 1 });
    for (const [tool, input] of [
      ['rename_folder', { path: 'in', new_path: 'C#' }],
      ['move_notes', { paths: ['in/b.md'], folder: 'C#' }],
    ] as const) {
      const answer = await assistant.call(tool, { ...input, dry_run: true });
      assert.deepEqual(answer.data.links_left, left, tool);
    }
    const moved = await assistant.call('move_notes', { paths: ['in/b.md'], folder: 'C#' });
    assert.deepEqual(moved.data.links_left, left);
  });

  test('moves by assistants are refused with the hash of an older text, and say what has changed since', async () => {
    await using server = await startServer({ open });
    await server.alice.post('/vaults', { name: 'Home' });
    const { key } = (await server.alice.post('/api-keys', { name: 'k' })).body;
    const rest = server.bearer(key);
    const { content_hash: hash } = (await rest.post('/notes', { path: 'a.md', content: 'one\n', mtime: 1 })).body.note;
    await rest.post('/notes', { path: 'a.md', content: 'one\ntwo\n', mtime: 2 });
    await using assistant = await Assistant.connect(server, key);
    for (const dry_run of [true, false]) {
      const refused = await assistant.call('rename_note', { path: 'a.md', new_path: 'b.md', base_hash: hash, dry_run });
      assert.deepEqual([refused.isError, refused.text.includes('+two')], [true, true]);
    }
    assert.equal((await rest.get('/notes/a.md')).status, 200);
    const current = (await rest.get('/notes/a.md')).body.content_hash;
    const renamed = await assistant.call('rename_note', { path: 'a.md', new_path: 'b.md', base_hash: current });
    assert.equal(renamed.isError, false, renamed.text);
  });
});
