import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SEARCH_RESULTS_MAX } from '@notevault/protocol/search.ts';
import { countOf } from './result-count.ts';

test('The results of a search that has no further page are not said to be all', () => {
  assert.equal(countOf(3, false, true), 'found');
  assert.equal(countOf(50, true, false), 'best');
  assert.equal(countOf(SEARCH_RESULTS_MAX, false, false), 'most');
  assert.equal(countOf(SEARCH_RESULTS_MAX, false, true), 'mostSorted');
});
