import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FOLDER_NAMES, foldersIn, readFolder } from '@notevault/protocol/folder-choice.ts';
import { vault as de } from '../i18n/de/vault.ts';
import { vault as en } from '../i18n/en/vault.ts';
import { vault as ja } from '../i18n/ja/vault.ts';

const named = { templates: 'Vorlagen', daily: 'Tagebuch' };

test('the folders of daily notes and templates are those that were chosen', () => {
  const chosen = { templates: ' /My shapes/Short/ ', daily: 'Log' };
  assert.deepEqual(
    foldersIn(() => true, chosen, named),
    { templates: 'My shapes/Short', daily: 'Log' },
  );
  for (const none of [null, 7, ' ', '/', undefined]) assert.equal(readFolder(none), null);
});

test('a folder that has the name of another language is found, and a new one gets the name of this one', () => {
  const has = (path: string) => path === '日記';
  assert.deepEqual(foldersIn(has, {}, named), { templates: 'Vorlagen', daily: '日記' });
});

test('the names of the folders are those of the catalogues of all languages', () => {
  const catalogues = [en, de, ja];
  assert.deepEqual(
    FOLDER_NAMES.templates,
    catalogues.map(({ template }) => template.folder),
  );
  assert.deepEqual(
    FOLDER_NAMES.daily,
    catalogues.map(({ daily }) => daily.folder),
  );
});
