import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asPreferences, lookOf, readEditorSettings, settingsOf, unsentAfter } from './editor-settings.ts';

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

test('settings of the editor are the account’s, except for local changes and what it never had', () => {
  const here = readEditorSettings({ lineWidth: 'wide', isVim: true, writing: 'source', hasLineNumbers: true });
  const preferences = { ...asPreferences({ lineWidth: 'full', isVim: false, writing: 'plain' }), isVim: true };
  assert.deepEqual(settingsOf(here, { isVim: true }, preferences), { ...here, lineWidth: 'full', writing: 'preview' });
});

test('a setting that was changed again while it was sent is sent again', () => {
  const sent = { isVim: true, lineWidth: 'wide' };
  assert.deepEqual(unsentAfter({ ...sent, lineWidth: 'full', writing: 'source' }, sent), {
    lineWidth: 'full',
    writing: 'source',
  });
});
