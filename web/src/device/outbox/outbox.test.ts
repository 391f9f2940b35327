import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@notevault/client/transport.ts';
import type { Operation } from './operation.ts';
import { Outbox, TabOutbox } from './outbox.ts';
import type { Outcome } from './replay.ts';

const FILE: Operation = { kind: 'file', fileId: 'f', path: 'a.txt', bytes: new Blob(['bytes']), mtime: 1 };

function outboxThat(send: () => Promise<Outcome>) {
  let due: (() => void) | null = null;
  const outbox = new Outbox({
    store: new TabOutbox(),
    spare: new TabOutbox(),
    newId: () => 'id',
    now: () => 0,
    send,
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

/** Waits until what the outbox began is done: nothing here waits for anything but promises. */
async function settled(): Promise<void> {
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
      await settled();
      wait();
    }
    await settled();
    const listed = outbox.state.get().entries.map((entry) => [entry.operation, entry.problem, entry.delay]);
    assert.deepEqual(listed, [[FILE, null, delay]]);
    isFull = false;
    wait();
    await settled();
    assert.deepEqual(outbox.state.get().entries, []);
  });
}
