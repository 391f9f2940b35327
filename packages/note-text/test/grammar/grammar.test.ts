import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectedOf, GRAMMAR_CASES } from './cases.ts';
import { readWithScanner } from './scanner.ts';

for (const one of GRAMMAR_CASES) {
  test(`the scanner reads ${one.name}`, () => assert.deepEqual(readWithScanner(one.source), expectedOf(one)));
}
