import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import { cutCalls } from './cut-calls.ts';

onEachEngine('calls of tools whose client leaves', (open) => {
  test('calls of tools whose client leaves give everything back after 1,000 cut calls of both eras', () =>
    cutCalls(open, 1000));
});
