/** The pages of lists that do not fit into one answer. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assistant } from '../kit/clients/mcp.ts';
import { onSqlite } from '../kit/engines.ts';
import { startServer } from '../kit/server.ts';

onSqlite('answers of tools in a large vault', (open) => {
  test('the pages of a list have each item once, also when items that were shown are gone', async () => {
    await using server = await startServer({ open });
    await server.alice.post('/vaults', { name: 'Home' });
    const name = (index: number) => `f/${String(index).padStart(3, '0')} ${'[x]'.repeat(80)}.md`;
    const notes = Array.from({ length: 40 }, (_, index) => {
      return { path: name(index), content: `- [ ] ${index} ${'(x)'.repeat(100)}\n[[gone ${index}]]`, mtime: 1 };
    });
    await server.alice.post('/notes/batch', { notes }, { 'x-idempotency-key': 'n' });
    const { key } = (await server.alice.post('/api-keys', { name: 'k' })).body;
    await using assistant = await Assistant.connect(server, key);
    const walked = async (tool: string, input: object, itemsOf: (data: Record<string, never[]>) => string[]) => {
      const pages: string[][] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const { data } = await assistant.call(tool, { ...input, ...(cursor === undefined ? {} : { cursor }) });
        pages.push(itemsOf(data));
        cursor = data.cursor;
      }
      assert.ok(pages.length > 1, tool);
      return pages.flat().sort();
    };
    const paths = notes.map(({ path }) => path);
    const pathsIn = (field: string) => (data: Record<string, { path: string }[]>) =>
      (data[field] ?? []).map(({ path }) => path);
    assert.deepEqual(await walked('list_folder', { path: 'f' }, pathsIn('entries')), paths);
    assert.deepEqual(await walked('recent_notes', { limit: 100 }, pathsIn('notes')), paths);
    assert.deepEqual(await walked('list_links', { dangling: true }, pathsIn('links')), paths);
    assert.deepEqual(
      await walked('search_notes', { query: 'gone', mode: 'keyword', limit: 50 }, pathsIn('results')),
      paths,
    );
    const rows = (data: Record<string, string[][]>) => (data.rows ?? []).map(([path = '']) => path);
    assert.deepEqual(await walked('query_notes', { columns: ['file.name'], limit: 500 }, rows), paths);
    // Ticked between two pages.
    const first = (await assistant.call('list_tasks')).data;
    const { path, line, text } = first.tasks[0];
    await assistant.call('set_task', { path, line, text, state: 'done' });
    const rest = (await assistant.call('list_tasks', { cursor: first.cursor })).data;
    const shown = [...first.tasks, ...rest.tasks].map((task: { path: string }) => task.path);
    assert.deepEqual(shown, paths.slice(0, shown.length));
    await server.alice.delete('/folders/f?recursive=true');
    assert.deepEqual(await walked('list_trash', {}, pathsIn('items')), paths);
    const actions = (data: Record<string, { action: string }[]>) => (data.items ?? []).map(({ action }) => action);
    assert.deepEqual(await walked('recent_changes', { limit: 1 }, actions), ['delete', 'write', 'write']);
  });
});
