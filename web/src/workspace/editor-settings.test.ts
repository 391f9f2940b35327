import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lookOf, readEditorSettings } from './editor-settings.ts';

test('settings of the editor that make no sense get their defaults', () => {
  const defaults = readEditorSettings(null);
  const wrong = { lineWidth: 'huge', isVim: 'yes', writing: 'reading', templateFolder: '  ', isSpellChecked: 1 };
  for (const stored of [undefined, 'x', [], wrong]) assert.deepEqual(readEditorSettings(stored), defaults);
});

test('settings of the editor are read as they were stored', () => {
  const stored = {
    lineWidth: 'full',
    hasLineNumbers: true,
    isSpellChecked: false,
    isVim: true,
    writing: 'source',
    templateFolder: 'My shapes/Short',
    dailyFolder: null,
  };
  assert.deepEqual(readEditorSettings(stored), stored);
  assert.equal(readEditorSettings({ dailyFolder: ' /Days/ ' }).dailyFolder, 'Days');
  assert.equal(readEditorSettings({ dailyFolder: '/' }).dailyFolder, null);
  assert.deepEqual(lookOf(readEditorSettings(stored)), {
    lineWidth: 'none',
    hasLineNumbers: true,
    isSpellChecked: false,
  });
});
