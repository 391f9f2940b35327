import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerBatches } from './answer-batch.ts';

/** A turn of the event loop that ends when it is told to. */
function manualTurns() {
  const ends: (() => void)[] = [];
  return { turns: new AnswerBatches((run) => ends.push(run)), end: () => ends.shift()?.(), pending: ends };
}

test('AnswerBatches writes the answers of one turn at its end, in their order', async () => {
  const { turns, end, pending } = manualTurns();
  const written: string[] = [];
  const answers = ['a', 'b', 'c'].map((name) => turns.due().then(() => written.push(name)));
  assert.equal(pending.length, 1);
  await Promise.resolve();
  assert.deepEqual(written, []);
  end();
  await Promise.all(answers);
  assert.deepEqual(written, ['a', 'b', 'c']);
});

test('AnswerBatches keeps the answers of the next turn until its own end', async () => {
  const { turns, end } = manualTurns();
  const first = turns.due();
  end();
  await first;
  const state = { isWritten: false };
  const second = turns.due().then(() => {
    state.isWritten = true;
  });
  await Promise.resolve();
  assert.equal(state.isWritten, false);
  end();
  await second;
});

test('AnswerBatches lets no answer wait for others that take long to make', async (t) => {
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  const { turns, end, pending } = manualTurns();
  const first = turns.due();
  now += 1;
  await Promise.all([first, turns.due()]);
  const next = turns.due();
  assert.equal(pending.length, 2);
  // The end of the turn that was over early does not end the next one.
  end();
  const state = { isWritten: false };
  void next.then(() => {
    state.isWritten = true;
  });
  await Promise.resolve();
  assert.equal(state.isWritten, false);
  end();
  await next;
});
