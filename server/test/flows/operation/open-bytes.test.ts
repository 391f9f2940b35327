import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { copyBlobs } from '../../../src/backup/take/copy-blobs.ts';
import type { OpenedTicket } from '../../../src/domains/connecting/credentials/tickets/tickets.ts';
import { fileReply } from '../../../src/domains/content/attachments/download.schema.ts';
import type { Blobs } from '../../../src/ports/blobs/blobs.ts';
import { databaseBlobs } from '../../../src/ports/blobs/database.ts';
import { testClock } from '../../kit/clock.ts';
import { onSqlite } from '../../kit/engines.ts';
import { startServer } from '../../kit/server.ts';
import { until } from '../../kit/until.ts';

/** Blobs whose reads wait at a gate, and that tell how many of the read ones are open. */
function watched(blobs: Blobs) {
  const state = { open: 0, reads: 0, gate: Promise.resolve() };
  const read: Blobs['read'] = async (...sent) => {
    state.reads += 1;
    await state.gate;
    const found = await blobs.read(...sent);
    if (found === null) return null;
    const source = found[Symbol.asyncIterator]();
    let isOpen = true;
    state.open += 1;
    const close = () => {
      state.open -= isOpen ? 1 : 0;
      isOpen = false;
    };
    const opened: AsyncIterableIterator<Uint8Array> = {
      [Symbol.asyncIterator]: () => opened,
      async next() {
        const piece = await source.next();
        if (piece.done === true) close();
        return piece;
      },
      async return() {
        close();
        return (await source.return?.()) ?? { done: true, value: undefined };
      },
    };
    return opened;
  };
  const port = new Proxy(blobs, {
    get(target, key) {
      const own: unknown = key === 'read' ? read : Reflect.get(target, key, target);
      return typeof own === 'function' ? own.bind(target) : own;
    },
  });
  return { state, port };
}

onSqlite('bytes that are opened and not read', (open) => {
  async function startWithFile() {
    const opened = new AsyncDisposableStack();
    const db = await open();
    const clock = testClock();
    const { state, port: blobs } = watched(databaseBlobs(db, clock));
    const server = opened.use(await startServer({ open: async () => db, clock, blobs }));
    const { vault } = (await server.alice.post('/vaults', { name: 'Work' })).body;
    const headers = { 'x-vault-id': vault.id as string };
    await server.alice.post('/notes', { path: 'a.md', content: 'one', mtime: 1 }, headers);
    const bytes = randomBytes(500_000).toString('base64');
    const put = await server.alice.put('/attachments/z.txt', bytes, { ...headers, 'content-type': 'text/plain' });
    assert.equal(put.status, 200, JSON.stringify(put.body));
    const ticket = async (body: object): Promise<OpenedTicket> => {
      const { url } = (await server.alice.post('/tickets', body, headers)).body;
      return server.app.tickets.open(url.slice(url.lastIndexOf('/') + 1));
    };
    return { server, state, blobs, ticket, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  }

  test('an export that is cut off when it has opened a file and not read it leaves nothing open', async () => {
    await using started = await startWithFile();
    const { state, ticket } = started;
    const opened = await ticket({ operation: 'vault.export' });
    assert.ok('zip' in opened);
    const pieces = (await opened.zip())[Symbol.asyncIterator]();
    const { promise, resolve } = Promise.withResolvers<void>();
    state.gate = promise;
    assert.equal((await pieces.next()).done, false);
    await until(() => state.reads === 1, 'the turn of the file');
    const ended = pieces.return?.();
    resolve();
    await ended;
    assert.deepEqual([state.reads, state.open], [1, 0]);
  });

  test('an attachment as JSON that is cut off before its bytes leaves nothing open', async () => {
    await using started = await startWithFile();
    const { state, ticket } = started;
    for (const reads of [0, 1, 2]) {
      const opened = await ticket({ operation: 'attachment.get', path: 'z.txt' });
      assert.ok('file' in opened);
      const { bytes } = fileReply(opened.file, { query: {}, header: () => 'application/json' });
      const pieces = (await bytes?.open())?.[Symbol.asyncIterator]();
      assert.equal(state.open, 1);
      for (let i = 0; i < reads; i++) await pieces?.next();
      await pieces?.return?.();
      assert.equal(state.open, 0, `after ${reads} pieces`);
    }
  });

  test('a backup that cannot make the file of a blob leaves nothing open', async () => {
    await using started = await startWithFile();
    const { server, state, blobs } = started;
    const [row] = (await server.blobs.list()[Symbol.asyncIterator]().next()).value ?? [];
    assert.ok(row !== undefined);
    const rows = [{ vault: row.key.vaultId, id: row.key.blobId, size: 500_000 }];
    const snapshot = { all: async () => rows } as unknown as Parameters<typeof copyBlobs>[0]['snapshot'];
    const target = { scratch: '/dev/null/none' } as Parameters<typeof copyBlobs>[0]['target'];
    const lease = { check: () => undefined } as Parameters<typeof copyBlobs>[0]['lease'];
    const pace = { spend: async () => undefined } as unknown as Parameters<typeof copyBlobs>[0]['pace'];
    const deps = { snapshot, blobs, target, previous: null, lease, pace, progress: () => undefined };
    await assert.rejects(copyBlobs(deps), { code: 'ENOTDIR' });
    assert.deepEqual([state.reads, state.open], [1, 0]);
  });
});
