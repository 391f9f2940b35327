import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import { seenOf } from '../../../../web/src/device/outbox/entry-facts.ts';
import type { Operation } from '../../../../web/src/device/outbox/operation.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { OutboxBrowser } from '../../kit/outbox-browser.ts';
import { seeds, testOutbox } from '../../kit/outbox-runs.ts';
import { startServer } from '../../kit/server.ts';
import { until } from '../../kit/until.ts';

testOutbox({ sqlite: [...seeds(5), 33], postgres: [33, 71] });

onEachEngine('the outbox of the web app', (open) => {
  it('makes no second file or folder when a request arrives after the next one, and after a move', async () => {
    await using server = await startServer({ open });
    const key = (await server.alice.post('/api-keys', { name: 'outbox' })).body.key as string;
    const { vault } = (await server.alice.post('/vaults', { name: 'Late' })).body;
    const browser = new OutboxBrowser(server.url, key, vault.id);
    const fileId = randomUUID();
    const made: Operation[] = [
      { kind: 'file', fileId, path: 'a.txt', bytes: new Blob(['bytes']), mtime: 1 },
      { kind: 'folder', path: 'Old' },
    ];
    const { outbox } = browser.open();
    for (const operation of made) {
      outbox.setConnected(true);
      browser.network = () => 'late';
      assert.equal((await outbox.run(vault.id, operation)).type, 'waiting');
      outbox.setConnected(false);
      browser.network = () => 'works';
      outbox.setConnected(true);
      const [from, to] = operation.kind === 'file' ? ['a.txt', 'b.txt'] : ['Old', 'New'];
      const kind = operation.kind === 'file' ? 'attachment' : 'folder';
      const id = operation.kind === 'file' ? fileId : null;
      void outbox.run(vault.id, { kind: 'move', moves: [{ kind, id, from, to }] });
      await until(() => outbox.state.get().entries.length === 0);
    }
    await browser.deliver();
    const { attachments, folders } = await browser.vault.tree();
    assert.deepEqual([attachments.map(({ path }) => path), folders.map(({ name }) => name)], [['b.txt'], ['', 'New']]);
  });

  it('deletes what was renamed here and what links to it, but nothing that somebody else wrote into', async () => {
    await using server = await startServer({ open });
    const key = (await server.alice.post('/api-keys', { name: 'outbox' })).body.key as string;
    const { vault } = (await server.alice.post('/vaults', { name: 'Deletions' })).body;
    const browser = new OutboxBrowser(server.url, key, vault.id);
    const write = (path: string, content: string) => browser.vault.upsertNote({ path, content, mtime: 1 });
    for (const [path, text] of [
      ['A.md', 'text'],
      ['C.md', '[[A]]'],
      ['D.md', 'text'],
    ] as const)
      await write(path, text);
    await browser.vault.putAttachment('a.txt', { bytes: () => 'bytes', mtime: 1 });
    const seen = await browser.vault.tree();
    server.clock.advance({ ms: 5 });
    const { outbox } = browser.open();
    const remove = (row: VaultTree['notes'][number] | VaultTree['attachments'][number]) => {
      const kind = 'size_bytes' in row ? 'attachment' : 'note';
      const deleted = [{ kind, id: row.id, path: row.path, known: { [row.id]: seenOf(row) } }] as const;
      return outbox.run(vault.id, { kind: 'delete', deleted });
    };
    // The server has done it before the deletions, which were decided from the tree before.
    await browser.vault.renameNote('A.md', 'B.md');
    await browser.vault.renameAttachment('a.txt', 'b.txt');
    await write('D.md', 'text of somebody else');
    for (const row of [...seen.notes, ...seen.attachments]) assert.equal((await remove(row)).type, 'waiting');
    outbox.setConnected(true);
    await until(() => outbox.state.get().entries.every(({ problem }) => problem !== null));
    const { entries } = outbox.state.get();
    assert.deepEqual(
      entries.map(({ problem }) => problem),
      [{ reason: 'changed', path: 'D.md' }],
    );
    const { notes, attachments } = await browser.vault.tree();
    assert.deepEqual([notes.map(({ path }) => path), attachments], [['D.md'], []]);
  });
});
