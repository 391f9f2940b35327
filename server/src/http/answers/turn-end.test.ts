import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TurnEnd } from './turn-end.ts';

/** A turn of the event loop that ends when it is told to. */
function manualTurns() {
  const ends: (() => void)[] = [];
  return { turns: new TurnEnd((run) => ends.push(run)), end: () => ends.shift()?.(), pending: ends };
}

test('answers of one turn are written at its end, in their order', async () => {
  const { turns, end, pending } = manualTurns();
  const written: string[] = [];
  const answers = ['a', 'b', 'c'].map((name) => turns.reached().then(() => written.push(name)));
  assert.equal(pending.length, 1);
  await Promise.resolve();
  assert.deepEqual(written, []);
  end();
  await Promise.all(answers);
  assert.deepEqual(written, ['a', 'b', 'c']);
});

test('the answers of the next turn wait for its own end', async () => {
  const { turns, end } = manualTurns();
  const first = turns.reached();
  end();
  await first;
  const state = { isWritten: false };
  const second = turns.reached().then(() => {
    state.isWritten = true;
  });
  await Promise.resolve();
  assert.equal(state.isWritten, false);
  end();
  await second;
});

test('no answer waits for others that take long to make', async (t) => {
  let now = 1000;
  t.mock.method(performance, 'now', () => now);
  const { turns, end, pending } = manualTurns();
  const first = turns.reached();
  now += 1;
  await Promise.all([first, turns.reached()]);
  const next = turns.reached();
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
