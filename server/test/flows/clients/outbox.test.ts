import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
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
});
