import assert from 'node:assert/strict';
import { test } from 'node:test';
import { noteParams, searchParams, tagParams, welcomeParams } from './search-params.ts';

test('the parameters of an address keep what is known and leave out everything else', () => {
  assert.deepEqual(searchParams({ q: 'beans', mode: 'vector', folder: '', evil: '<b>' }), {
    q: 'beans',
    mode: 'vector',
  });
  assert.deepEqual(searchParams({ q: ['a'], mode: 'any', tag: 2026 }), { tag: '2026' });
  assert.deepEqual(noteParams({ panel: 'history', at: 'Soil' }), { panel: 'history' });
  assert.deepEqual(noteParams({ panel: 'nothing' }), {});
  assert.deepEqual(welcomeParams({ welcome: 'checks' }), { welcome: 'checks' });
  assert.deepEqual(welcomeParams({ welcome: 'elsewhere', open: 'else' }), {});
  assert.deepEqual(welcomeParams({ open: 'search' }), { open: 'search' });
  assert.deepEqual(tagParams({ tag: 'a/b' }), { tag: 'a/b' });
});
