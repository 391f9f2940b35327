import assert from 'node:assert/strict';
import { test } from 'node:test';
import { foldKeymap } from '@codemirror/language';
import { COMMAND_KEYS } from '../../editor/commands/keys.ts';
import { isPressed, shownKeys } from '../../ui/text/shortcut.ts';
import { ACTIONS } from './all-actions.ts';

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
  assert.equal(shownKeys('Delete', false), 'Del');
  assert.equal(shownKeys('Mod+Backspace', true), '⌘⌫');
});

/** Keys as CodeMirror writes them, as the app does: `Mod-Shift-x` is `Mod+Shift+X`. */
function inApp(keys: string | undefined): string | undefined {
  return keys
    ?.replace(/^(Ctrl|Cmd)-/, 'Mod-')
    .split('-')
    .map((part) => (part.length === 1 ? part.toUpperCase() : part))
    .join('+');
}

test('the actions of the editor name the keys that the editor has', () => {
  const shown = ACTIONS.flatMap(({ command, keys, appleKeys }) =>
    command === undefined || keys === undefined ? [] : [[command, keys, appleKeys]],
  );
  const bound = Object.entries(COMMAND_KEYS).map(([name, keys]) => [
    name,
    inApp(keys.key),
    'mac' in keys ? inApp(keys.mac) : undefined,
  ]);
  assert.deepEqual(
    Object.fromEntries(shown.map(([name, ...keys]) => [name, keys])),
    Object.fromEntries(bound.map(([name, ...keys]) => [name, keys])),
  );
  const ofCodeMirror = foldKeymap.map(({ key, mac }) => ({ key, mac }));
  for (const keys of [COMMAND_KEYS.fold, COMMAND_KEYS.unfold])
    assert.ok(ofCodeMirror.some((one) => one.key === keys.key && one.mac === keys.mac));
});

test('no two actions of the app have the same keys, and each action is there once', () => {
  const keys = ACTIONS.flatMap((action) => (action.command === undefined && action.keys ? [action.keys] : []));
  assert.deepEqual(keys, [...new Set(keys)]);
  const ids = ACTIONS.map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)]);
});
