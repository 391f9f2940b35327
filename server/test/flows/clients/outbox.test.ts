import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import { seenOf } from '../../../../web/src/device/outbox/entry-facts.ts';
import type { Operation } from '../../../../web/src/device/outbox/operation.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { OutboxBrowser } from '../../kit/outbox-browser.ts';
import { seeds, testOutbox } from '../../kit/outbox-runs.ts';
import { oneServer } from '../../kit/server.ts';
import { until } from '../../kit/until.ts';

testOutbox({ sqlite: [...seeds(5), 33], postgres: [33, 71] });
testOutbox({ sqlite: seeds(4), postgres: seeds(1) }, true);

onEachEngine('the outbox of the web app', (open) => {
  const start = oneServer(() => ({ open }));

  it('makes no second file or folder when a request arrives after the next one, and after a move', async () => {
    await using server = await start();
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

  it('uploads a file once when only one tab knows of its move and another sends it', async () => {
    await using server = await start();
    const key = (await server.alice.post('/api-keys', { name: 'outbox' })).body.key as string;
    const { vault } = (await server.alice.post('/vaults', { name: 'Full' })).body;
    const browser = new OutboxBrowser(server.url, key, vault.id);
    const [first, second] = [browser.open(), browser.open()];
    const fileId = randomUUID();
    await first.outbox.run(vault.id, { kind: 'file', fileId, path: 'a.txt', bytes: new Blob(['bytes']), mtime: 1 });
    browser.isFull = true;
    await first.outbox.run(vault.id, {
      kind: 'move',
      moves: [{ kind: 'attachment', id: fileId, from: 'a.txt', to: 'b.txt' }],
    });
    second.outbox.setConnected(true);
    await until(() => browser.entries.length === 0);
    first.outbox.setConnected(true);
    await until(() => first.outbox.state.get().entries.length === 0);
    const { attachments } = await browser.vault.tree();
    assert.deepEqual(
      attachments.map(({ path }) => path),
      ['b.txt'],
    );
  });

  it('brings no note back and deletes nothing new by a request that arrives after the next one', async () => {
    await using server = await start();
    const key = (await server.alice.post('/api-keys', { name: 'outbox' })).body.key as string;
    const { vault } = (await server.alice.post('/vaults', { name: 'Late' })).body;
    const browser = new OutboxBrowser(server.url, key, vault.id);
    const { outbox } = browser.open();
    const runLate = async (operation: Operation) => {
      outbox.setConnected(true);
      browser.network = () => 'late';
      assert.equal((await outbox.run(vault.id, operation)).type, 'waiting');
      outbox.setConnected(false);
      browser.network = () => 'works';
      server.clock.advance({ ms: 5 });
      outbox.setConnected(true);
      await until(() => outbox.state.get().entries.every(({ doneAt }) => doneAt !== null));
    };
    const write = async (at: number) => {
      await browser.vault.upsertNote({ path: 'Old/A.md', content: `${at}`, mtime: at });
      await browser.vault.putAttachment('a.txt', { bytes: () => `${at}`, mtime: at });
    };
    const noteId = randomUUID();
    browser.texts.set(noteId, 'text');
    await runLate({ kind: 'note', noteId, path: 'New.md', content: '', attempt: null, sent: null });
    await write(1);
    const { notes, attachments } = await browser.vault.tree();
    const isHere = { kind: 'note', id: noteId, path: 'New.md', known: { [noteId]: null } } as const;
    await outbox.run(vault.id, { kind: 'delete', deleted: [isHere] });
    const known = Object.fromEntries([...notes, ...attachments].map((row) => [row.id, seenOf(row)]));
    for (const [kind, path] of [
      ['folder', 'Old'],
      ['attachment', 'a.txt'],
    ] as const) {
      const id = attachments.find((file) => file.path === path)?.id ?? null;
      await runLate({ kind: 'delete', deleted: [{ kind, id, path, known }] });
    }
    assert.deepEqual(pathsOf(await browser.vault.tree()), []);
    await write(2);
    // Later than the server would refuse the text of a note by itself because somebody else has just deleted it.
    server.clock.advance({ ms: 60 * 60_000 });
    await browser.deliver();
    assert.deepEqual(pathsOf(await browser.vault.tree()), ['Old/A.md', 'a.txt']);
  });

  it('deletes what was renamed here and what links to it, but nothing that somebody else wrote into', async () => {
    await using server = await start();
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

function pathsOf({ notes, attachments }: VaultTree): string[] {
  return [...notes, ...attachments].map(({ path }) => path);
}
