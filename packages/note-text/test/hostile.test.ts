import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deriveNote } from '../src/derive.ts';
import { processorMs } from './processor.ts';

/** Texts of about `size` characters on which scanners of this kind have taken seconds to hours. */
const hostile: Record<string, (size: number) => string> = {
  'wikilink openers': repeat('[['),
  'wikilink openers with text': repeat('[[a'),
  'wikilink openers with pipes': repeat('[[a|'),
  'link openers': repeat('[a]('),
  'link openers with angles': repeat('[a](<b'),
  'link openers with titles': repeat('[a](b "'),
  'link openers with parentheses': repeat('[a]((('),
  'image openers': repeat('!['),
  'nested images': (size) => '!['.repeat(size / 8) + '](x)'.repeat(size / 5),
  'nested brackets': (size) => '['.repeat(size / 2) + ']'.repeat(size / 2),
  'brackets around links': (size) => '['.repeat(size / 2) + '[a](b)'.repeat(size / 12),
  'brackets with definitions': (size) => `[a]: b\n\n${'['.repeat(size / 2)}${']'.repeat(size / 2)}`,
  'label openers': (size) => `[a]: b\n\n${'[a]['.repeat(size / 4)}`,
  'definition marks': repeat('[a]:'),
  'definition lines': repeat('[a]:\n'),
  'definitions with open titles': repeat('[a]: b "\n'),
  'growing backtick runs': growingRuns,
  'shrinking backtick runs': (size) => [...growingRuns(size)].reverse().join(''),
  'backticks with text': repeat('`a``b'),
  fences: repeat('```\n'),
  'comment marks': repeat('%%'),
  'comment marks on lines': repeat('%%\n'),
  'comment marks in paragraphs': repeat('%% a\n\n'),
  'HTML comments': repeat('<!--'),
  'HTML comments on lines': repeat('a\n<!-- -->\n'),
  'HTML attributes': repeat('<a b="'),
  'HTML attributes with mixed quotes': repeat('<a b=\'<a b="'),
  'image openers of HTML': repeat('<img src="'),
  'images of HTML': repeat('<img src=a>'),
  'images of HTML with attributes': (size) => `<img ${'a="b" '.repeat(60)}src=a>`.repeat(size / 370),
  'one image of HTML with a long source': (size) => `<img src="${'&amp;%20'.repeat(size / 8)}">`,
  'HTML declarations': repeat('<!A <?b <![CDATA['),
  autolinks: repeat('<http:'),
  dollars: repeat('$a '),
  'dollar lines': repeat('$$\n'),
  'number signs': repeat('#'),
  'heading marks': repeat('# '),
  'heading closers': (size) => `# a ${'# '.repeat(size / 2)}`,
  tags: repeat(' #a/b'),
  'one long tag': (size) => `#${'a/'.repeat(size / 2)}`,
  asterisks: repeat('*'),
  'nested bullets': repeat('* '),
  'nested dashes before text': (size) => `${'- '.repeat(size / 2)}x`,
  'nested numbers': repeat('1. '),
  'nested lists by lines': nestedLists,
  'blank lines in nested lists': (size) => `${'- '.repeat(100)}a\n${'\n'.repeat(size)}`,
  'quoted blank lines in nested lists': (size) => `> ${'- '.repeat(100)}a\n${'>\n'.repeat(size / 2)}`,
  'nested quotes': repeat('>'),
  'nested quotes on lines': (size) => `${'>'.repeat(100)}\n`.repeat(size / 101),
  'footnote marks': repeat('[^a]: '),
  'table cells': (size) => `${'|'.repeat(size / 2)}\n${'|-'.repeat(size / 4)}`,
  'table rows': (size) => `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(size / 6)}`,
  'delimiter rows': repeat('|-|\n'),
  'setext headings': repeat('a\n=\n'),
  'blank lines': repeat('\n'),
  'carriage returns': repeat('\r'),
  tabs: repeat('\t'),
  backslashes: repeat('\\'),
  'lone surrogates': repeat('\ud800[[#'),
  'unterminated frontmatter of blank lines': (size) => `---\na:${'\n'.repeat(size)}`,
  'frontmatter of blank lines': (size) => `---\n${'\n'.repeat(size)}---\n`,
  'frontmatter of dashes': (size) => `---\n${'--\n'.repeat(size / 3)}`,
  'frontmatter of nested lists': (size) => `---\na: ${'['.repeat(size)}\n---\n`,
};

/** Frontmatter just under the limit in bytes; YAML above the limit is not parsed. */
const hostileYaml: Record<string, string> = {
  'blank lines': '\n',
  'lines of spaces': '  \n',
  'open lists': '[',
  'open mappings': '{a: ',
  'nested dashes': '- ',
  'explicit keys': '? ',
  anchors: '&a ',
  tags: '! ',
  quotes: '"',
  colons: ': ',
  'key lines': 'a: b: c\n',
  documents: '--- a\n',
  comments: '# c\n',
  keys: 'a:\n',
};

function repeat(unit: string): (size: number) => string {
  return (size) => unit.repeat(size / unit.length);
}

function growingRuns(size: number): string {
  let text = '';
  for (let length = 1; text.length < size; length++) text += `${'`'.repeat(length)} `;
  return text;
}

function nestedLists(size: number): string {
  let text = '';
  for (let line = 0; text.length < size; line++) text += `${'  '.repeat(line % 100)}- a\n`;
  return text;
}

/** Processor time in milliseconds of the fastest of several runs; the others include unrelated work. */
function time(content: string, runs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    best = Math.min(
      best,
      processorMs(() => deriveNote('a.md', content)),
    );
  }
  return best;
}

const bound = 50;
/** Allows for a busy machine; quadratic time would exceed it a hundredfold. */
const slack = 5;

for (const [name, make] of Object.entries(hostile)) {
  test(`scan reads 100 KB of ${name} in linear time`, () => {
    const small = time(make(100 * 1024), 4);
    assert.ok(small < bound * slack, `${small} ms`);
    const large = time(make(400 * 1024), 3);
    // Linear time grows fourfold, quadratic sixteenfold; below ten milliseconds the clock and the garbage collector
    // decide.
    assert.ok(large < 10 * Math.max(small, 10), `100 KB: ${small} ms, 400 KB: ${large} ms`);
  });
}

for (const [name, unit] of Object.entries(hostileYaml)) {
  test(`readFrontmatter reads ${name} in linear time`, () => {
    for (const size of [15_000, 65_000]) {
      const taken = time(`---\n${unit.repeat(size / unit.length)}\n---\n`, 4);
      assert.ok(taken < bound * slack, `${size} characters: ${taken} ms`);
    }
  });
}
