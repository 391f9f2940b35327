import { test } from 'node:test';
import { onSqlite } from '../kit/engines.ts';
import { checkAnswerSizes } from './answer-size.ts';

onSqlite('answers of every tool in a large vault', (open) => {
  test('no answer has more than 8,000 tokens, and each page of a list says how to go on', () =>
    checkAnswerSizes(open, 2));
});
