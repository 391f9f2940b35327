import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Strength, strengthOf } from './password-strength.ts';

test('strengthOf tells short, weak, fair and good passwords apart', () => {
  const expected: [string, Strength][] = [
    ['', 'short'],
    ['x7$kQ!z', 'short'],
    ['aaaaaaaaaaaaaaaaaaaa', 'weak'],
    ['abcdefghijklmnop', 'weak'],
    ['12345678901234567890', 'weak'],
    ['password', 'weak'],
    ['k7wq2mz9xrt', 'fair'],
    ['correct horse battery staple', 'good'],
    ['馬は正しく電池を留める金具', 'good'],
  ];
  for (const [password, strength] of expected) assert.equal(strengthOf(password), strength, password);
});
