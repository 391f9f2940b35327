import assert from 'node:assert/strict';
import { test } from 'node:test';
import { errors } from '@notevault/protocol/errors.ts';
import { acceptedLanguage, PAGE_LANGUAGES, personLanguage } from './page-language.ts';
import { faultText, pageTexts } from './page-texts.ts';
import { errorPage, pageOf } from './pages.ts';

test('acceptedLanguage is the first language of the browser that the pages speak, else English', () => {
  const cases = [
    [undefined, 'en'],
    ['', 'en'],
    ['*', 'en'],
    ['fr, es', 'en'],
    ['fr, ja;q=0.5, de;q=0.4', 'ja'],
    ['de-CH', 'de'],
    ['DE', 'de'],
    ['de;q=0, en', 'en'],
    ['den, deutsch', 'en'],
    [';;,q=,\u0000', 'en'],
  ] as const;
  for (const [header, language] of cases) assert.equal(acceptedLanguage(header), language, String(header));
});

test('personLanguage is that of the person, or that of the browser if the pages do not speak it', () => {
  assert.equal(personLanguage('ja-JP', 'de'), 'ja');
  assert.equal(personLanguage('fr', 'de'), 'de');
  assert.equal(personLanguage(null, 'de'), 'de');
});

test('faultText explains errors of the catalogue, and no other names', () => {
  for (const language of PAGE_LANGUAGES) {
    for (const code of Object.keys(pageTexts[language].faults)) {
      assert.ok(Object.hasOwn(errors, code), code);
      assert.notEqual(faultText(language, code) ?? '', '');
    }
    assert.equal(faultText(language, 'constructor'), undefined);
    assert.equal(faultText(language, 'note_too_large'), undefined);
  }
});

test('errorPage is in its language, and marks an explanation that is English', () => {
  const own = pageOf(errorPage('de', 'foreign_form', 'Erklärt <b>.')).body;
  assert.match(own, /<html lang="de">.*<h1>Das hat nicht geklappt<\/h1>\n<p>Erklärt &lt;b&gt;\.<\/p>/s);
  assert.match(pageOf(errorPage('de', 'x', { english: 'Wrong.' })).body, /<p lang="en">Wrong\.<\/p>/);
  assert.match(pageOf(errorPage('ja', 'x', null)).body, /<p>アプリが、/);
});
