import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AnswerBatches } from './send.ts';

/** Turns of the event loop that end, and take time, when they are told to. */
function manualTurns(t: TestContext) {
  const ends: (() => void)[] = [];
  const clock = { now: 1000 };
  t.mock.method(performance, 'now', () => clock.now);
  return { turns: new AnswerBatches((run) => ends.push(run)), end: () => ends.shift()?.(), pending: ends, clock };
}

test('AnswerBatches writes the answers of one turn at its end, in their order', async (t) => {
  const { turns, end, pending } = manualTurns(t);
  const written: string[] = [];
  const answers = ['a', 'b', 'c'].map((name) => turns.due().then(() => written.push(name)));
  assert.equal(pending.length, 1);
  await Promise.resolve();
  assert.deepEqual(written, []);
  end();
  await Promise.all(answers);
  assert.deepEqual(written, ['a', 'b', 'c']);
});

test('AnswerBatches keeps the answers of the next turn until its own end', async (t) => {
  const { turns, end } = manualTurns(t);
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
  const { turns, end, pending, clock } = manualTurns(t);
  const first = turns.due();
  clock.now += 1;
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
