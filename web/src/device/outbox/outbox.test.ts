import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import { isWaiting } from './entry-facts.ts';
import { type Operation, treeWith } from './operation.ts';
import { Outbox, type OutboxStore, TabOutbox } from './outbox.ts';
import type { Outcome } from './replay.ts';

const TREE = { change_seq: 0, folders: [], notes: [], attachments: [] };
const FILE: Operation = { kind: 'file', fileId: 'f', path: 'a.txt', bytes: new Blob(['bytes']), mtime: 1 };

function outboxThat(send: () => Promise<Outcome>, store: OutboxStore = new TabOutbox()) {
  let due: (() => void) | null = null;
  const held = new Set<string>();
  const outbox = new Outbox({
    store,
    spare: new TabOutbox(),
    newId: () => 'id',
    now: () => 0,
    send,
    hold: (id, run) => {
      held.add(id);
      return run().finally(() => held.delete(id));
    },
    isHeld: async (id) => held.has(id),
    exclusively: (run) => run(),
    isSameAccount: async () => true,
    stateOfDraft: async () => 'left',
    announce: () => undefined,
    done: () => undefined,
    later(call) {
      due = call;
      return () => {
        due = null;
      };
    },
  });
  outbox.setConnected(true);
  return { outbox, wait: () => due?.() };
}

/** Waits until the outbox is idle: it waits for nothing but promises. */
async function runTasks(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

// 503 is what the server answers, 507 what one before it may.
for (const status of [503, 507]) {
  test(`what the server has no room for waits with that reason (${status}), and is tried again`, async () => {
    let isFull = true;
    const body = { error: 'storage_full' };
    const { outbox, wait } = outboxThat(async () => {
      if (isFull) throw new ApiError(status, body, null);
      return { type: 'done' };
    });
    const delay = { reason: 'refused', status, body };
    assert.deepEqual(await outbox.run('vault', FILE), { type: 'waiting', delay });
    for (let tries = 0; tries < 9; tries++) {
      await runTasks();
      wait();
    }
    await runTasks();
    const listed = outbox.state.get().entries.map((entry) => [entry.operation, entry.problem, entry.delay]);
    assert.deepEqual(listed, [[FILE, null, delay]]);
    isFull = false;
    wait();
    await runTasks();
    assert.deepEqual(outbox.state.get().entries, []);
  });
}

test('work that a tab does itself is kept, listed and sent by no other tab, and waits if it fails', async () => {
  let sent = 0;
  const { outbox } = outboxThat(async () => {
    sent += 1;
    return { type: 'done', id: 'given' };
  });
  const answer = Promise.withResolvers<string>();
  const upload = outbox.runWith('vault', FILE, 'id', () => answer.promise);
  await runTasks();
  assert.equal(await outbox.hasUnkept(), true);
  assert.deepEqual(outbox.state.get().entries.map(isWaiting), [false]);
  assert.deepEqual(
    treeWith(TREE, outbox.state.get().entries, () => ''),
    TREE,
  );
  outbox.check();
  await runTasks();
  assert.equal(sent, 0);
  answer.reject(new ConnectionError('away'));
  assert.deepEqual([await upload, sent], [{ type: 'done', id: 'given' }, 1]);
  assert.deepEqual(outbox.state.get().entries, []);
});

test('what a tab did by itself is not sent again, and what is refused or given up is taken back', async () => {
  const { outbox } = outboxThat(() => assert.fail('it was sent'));
  assert.deepEqual(await outbox.runWith('vault', FILE, 'id', async () => 'given'), { type: 'done', id: 'given' });
  const refused = new ApiError(413, { error: 'body_too_large' }, null);
  for (const error of [refused, new DOMException('given up', 'AbortError')]) {
    await assert.rejects(
      outbox.runWith('vault', FILE, 'id', () => Promise.reject(error)),
      error,
    );
    await runTasks();
    assert.deepEqual(outbox.state.get().entries, []);
  }
});

test('what a tab did by itself until it was closed is sent by the next one', async () => {
  const store = new TabOutbox();
  const { outbox } = outboxThat(() => assert.fail('it was sent'), store);
  void outbox.runWith('vault', FILE, 'id', () => new Promise(() => undefined));
  await runTasks();
  outbox[Symbol.dispose]();
  const sent: Operation[] = [];
  const next = outboxThat(async () => {
    sent.push(FILE);
    return { type: 'done' };
  }, store);
  next.outbox.check();
  await runTasks();
  assert.deepEqual([sent, next.outbox.state.get().entries], [[FILE], []]);
});
