import assert from 'node:assert/strict';
import { test } from 'node:test';
import { REASONS, readReason, reason } from '../src/rules/reasons.ts';

test('each reason is read again with its values', () => {
  for (const code of Object.keys(REASONS) as (keyof typeof REASONS)[]) {
    const names = [...REASONS[code].matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    const values = Object.fromEntries(names.map((name, at) => [name, `(${at}) of "$&"`]));
    assert.deepEqual(readReason(reason(code, values), REASONS), { code, values });
  }
  assert.equal(readReason('path must be something else', REASONS), null);
});
