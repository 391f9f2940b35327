import assert from 'node:assert/strict';
import { afterEach, it } from 'node:test';
import { structureFault } from '@notevault/sync/rules/safe-path.ts';
import { de } from '../../src/texts/de.ts';
import { en } from '../../src/texts/en.ts';
import { ja } from '../../src/texts/ja.ts';
import { de as reasonsDe } from '../../src/texts/reasons/de.ts';
import { reason, en as reasonsEn } from '../../src/texts/reasons/en.ts';
import { ja as reasonsJa } from '../../src/texts/reasons/ja.ts';
import { reasonText } from '../../src/texts/texts.ts';
import { setLanguage } from '../stand-in/platform.ts';

afterEach(() => setLanguage('en'));

it('the texts of the plugin are there in each language, with the same values', () => {
  const values = (text: string) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort();
  for (const key of Object.keys(en) as (keyof typeof en)[])
    for (const texts of [de, ja]) assert.deepEqual(values(texts[key]), values(en[key]), key);
  for (const key of Object.keys(reasonsEn) as (keyof typeof reasonsEn)[])
    for (const texts of [reasonsDe, reasonsJa]) assert.deepEqual(values(texts[key]), values(reasonsEn[key]), key);
});

it('engine reasons, even nested ones, are translated into the app’s language; unknown ones are not', () => {
  const fault = reason('forbiddenCharacter', { character: '?' });
  const told = [
    reason('renameHere', { fault }),
    reason('quota', { reason: 'notes_cap_exceeded' }),
    'of a later engine',
  ];
  assert.deepEqual(told.map(reasonText), told);
  setLanguage('de');
  assert.deepEqual(told.map(reasonText), [
    'hat ? im Namen, was es unter Windows nicht geben kann: Benennen Sie sie hier um',
    'geht über das hinaus, was der Tarif erlaubt (notes_cap_exceeded)',
    'of a later engine',
  ]);
});

it('why a path is none is told in the language of the app', () => {
  setLanguage('ja');
  const paths = ['a\\b.md', '../a.md', '', 'a\u0000.md', 'a\ud800.md', `${'a'.repeat(256)}.md`, 'a/'.repeat(2500)];
  for (const path of paths) {
    const fault = structureFault(path) ?? assert.fail(path);
    assert.notEqual(reasonText(fault), fault);
  }
});
