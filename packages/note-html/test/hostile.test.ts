import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pageParser } from '../src/grammar/note-syntax.ts';
import { languageParser } from '../src/render/languages.ts';
import { renderNote } from '../src/render/note-html.ts';
import { PAYLOADS } from './payloads.ts';

const links = {
  note: () => '/s/t/n',
  file: (name: string) => ({ href: '/s/t/f', show: /svg$/.test(name) ? 'download' : 'image', name }) as const,
};

function render(source: string) {
  return renderNote(source, { title: '', links, findLanguage: languageParser });
}

const ELEMENTS = new Set(
  (
    'a abbr b bdi bdo blockquote br cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i ' +
    'img input ins kbd li mark ol p pre q rp rt ruby s samp small span strong sub summary sup table caption tbody td ' +
    'tfoot th thead tr time u ul var wbr ' +
    'math semantics annotation mrow mi mo mn mtext mspace mstyle mpadded merror'
  ).split(' '),
);
const ATTRIBUTES = new Set(
  (
    'alt checked class colspan dir disabled download encoding height href id lang loading open rel reversed rowspan ' +
    'scope src start tabindex title type width xmlns display mathcolor mathbackground mathvariant stretchy'
  ).split(' '),
);

/** Asserts that HTML has only elements and attributes that a page may have, and addresses that run nothing. */
function assertHarmless(html: string): void {
  // No text and no value has either bracket, so that every one is that of a tag.
  assert.equal(html.replace(/<\/?[a-z][^<>]*>/gi, '').search(/[<>]/), -1, html);
  for (const [, name = '', rest = ''] of html.matchAll(/<\/?([a-z][a-z\d]*)([^<>]*)>/gi)) {
    assert.ok(ELEMENTS.has(name), `<${name}> in ${html}`);
    const attributes = [...rest.matchAll(/\s([a-z-]+)(?:="([^"]*)")?/gi)];
    assert.equal(rest.replace(/\s([a-z-]+)(?:="([^"]*)")?/gi, '').trim(), '', rest);
    for (const [, attribute = '', value = ''] of attributes) {
      assert.ok(ATTRIBUTES.has(attribute), `${attribute} of <${name}> in ${html}`);
      if (/^(?:href|src)$/.test(attribute)) assert.match(value, /^(?:https?:|mailto:|\/s\/t\/|#)/);
    }
  }
}

test('no hostile note puts a script into its page', () => {
  assert.ok(PAYLOADS.length >= 60);
  for (const payload of PAYLOADS) {
    assertHarmless(render(payload).html);
    assertHarmless(
      render(`- a\n  > ${payload.replaceAll('\n', '\n  > ')}\n\n| a |\n| - |\n| ${payload.replaceAll('\n', ' ')} |`)
        .html,
    );
  }
});

/** Texts that make parsers read on to the end of a paragraph or note again and again. */
const REPEATED = [
  ...[
    '<!-- ',
    '<?',
    '<![CDATA[',
    '<a b="',
    '^[',
    '[^a',
    '[a](',
    '![a](',
    '[[a',
    '$$ a',
    '%% a ',
    '`` a ` ',
    '*a_ ',
    '**a ',
  ],
  ...[
    '> ',
    '- ',
    '1. ',
    '\n> ',
    '|a',
    '| a |\n',
    '==a',
    '~~a',
    '<aa:',
    'a@a.',
    '[a]: b\n',
    '[a] ',
    '#a/',
    ':a',
    '\\',
    '&a',
  ],
];

test('a page is at most in proportion to its note', () => {
  for (const part of REPEATED) {
    const lengths = [4_000, 16_000].map((length) => {
      const { html } = render(part.repeat(Math.ceil(length / part.length)));
      return html.length;
    });
    const [small = 0, large = 0] = lengths;
    assert.ok(large <= 8 * small + 1_000, `${JSON.stringify(part)}: ${small}, ${large}`);
    assert.ok(small <= 80 * 4_000, `${JSON.stringify(part)}: ${small}`);
  }
});

test('no text that is searched for the end of a mark is longer than a part', () => {
  let longest = 0;
  const counting = pageParser.configure({
    parseInline: [
      {
        name: 'Counter',
        after: 'LongText',
        parse(cx) {
          longest = Math.max(longest, cx.text.length);
          return -1;
        },
      },
    ],
  });
  for (const part of REPEATED) counting.parse(part.repeat(2_000));
  assert.ok(longest <= 4_000, String(longest));
});

test('quotes and lists are nested at most to a depth that browsers show', () => {
  const nested = Array.from({ length: 500 }, (_, depth) => `${'  '.repeat(depth)}- a`).join('\n');
  for (const source of ['> '.repeat(50_000), `${'- '.repeat(5_000)}\n${'\n'.repeat(5_000)}`, nested]) {
    let depth = 0;
    let deepest = 0;
    for (const [tag] of render(source).html.matchAll(/<\/?(?:blockquote|ul|li)\b/g)) {
      depth += tag.startsWith('</') ? -1 : 1;
      deepest = Math.max(deepest, depth);
    }
    assert.ok(deepest <= 250, String(deepest));
  }
});

test('a comment of a long paragraph stays hidden wherever the paragraph is parsed in parts', () => {
  for (const [open, close] of [
    ['%%', '%%'],
    ['<!--', '-->'],
  ] as const) {
    for (let before = 3_900; before < 4_020; before += 7) {
      const { html } = render(`a\n${'b '.repeat(before / 2)}${open} secret\nsecret ${close}\n${'c '.repeat(3_000)}`);
      assert.doesNotMatch(html, /secret/, `${open} after ${before}`);
    }
    const { html } = render(`${'b '.repeat(1_000)}${open}${' secret'.repeat(2_000)}${close} c`);
    assert.doesNotMatch(html, /secret/);
    assert.match(html, /c<\/p>$/);
  }
});

test('a note that is too long is cut between paragraphs', () => {
  const note = `${`${'a '.repeat(2_000)}\n\n`.repeat(65)}%% secret\n${'secret '.repeat(2_000)}%%\n\nb`;
  const { html, isCut } = render(note);
  assert.ok(isCut);
  assert.doesNotMatch(html, /secret/);
  assert.ok(!render('a').isCut);
});
