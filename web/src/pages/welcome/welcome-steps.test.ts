import assert from 'node:assert/strict';
import { test } from 'node:test';
import { positionOf } from './welcome-steps.ts';

test('positionOf counts four steps for admins and three for others, with the account as the first', () => {
  assert.deepEqual(positionOf('notes', 'admin'), { step: 'notes', number: 2, total: 4, before: null, next: 'connect' });
  assert.deepEqual(positionOf('checks', 'admin'), {
    step: 'checks',
    number: 4,
    total: 4,
    before: 'connect',
    next: null,
  });
  assert.deepEqual(positionOf('connect', 'member'), {
    step: 'connect',
    number: 3,
    total: 3,
    before: 'notes',
    next: null,
  });
});

test('positionOf shows the last step to an account that does not have the wanted one', () => {
  assert.equal(positionOf('checks', 'member').step, 'connect');
});
