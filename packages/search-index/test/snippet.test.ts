import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wordsOf } from '@notevault/note-text/words.ts';
import fc from 'fast-check';
import { processorMs } from '../../note-text/test/processor.ts';
import { plainText } from '../src/snippets/plain-text.ts';
import { SnippetMaker } from '../src/snippets/snippet.ts';
import { snippetSource } from '../src/snippets/snippet-source.ts';

const MINOR = ['the', 'to', 'be', 's'];
/** A maker for words that say the same, except for minor ones. */
const makerFor = (...words: string[]) =>
  new SnippetMaker(words.map((word, term) => ({ word, term, weight: 1, isMinor: MINOR.includes(word) })));

const marked = (text: string, ...words: string[]) => {
  const { snippet, highlights } = makerFor(...words).snippetOf(text);
  return { snippet, marked: highlights.map(([from, to]) => snippet.slice(from, to)) };
};

test('plainText removes the markdown syntax', () => {
  const cases: Record<string, string> = {
    '# Title #\n\nA **bold** and _slanted_ `code` ~~gone~~ ==seen==.': 'Title A bold and slanted code gone seen.',
    '- [x] done\n- item\n1. first\n> > quoted': 'done item first quoted',
    '> [!tip]- Callout\n> text': 'Callout text',
    '[[Note]] [[Note|shown]] ![[image.png]] [label](https://example.org/a_b "t") ![alt](x.png)': 'Note shown label alt',
    '| a | b |\n|---|:-:|\n| 1 | 2 |': 'a b 1 2',
    '```js\nlet a_b = c * d;\n```\n---\n***': 'let a_b = c * d;',
    'a <b class="x">bold</b> <!-- note --> word <script>alert(1)</script>': 'a bold word alert(1)',
    'Map<string, number> and a < b, <unknown-tag x>': 'Map‹string, number> and a < b, ‹unknown-tag x>',
    'snake_case_name 5 \\* 3 \\# x': 'snake_case_name 5 * 3 # x',
    '  \r\n\ttabs\u0000 and\u0007 bells  ': 'tabs and bells',
  };
  for (const [markdown, plain] of Object.entries(cases)) assert.equal(plainText(markdown), plain);
});

test('plainText gives one line in which no HTML tag can begin, for any note', () => {
  const pieces = fc.constantFrom(
    '<',
    '<',
    '</',
    '<!--',
    '>',
    'script',
    'img src=x onerror=y',
    ' ',
    '\n',
    '[[',
    ']]',
    '|',
    '*',
    '_',
    '`',
    '\\',
    '%%',
    '](',
    '🎉',
    'ア',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const plain = plainText(parts.join(''));
      assert.doesNotMatch(plain, /<[a-zA-Z/!?]/);
      assert.doesNotMatch(plain, /[\n\r\t\u0000]/);
    }),
    { numRuns: 750 },
  );
});

test('a snippet holds the best match, highlights words as they are spelt, and has at most 300 units', () => {
  const filler = 'Rope and sail and mast and keel. '.repeat(30);
  const text = `${filler} lantern. ${filler} The **Ländern** lantern by [[x|the harbour]]. ${filler}`;
  const found = marked(text, 'lantern', 'harbour', 'landern');
  assert.match(found.snippet, /The Ländern lantern by the harbour\./);
  assert.deepEqual(found.marked, ['Ländern', 'lantern', 'harbour']);
  assert.ok(found.snippet.startsWith('…') && found.snippet.endsWith('…'));
  assert.deepEqual(marked('One line.', 'nothing'), { snippet: 'One line.', marked: [] });
  assert.deepEqual(marked('the lantern', 'the', 'lantern').marked, ['lantern']);
  assert.deepEqual(marked('to be', 'to', 'be').marked, ['to', 'be']);
  assert.deepEqual(marked("the keeper's lantern", 's', 'lantern').marked, ['lantern']);
  assert.deepEqual(marked('検索機能の使い方', '検索').marked, ['検索']);
  const ropes = 'rope '.repeat(100);
  for (const long of [ropes, 'x'.repeat(1000), 'ア'.repeat(1000), `${ropes}lantern ${ropes}`]) {
    const { length } = marked(long, 'lantern').snippet;
    assert.ok(length > 290 && length <= 300, `${length} of ${long.slice(0, 9)}`);
  }
  assert.equal(marked(`${'x'.repeat(20_000)} lantern ${'y '.repeat(9000)}`, 'lantern').marked[0], 'lantern');
});

test('a snippet shows the rarest words of a query, and other forms of one word only once', () => {
  const filler = 'Rope and sail and mast and keel. '.repeat(30);
  const words = [
    { word: 'rope', term: 0, weight: 0.1, isMinor: false },
    { word: 'ropes', term: 0, weight: 0.1, isMinor: false },
    { word: 'sail', term: 1, weight: 0.1, isMinor: false },
    { word: 'lantern', term: 2, weight: 3, isMinor: false },
  ];
  assert.match(new SnippetMaker(words).snippetOf(`${filler}A lantern burns. ${filler}`).snippet, /lantern/);
  const forms = `Rope and ropes of the rope maker. ${'x '.repeat(300)} Rope and sail. ${'x '.repeat(300)}`;
  assert.match(new SnippetMaker(words).snippetOf(forms).snippet, /sail/);
});

test('the text of a snippet begins after the frontmatter, and is long enough', () => {
  const content = `---\ntags: [sea]\n---\n# Coast\n\nThe lantern.\n${'x'.repeat(900)}`;
  assert.ok(snippetSource(content, 0, 30).startsWith('# Coast\n\nThe lantern.'));
  assert.equal(snippetSource(content, 0, 30).length, 600);
  assert.equal(snippetSource(content, 4, 900).charAt(0), '#');
  assert.equal(snippetSource('ab', 1, 2), 'b');
});

test('plainText shows no file names of images, but the text beside them', () => {
  const cases = {
    'Click ![[lucide-cog.svg#icon]] Settings': 'Click Settings',
    '![[a b.png|200]] x ![[chart.png|the chart]]': 'x the chart',
    '![[Other note]] ![[Other.md]]': 'Other note Other.md',
    '![](x.png) ![x.png](y) ![100x50](y) ![a plan](y) [v1.png](y)': 'a plan v1.png',
  };
  for (const [markdown, plain] of Object.entries(cases)) assert.equal(plainText(markdown), plain);
});

test('highlights of a snippet are on words, in order, and inside it, for any text', () => {
  const word = fc.constantFrom(
    'lantern',
    'Lantern',
    '🎉',
    'ア',
    'é',
    '**',
    '[[',
    ']]',
    ' ',
    '\n',
    '<b>',
    'rope rope rope rope rope rope',
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 120, size: 'max' }), (parts) => {
      const { snippet, highlights } = makerFor('lantern', 'ア').snippetOf(parts.join(' '));
      assert.ok(snippet.length <= 300 && snippet.isWellFormed());
      let last = 0;
      for (const [from, to] of highlights) {
        assert.ok(from >= last && to > from && to <= snippet.length);
        assert.ok(['lantern', 'ア'].includes(wordsOf(snippet.slice(from, to))[0] ?? ''));
        last = to;
      }
    }),
    { numRuns: 250 },
  );
});

test('a snippet of a hostile megabyte takes linear time', () => {
  for (const unit of [
    'a',
    ' ',
    '[',
    '[[',
    '](',
    '<',
    '<a ',
    '*',
    '_',
    '`',
    '|',
    '> ',
    '- ',
    '\n',
    '---\n',
    '\\',
    'ア',
    '#',
    '"',
  ]) {
    const took = processorMs(() => {
      plainText(unit.repeat(100_000));
      makerFor('a').snippetOf(unit.repeat(500_000));
    });
    assert.ok(took < 3000, JSON.stringify(unit));
  }
});
