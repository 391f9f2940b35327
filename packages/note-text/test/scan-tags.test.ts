import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scan } from '../src/scan.ts';

function tags(content: string): string[] {
  return scan(content).tags;
}

test('a tag follows the start of the text or white space', () => {
  assert.deepEqual(tags('#a b #c\n#d\t#e \u3000#f'), ['a', 'c', 'd', 'e', 'f']);
  assert.deepEqual(tags('x#a (#b) **#c** /#d'), []);
  assert.deepEqual(tags('> #a\n- #b\n1. #c\n# #d e\n| h |\n|-|\n| #f |'), ['a', 'b', 'c', 'd', 'f']);
});

test('tags nest with slashes; a slash at the end is not part of the tag', () => {
  assert.deepEqual(tags('#a/b/c #d/ #e//f #/g'), ['a/b/c', 'd', 'e']);
});

test('a tag is not only digits or punctuation', () => {
  assert.deepEqual(tags('#123 #\uff11\uff12 #1a #y2024 #- #_ #1-2'), ['1a', 'y2024', '1-2']);
});

test('tags may use any script and emoji', () => {
  assert.deepEqual(
    tags(
      '#\u30bf\u30b0 #\u0442\u0435\u0433/\u043f\u043e\u0434 #na\u00efve #\u0928\u093f #\u{1f600} #\u{1f468}\u200d\u{1f469} #\u{1f44d}\u{1f3fd}x #a_b-c',
    ),
    [
      '\u30bf\u30b0',
      '\u0442\u0435\u0433/\u043f\u043e\u0434',
      'na\u00efve',
      '\u0928\u093f',
      '\u{1f600}',
      '\u{1f468}\u200d\u{1f469}',
      '\u{1f44d}\u{1f3fd}x',
      'a_b-c',
    ],
  );
});

test('sentence punctuation ends a tag', () => {
  assert.deepEqual(tags("#a, #b. #c! #d's #e#f #\u30bf\u30b0\u3002\u6b21 #g\u2014h"), [
    'a',
    'b',
    'c',
    'd',
    'e',
    '\u30bf\u30b0',
    'g',
  ]);
});

test('tags in code, links, comments, HTML, URLs, mathematics, frontmatter or behind an escape are ignored', () => {
  const content = [
    '---\nx: #no\n---',
    '` #no ` [[a #no]] [b #no](c.md) ![b #no](c.png) [b #no][r] <!-- #no --> %% #no %%',
    '<span title="a #no"> <http://a.example/ #yes1> http://a.example/#no $x #no$ \\#no',
    '',
    '```\n#no\n```',
    '',
    '    #no',
    '',
    '[r]: c.md "a #no"',
    '',
    '[x #yes2] [b #yes3](c d)',
  ].join('\n');
  assert.deepEqual(tags(content), ['yes1', 'yes2', 'yes3']);
});

test('tags keep their first casing, in NFC', () => {
  assert.deepEqual(tags('#Ab #aB #AB #e\u0301 #\u00c9'), ['Ab', '\u00e9']);
});

test('a note has at most 1,000 tags, none longer than 255', () => {
  const many = Array.from({ length: 1_500 }, (_, i) => `#t${i}`).join(' ');
  assert.equal(tags(many).length, 1_000);
  assert.deepEqual(tags(`#${'a'.repeat(256)} #${'b'.repeat(255)}`), ['b'.repeat(255)]);
});
