import { test } from 'node:test';
import { onSqlite } from '../kit/engines.ts';
import { checkAnswerSizes } from './answer-size.ts';

onSqlite('answers of tools in a vault of 3,000 notes', (open) => {
  test('no answer has more than 8,000 tokens', () => checkAnswerSizes(open, 60));
});
