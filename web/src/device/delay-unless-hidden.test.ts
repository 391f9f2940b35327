import assert from 'node:assert/strict';
import { test } from 'node:test';
import { delayUnlessHidden } from './delay-unless-hidden.ts';

test('delayUnlessHidden calls a moment later, at once where the page is hidden, and never twice', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const hides: (() => void)[] = [];
  const page = { visibilityState: 'visible', addEventListener: (_: string, call: () => void) => void hides.push(call) };
  const hide = (state: string) => {
    page.visibilityState = state;
    for (const call of hides) call();
  };
  const delay = delayUnlessHidden(page, 30);
  const calls: string[] = [];
  delay(() => calls.push('later'));
  t.mock.timers.tick(29);
  assert.equal(calls.length, 0);
  t.mock.timers.tick(1);
  assert.deepEqual(calls, ['later']);
  delay(() => calls.push('when hidden'));
  hide('hidden');
  assert.deepEqual(calls, ['later', 'when hidden']);
  delay(() => calls.push('hidden'));
  assert.deepEqual(calls, ['later', 'when hidden', 'hidden']);
  hide('visible');
  t.mock.timers.tick(100);
  assert.equal(calls.length, 3);
});
