import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import { assertPagesSlowNobody } from './public-pages.ts';

onEachEngine('public pages', (open) => {
  test('10,000 requests for a public page leave the requests of another account alone', () =>
    assertPagesSlowNobody(open, 10_000));
});
