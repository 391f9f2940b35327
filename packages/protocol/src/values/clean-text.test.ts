import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanName, cleanText, requiredName } from './clean-text.ts';

const fails = (field: string, message: string) => (error: Error & { details?: unknown }) => {
  assert.deepEqual(error.details, { errors: { [field]: [message] } });
  return true;
};

test("cleanText returns a stranger's text on one line, shortened, without characters that reverse it", () => {
  assert.equal(cleanText(' a\n\tb\u202ec\u2066\u200bd '), 'a b c d');
  assert.equal(cleanText('x'.repeat(300)), 'x'.repeat(255));
  assert.equal(cleanText('\ud800'), '\ufffd');
  assert.equal(cleanText('👩\u200d💻 می\u200cخواهم \u200d'), '👩\u200d💻 می\u200cخواهم');
  for (const nothing of ['', ' \n', '\u200b', undefined, 7, null]) assert.equal(cleanText(nothing), null);
});

test('cleanName refuses control characters, bidi controls and invisible characters', () => {
  const between = [
    '\u0000',
    '\n',
    '\u0085',
    '\u00ad',
    '\u034f',
    '\u061c',
    '\u115f',
    '\u180e',
    '\u200b',
    '\u200e',
    '\u200f',
  ];
  const more = [
    '\u2028',
    '\u202a',
    '\u202e',
    '\u2060',
    '\u2066',
    '\u2069',
    '\u2800',
    '\u3164',
    '\ufe00',
    '\ufeff',
    '\ufff9',
  ];
  const astral = ['\u{1d173}', '\u{e0001}', '\u{e0041}', '\u{e0100}'];
  const joiners = ['\u200c', '\u200d', '\ufe0e', '\ufe0f'];
  const names = [
    ...[...between, ...more, ...astral].map((hidden) => `al${hidden}ice`),
    ...joiners.flatMap((joiner) => [joiner, `${joiner}alice`, `alice${joiner}`, `alice ${joiner}b`, `al${joiner} ice`]),
    ...['al\u200d\u200dice', 'al\ufe0f\ufe0fice', '🏴\u{e0067}\u{e0062}\u{e007f}', '❤\ufe0f\u200d'],
  ];
  const message = 'must not have control or invisible characters';
  for (const name of names) {
    assert.throws(() => cleanName(name, 'display_name'), fails('display_name', message), JSON.stringify(name));
  }
});

test('cleanName keeps names of any script, with emoji and joiners between visible characters', () => {
  for (const name of [
    ...['Алиса 😀', 'می\u200cخواهم', 'क\u094d\u200dष', '葛\u3000城', 'ג׳ון', 'a\u0301', 'سنة\u0601', 'O’Brien-Ng'],
    ...[
      '👩\u200d👩\u200d👧',
      '👁\ufe0f\u200d🗨\ufe0f',
      '🏳\ufe0f\u200d🌈',
      '1\ufe0f\u20e3 first',
      '❤\ufe0f',
      'Home ☕\ufe0e',
      '❤\ufe0f Home',
    ],
    ...['🇩🇪', '👩🏽\u200d💻', '🕵\ufe0f\u200d♂\ufe0f'],
  ]) {
    assert.equal(cleanName(` ${name}\n`), name);
  }
});

test('cleanName counts characters and returns nothing of a blank name, which requiredName refuses', () => {
  assert.equal(cleanName('😀'.repeat(80), 'name', 80).length, 160);
  assert.throws(() => cleanName('x'.repeat(81), 'name', 80), fails('name', 'must have at most 80 characters'));
  assert.equal(cleanName('\ud800'), '\ufffd');
  for (const blank of ['', ' \u3000\n']) {
    assert.equal(cleanName(blank), '');
    assert.throws(() => requiredName(blank), fails('name', "can't be blank"));
  }
});

test('cleanName accepts what cleanText returns', () => {
  const pieces = ['\u200d', '\ufe0f', '\u202e', '❤', ' ', 'a', '\u20e3'];
  let texts = [''];
  for (let length = 1; length <= 5; length++) {
    texts = texts.flatMap((text) => pieces.map((piece) => text + piece));
    for (const text of texts) {
      const clean = cleanText(text, 3) ?? '';
      assert.equal(cleanName(clean, 'name', 3), clean);
    }
  }
});
