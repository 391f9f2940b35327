import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bestMatches } from './fuzzy.ts';
import { isPressed, shownKeys } from './shortcut.ts';

const NONE = { ctrlKey: false, metaKey: false, altKey: false, shiftKey: false };

test('isPressed takes Control for Mod, and Command on Apple systems', () => {
  const control = { ...NONE, key: 'k', code: 'KeyK', ctrlKey: true };
  const command = { ...NONE, key: 'k', code: 'KeyK', metaKey: true };
  assert.ok(isPressed('Mod+K', control, false));
  assert.ok(!isPressed('Mod+K', control, true));
  assert.ok(isPressed('Mod+K', command, true));
  assert.ok(!isPressed('Mod+K', { ...control, shiftKey: true }, false));
  assert.ok(!isPressed('Mod+K', { ...control, altKey: true }, false));
});

test('isPressed knows a letter by its place when Alt makes another character of it', () => {
  assert.ok(isPressed('Alt+N', { ...NONE, key: '˜', code: 'KeyN', altKey: true }, true));
});

test('isPressed takes a character however it is typed', () => {
  assert.ok(isPressed('?', { ...NONE, key: '?', code: 'Slash', shiftKey: true }, false));
  assert.ok(isPressed('?', { ...NONE, key: '?', code: 'Minus' }, false));
});

test('shownKeys writes shortcuts as each system does', () => {
  assert.equal(shownKeys('Mod+Shift+F', false), 'Ctrl Shift F');
  assert.equal(shownKeys('Mod+Shift+F', true), '⌘⇧F');
});

function found(query: string, ...paths: string[]): string[] {
  const candidates = paths.map((path) => {
    const at = path.lastIndexOf('/');
    return { name: path.slice(at + 1), detail: path.slice(0, Math.max(0, at)), path };
  });
  return bestMatches(candidates, query).map(({ path }) => path);
}

test('bestMatches puts beginnings before words, and words before spread letters', () => {
  const paths = ['t/garbled thread', 'Big garden', 'Gardens', 'Garden', 'Xgarden', 'a/other'];
  assert.deepEqual(found('gard', ...paths), ['Garden', 'Gardens', 'Big garden', 'Xgarden', 't/garbled thread']);
});

test('bestMatches wants every word, in the name or in the folder', () => {
  assert.deepEqual(found('soup kitchen', 'Kitchen/Soup', 'Kitchen/Bread', 'Soup'), ['Kitchen/Soup']);
  assert.deepEqual(found('zzz', 'Garden'), []);
});

test('bestMatches keeps the order without a query', () => {
  assert.deepEqual(found(' ', 'b', 'a'), ['b', 'a']);
});
