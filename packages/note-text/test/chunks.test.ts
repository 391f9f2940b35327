import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { allNotes } from '../../../server/test/kit/content/test-vault.ts';
import { type Chunk, chunksOf, headingPath, maxChunks, tokensOf } from '../src/chunks.ts';
import { processorMs } from './processor.ts';

const shown = (content: string, maxTokens: number) =>
  chunksOf(content, maxTokens).map(({ start, end, headings }) => [headingPath(headings), content.slice(start, end)]);

describe('chunks', () => {
  test('chunks follow headings and carry the chain of headings above them', () => {
    const long = 'word '.repeat(20);
    const content = `intro ${long}\n# A\n${long}\n## B\n${long}\n### C\n${long}\n## D\n${long}\n# E\n${long}`;
    assert.deepEqual(
      shown(content, 40).map(([path]) => path),
      ['', 'A', 'A > B', 'A > B > C', 'A > D', 'E'],
    );
    assert.equal(shown(content, 40)[1]?.[1], `# A\n${long}\n`);
  });
  test('chunks keep a heading without text, and frontmatter, with the text after it', () => {
    const content = '---\ntitle: T\n---\n# A\n\n## B\ntext of B\n';
    assert.deepEqual(shown(content, 100), [['A > B', content]]);
  });
  test('chunks keep frontmatter with the first section only while both fit', () => {
    const content = `---\ntitle: ${'T'.repeat(100)}\n---\n# A\n${'word '.repeat(30)}`;
    assert.deepEqual(
      shown(content, 50).map(([path]) => path),
      ['', 'A'],
    );
  });
  test('chunks join small sections of one parent under that parent', () => {
    const content = '# Words\n## ask\nto\n## bet\non\n## cut\nup\n# Other\nx\n';
    assert.deepEqual(
      shown(content, 100).map(([path]) => path),
      ['Words', 'Other'],
    );
  });
  test('chunks cut a long section before paragraphs, else lines, else sentences, else words', () => {
    const parts = (text: string) => shown(text, 10).map(([, part]) => part);
    assert.deepEqual(parts(`${'a b '.repeat(7)}\n\n${'c d '.repeat(7)}`), [
      `${'a b '.repeat(7)}\n\n`,
      'c d '.repeat(7),
    ]);
    assert.deepEqual(parts(`${'a b '.repeat(7)}x\n${'c d '.repeat(7)}`), [`${'a b '.repeat(7)}x\n`, 'c d '.repeat(7)]);
    assert.deepEqual(parts(`${'a b '.repeat(7)}x. ${'c d '.repeat(7)}`), [`${'a b '.repeat(7)}x. `, 'c d '.repeat(7)]);
    assert.deepEqual(parts(`${'aaaaaa '.repeat(6)}${'b'.repeat(20)}`), [
      'aaaaaa '.repeat(5),
      `aaaaaa ${'b'.repeat(20)}`,
    ]);
    assert.deepEqual(parts('今日は晴れです。明日は雨でしょう。'), ['今日は晴れです。', '明日は雨でしょう。']);
  });
  test('chunks count one token for a CJK character and one for four Latin letters', () => {
    assert.equal(tokensOf('知識'), 2);
    assert.equal(tokensOf('abcdefgh'), 2);
    assert.equal(tokensOf('заметк'), 3);
  });
  test('chunks cut an endless heading, but not inside a surrogate pair', () => {
    const [chunk] = chunksOf(`# ${'a'.repeat(199)}${'😀'.repeat(50)}\n`, 1000);
    assert.equal(headingPath(chunk?.headings ?? []), 'a'.repeat(199));
  });
  test('chunks are none for an empty note', () => {
    assert.deepEqual(chunksOf('', 100), []);
  });
});

describe('chunks of any note', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '# A\n',
      '## B\n',
      '###### F\n',
      'A\n===\n',
      '> # Q\n',
      '- # L\n',
      '---\n',
      '---\na: b\n---\n',
      '```\n',
    ),
    fc.constantFrom('\n', '\n\n', '\r\n', ' ', '. ', '。', 'word ', '知識', '😀', '\ud800', '\udc00', 'x'.repeat(50)),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
  );
  const note = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

  test('chunks of any note cover the note in order, split no surrogate pair and keep to the size', () => {
    fc.assert(
      fc.property(note, fc.integer({ min: 1, max: 60 }), (content, maxTokens) => {
        assertWhole(content, chunksOf(content, maxTokens), maxTokens);
      }),
      { numRuns: 500 },
    );
  });
  test('chunks of any note are never more than maxChunks', () => {
    for (const content of [
      '# a\n'.repeat(5000),
      '# a\nb\n'.repeat(4000),
      'a b c d\n\n'.repeat(16_000),
      'x'.repeat(500_000),
      '😀'.repeat(80_000),
      `${'# a\n'.repeat(2500)}${'知'.repeat(80_000)}`,
    ]) {
      const chunks = chunksOf(content, 4);
      assert.ok(chunks.length <= maxChunks, `${chunks.length}`);
      assert.ok(chunks.length > maxChunks / 4, `${chunks.length}`);
      assertWhole(content, chunks, Number.POSITIVE_INFINITY);
    }
  });
  test("chunks of any note are made in time linear in the note's length", () => {
    const took = (content: string) => processorMs(() => chunksOf(content, 200));
    for (const unit of ['# a\n', 'word ', 'x', '\n', '知', '> # q\n', '---\n']) {
      took(unit.repeat(20_000));
      const ms = took(unit.repeat(250_000));
      assert.ok(ms < 3000, `${JSON.stringify(unit)} took ${ms} ms`);
    }
  });
  test('chunks of any note keep these rules over the notes of the test vault', () => {
    for (const [path, content] of allNotes()) {
      const chunks = chunksOf(content, 50);
      assertWhole(content, chunks, 50);
      assert.ok(chunks.length >= Math.ceil(tokensOf(content) / 50), path);
    }
  });
});

function assertWhole(content: string, chunks: readonly Chunk[], maxTokens: number): void {
  assert.equal(chunks.map(({ start, end }) => content.slice(start, end)).join(''), content);
  let at = 0;
  for (const { start, end } of chunks) {
    assert.equal(start, at);
    assert.ok(end > start);
    const splits = /[\ud800-\udbff]/.test(content.charAt(end - 1)) && /[\udc00-\udfff]/.test(content.charAt(end));
    assert.ok(!splits, 'a pair is split');
    // A surrogate pair alone weighs two tokens, which no smaller chunk can hold.
    assert.ok(tokensOf(content.slice(start, end)) <= Math.max(maxTokens, 2));
    at = end;
  }
  assert.equal(at, content.length);
}
