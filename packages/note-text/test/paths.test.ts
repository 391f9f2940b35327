import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../../server/test/kit/content/any-character.ts';
import {
  ancestorsOf,
  decodeUrlPath,
  depthOf,
  fileName,
  fileStem,
  folderOf,
  foldPath,
  isInside,
  joinPath,
  normalizeNotePath,
  normalizePath,
  PathError,
} from '../src/paths.ts';

/**
 * Text dense in characters that are hard for paths: separators, dots, combining marks, letters with unusual case
 * folding.
 */
const oddText = fc
  .array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.constantFrom(...'/\\./..-aA bßẞſÅåΣσςİiIıΐᾳŉﬁꭰᏰǅ', '\u0301', '\u0307', '\u0345', 'by-id', '.md'),
      },
      { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 3 }) },
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''));

function reasonOf(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    if (error instanceof PathError) return error.reason;
    throw error;
  }
  return 'accepted';
}

test('normalizePath follows the path rules', () => {
  assert.equal(normalizePath('a/b.md'), 'a/b.md');
  assert.equal(normalizePath('/a//./b\\c.md/'), 'a/b/c.md');
  assert.equal(normalizePath('Cafe\u0301.md'), 'Caf\u00e9.md');
  assert.equal(normalizePath(' a /b .md'), ' a /b .md');
  assert.equal(normalizePath('...'), '...');
  assert.equal(normalizePath('a:b?*|.md'), 'a:b?*|.md');
});

test('normalizePath explains each error in words', () => {
  assert.equal(
    reasonOf(() => normalizePath('')),
    'must not be empty',
  );
  assert.equal(
    reasonOf(() => normalizePath('/./\\')),
    'must not be empty',
  );
  assert.equal(
    reasonOf(() => normalizePath('a/../b')),
    'must not contain ".." segments',
  );
  assert.equal(
    reasonOf(() => normalizePath('a\\..')),
    'must not contain ".." segments',
  );
  for (const control of ['\0', '\n', '\x1f', '\x7f', '\u0085', '\u009f']) {
    assert.equal(
      reasonOf(() => normalizePath(`a${control}b`)),
      'must not contain control characters',
    );
  }
  assert.equal(
    reasonOf(() => normalizePath('a\ud83d')),
    'must be valid UTF-8',
  );
  assert.equal(
    reasonOf(() => normalizePath('\ude00\0..')),
    'must be valid UTF-8',
  );
  assert.equal(new PathError('must not be empty').message, 'path must not be empty');
});

test('path limits are counted in UTF-8 bytes of the NFC form', () => {
  assert.equal(normalizePath('x'.repeat(255)).length, 255);
  assert.equal(
    reasonOf(() => normalizePath('x'.repeat(256))),
    'must not contain a name longer than 255 bytes',
  );
  assert.equal(normalizePath('é'.repeat(127)).length, 127);
  assert.equal(normalizePath('e\u0301'.repeat(127)).length, 127);
  assert.equal(
    reasonOf(() => normalizePath('é'.repeat(128))),
    'must not contain a name longer than 255 bytes',
  );
  const fits = `${`${'x'.repeat(255)}/`.repeat(15)}${'x'.repeat(253)}/xx`;
  assert.equal(Buffer.byteLength(fits), 4096);
  assert.equal(normalizePath(`/${fits}//`), fits);
  assert.equal(
    reasonOf(() => normalizePath(`${fits}x`)),
    'must not be longer than 4096 bytes',
  );
});

test('normalizePath is idempotent and yields only plain segments', () => {
  fc.assert(
    fc.property(oddText, (raw) => {
      let path: string;
      try {
        path = normalizePath(raw);
      } catch (error) {
        assert.ok(error instanceof PathError);
        return;
      }
      assert.equal(normalizePath(path), path);
      for (const segment of path.split('/')) assert.ok(!['', '.', '..'].includes(segment));
      assert.ok(path.isWellFormed() && path === path.normalize('NFC') && !path.includes('\\'));
    }),
    { numRuns: 500 },
  );
});

test('normalizeNotePath requires .md and refuses by-id as first segment', () => {
  assert.equal(normalizeNotePath('a/B.MD'), 'a/B.MD');
  assert.equal(normalizeNotePath('a/by-id/b.md'), 'a/by-id/b.md');
  assert.equal(normalizeNotePath('by-id.md'), 'by-id.md');
  assert.equal(normalizeNotePath('by-ids/a.md'), 'by-ids/a.md');
  assert.equal(
    reasonOf(() => normalizeNotePath('a.txt')),
    'must end in ".md"',
  );
  assert.equal(
    reasonOf(() => normalizeNotePath('a.md/b')),
    'must end in ".md"',
  );
  assert.equal(
    reasonOf(() => normalizeNotePath('/by-id/a.md')),
    'must not begin with the segment "by-id"',
  );
  assert.equal(
    reasonOf(() => normalizeNotePath('By-ID/a.md')),
    'must not begin with the segment "by-id"',
  );
});

test('decodeUrlPath decodes each segment on its own, once', () => {
  assert.equal(decodeUrlPath('A%2FB.md'), decodeUrlPath('A/B.md'));
  assert.equal(decodeUrlPath('100%2525+x%20y.md'), '100%25+x y.md');
  assert.equal(decodeUrlPath('%E3%83%8E%E3%83%BC%E3%83%88.md'), 'ノート.md');
  assert.equal(decodeUrlPath('a%2F..%2Fb'), 'a/../b');
  for (const bad of ['%', 'a%2', '%zz', '%ff', '%c0%af', '%ed%a0%80', '%e3%83/%8e', '%f4%90%80%80']) {
    assert.equal(
      reasonOf(() => decodeUrlPath(bad)),
      'must be valid percent-encoded UTF-8',
      bad,
    );
  }
});

test('decodeUrlPath inverts the encoding of a whole path and of its segments', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (path) => {
      assert.equal(decodeUrlPath(encodeURIComponent(path)), path);
      assert.equal(decodeUrlPath(path.split('/').map(encodeURIComponent).join('/')), path);
    }),
  );
});

test('foldPath makes paths equal that differ only by case or composition', () => {
  const pairs: [string, string][] = [
    ['Straße.md', 'STRASSE.MD'],
    ['ẞ', 'ß'],
    ['ΟΔΟΣ/ΣΑΣ', 'οδος/σας'],
    ['ς', 'σ'],
    ['İ', 'i\u0307'],
    ['Caf\u00e9', 'CAFE\u0301'],
    ['ᏣᎳᎩ', 'ꮳꮃꭹ'],
    ['ᏸ', 'Ᏸ'],
    ['ﬁn', 'FIN'],
    ['ſ', 'S'],
    ['K', 'k'],
    ['ΐ', 'ΐ'],
    ['ᾳ', 'ΑΙ'],
    ['Ǆ', 'ǅ'],
    ['ЁЖ', 'ёж'],
  ];
  for (const [one, other] of pairs) assert.equal(foldPath(one), foldPath(other), `${one} ${other}`);
});

test('foldPath keeps paths apart that Unicode keeps apart', () => {
  const pairs: [string, string][] = [
    ['ı', 'i'],
    ['İ', 'i'],
    ['é', 'e'],
    ['ガ', 'カ'],
    ['Ａ', 'a'],
    ['²', '2'],
  ];
  for (const [one, other] of pairs) assert.notEqual(foldPath(one), foldPath(other), `${one} ${other}`);
});

test('foldPath agrees with every single-letter case pair of the regular expression engine', () => {
  for (let code = 0; code <= 0x1ffff; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue;
    const letter = String.fromCodePoint(code);
    const folded = foldPath(letter);
    assert.equal(foldPath(folded), folded);
    for (const other of [letter.toLowerCase(), letter.toUpperCase()]) {
      if (other === letter || [...other].length !== 1) continue;
      const same = new RegExp(`^${letter}$`, 'iu').test(other);
      assert.equal(foldPath(other) === folded, same, `${letter} ${other}`);
    }
  }
});

test('foldPath is idempotent and independent of composition', () => {
  fc.assert(
    fc.property(oddText, (text) => {
      const folded = foldPath(text);
      assert.equal(foldPath(folded), folded);
      assert.equal(foldPath(text.normalize('NFD')), folded);
      assert.equal(foldPath(text.normalize('NFC')), folded);
    }),
    { numRuns: 1250 },
  );
});

test('folderOf, fileName, fileStem, ancestorsOf and depthOf split a path', () => {
  assert.equal(folderOf('a/b/c.md'), 'a/b');
  assert.equal(folderOf('c.md'), '');
  assert.equal(folderOf(''), '');
  assert.equal(fileName('a/c.md'), 'c.md');
  assert.equal(fileName('c.md'), 'c.md');
  assert.equal(fileStem('a/v1.2 notes.Md'), 'v1.2 notes');
  assert.equal(fileStem('a.md/p.png'), 'p.png');
  assert.equal(fileStem('x.md.md'), 'x.md');
  assert.deepEqual(ancestorsOf('a/b/c.md'), ['a/b', 'a']);
  assert.deepEqual(ancestorsOf('c.md'), []);
  assert.deepEqual(ancestorsOf(''), []);
  assert.equal(depthOf(''), 0);
  assert.equal(depthOf('a/b/c.md'), 3);
  assert.equal(joinPath('', 'c.md'), 'c.md');
  assert.equal(joinPath('a/b', 'c.md'), 'a/b/c.md');
});

test('isInside stops at segment boundaries and ignores case', () => {
  assert.ok(isInside('a', 'a/b.md'));
  assert.ok(isInside('STRASSE', 'straße/x/y.md'));
  assert.ok(isInside('', 'a.md'));
  assert.ok(!isInside('a', 'ab/c.md'));
  assert.ok(!isInside('a', 'a'));
  assert.ok(!isInside('', ''));
});

test('joinPath restores a path from its folder and file name', () => {
  const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).map((part) => part.replaceAll('/', '_'));
  fc.assert(
    fc.property(fc.array(name, { minLength: 1, maxLength: 6 }), (segments) => {
      const path = segments.join('/');
      assert.equal(joinPath(folderOf(path), fileName(path)), path);
      assert.equal(depthOf(path), segments.length);
      assert.equal(ancestorsOf(path).length, segments.length - 1);
      for (const folder of ancestorsOf(path)) assert.ok(isInside(folder, path));
    }),
  );
});
