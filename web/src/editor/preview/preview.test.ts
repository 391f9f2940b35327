import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ensureSyntaxTree } from '@codemirror/language';
import { Compartment, EditorState } from '@codemirror/state';
import { highlightTree } from '@lezer/highlight';
import fc from 'fast-check';
import { noteLanguage } from '../syntax/markdown-language.ts';
import { classesAt, drawnIn, previewState, shownText, stateOf } from '../test/preview-kit.ts';
import { codeStyle, noteStyle } from '../theme/theme.ts';
import { INLINE_RENDERERS } from './preview.ts';
import { changedLines } from './redraw.ts';
import { buildDecorations, redraw } from './visible-walk.ts';

const shown: readonly [string, string, string][] = [
  ['bold', 'a **b** c', 'a b c'],
  ['bold with the cursor at it', 'a **b**‸ c', 'a **b** c'],
  ['bold inside italic', '*a **b** c*', 'a b c'],
  ['struck, highlighted and code', '~~a~~ ==b== `c`', 'a b c'],
  ['a heading', '## Title ##\ntext‸', 'Title\ntext'],
  ['a heading with the cursor on its line', '## Ti‸tle', '## Title'],
  ['a link', '[text](https://example.org "t")', 'text'],
  ['a link with the cursor in it', '[te‸xt](https://example.org)', '[text](https://example.org)'],
  ['a wikilink', '[[Target]] and [[Target#A|alias]]', 'Target and alias'],
  ['a wikilink to a heading', '[[Target#A#B]] and [[#C]]', 'Target⟨⟩A⟨⟩B and C'],
  ['a span', 'a <span class="x">b</span> <span>c', 'a b <span>c'],
  ['code with backticks', '`` ` `` ` a ` `  `', '` a   '],
  ['a break as a tag at the end of a line', 'a<br>\nb<br/>c', 'a\nb<br/>c'],
  ['a list', '- a\n- b', '⟨⟩ a\n⟨⟩ b'],
  ['a numbered list', '1. a', '1. a'],
  ['a task', '- [ ] a\n- [x] b', '⟨⟩ a\n⟨⟩ b'],
  ['a quote', '> a\n> b', 'a\nb'],
  ['a callout', '> [!tip] Title\n> b', '⟨⟩Title\nb'],
  ['an escape', 'a \\*b\\*', 'a *b*'],
  ['a footnote', 'a[^1] b', 'a1 b'],
  ['a formula', 'a $x$ b', 'a ⟨⟩ b'],
  ['a block id', 'a ^id', 'a '],
  ['a block id with the cursor on its line', 'a‸ ^id', 'a ^id'],
  ['inline HTML that is known', 'a <u>b</u> <script>c</script>', 'a b <script>c</script>'],
  ['an image of the web', 'a ![alt](https://example.org/a.png) b', 'a ⟨⟩ b'],
];

test('the preview marks words in another language, so that screen readers speak them as it is spoken', () => {
  const state = previewState('say <span lang="de-AT">Servus</span>, <span lang=x">no</span>');
  const marked = drawnIn(state).filter(({ spec }) => spec.attributes?.lang !== undefined);
  assert.deepEqual(
    marked.map(({ from, to, spec }) => [state.sliceDoc(from, to), spec.attributes.lang]),
    [['Servus', 'de-AT']],
  );
});

for (const [what, source, expected] of shown) {
  test(`the preview shows ${what} without the marks that the cursor does not touch`, () => {
    assert.equal(shownText(previewState(source)), expected);
  });
}

test('reading mode hides marks at the cursor and comments', () => {
  assert.equal(shownText(previewState('a **b‸** %%c%%', 'reading')), 'a b ');
});

test('the preview gives headings, quotes and code their line classes', () => {
  const state = previewState('# A\n\n> b\n\n```js\nc\n```');
  assert.match(classesAt(state, 0), /nv-heading nv-h1/);
  assert.match(classesAt(state, 5), /nv-quote nv-first nv-last/);
  assert.match(classesAt(state, state.doc.length - 5), /nv-code-line/);
});

test('the preview gives headings a level below the note’s name, but not headings without text', () => {
  const roles = (note: string) =>
    drawnIn(stateOf(note, -1)).flatMap(({ from, spec }) =>
      spec.attributes?.role === 'heading' ? [[from, spec.attributes['aria-level']]] : [],
    );
  assert.deepEqual(roles('# A\n\n### B ##\n\n#\n\n## \n'), [
    [0, '2'],
    [5, '4'],
  ]);
  assert.deepEqual(roles('## A\n\n### B\n'), [
    [0, '2'],
    [6, '3'],
  ]);
  assert.deepEqual(roles('One\nTwo\n---\n\nThree\n===\n'), [
    [0, '3'],
    [4, '3'],
    [13, '2'],
  ]);
  assert.deepEqual(roles('> # In a quote\n'), [[0, '2']]);
});

test('the innermost of nested callouts and quotes draws a line', () => {
  const note = '> [!question] A\n> > [!todo] B\n> > > c\n>\n> d';
  const classes = [...note.matchAll(/$/gm)].map(({ index }) => classesAt(previewState(note), index - 1));
  assert.deepEqual(
    classes.map((names) => /nv-callout-\w+(?= |$)|nv-quote/.exec(names)?.[0]),
    ['nv-callout-question', 'nv-callout-info', 'nv-quote', 'nv-callout-question', 'nv-callout-question'],
  );
});

test('escaped characters have no colour of their own', () => {
  const styled = (text: string) => {
    const tree = noteLanguage(null).language.parser.parse(text);
    const classes: string[] = [];
    highlightTree(tree, [noteStyle, codeStyle], (_from, _to, name) => classes.push(name));
    return classes;
  };
  assert.deepEqual(styled('a \\* b'), []);
  assert.equal(styled('a *b*').length, 3);
});

test('reading mode breaks a line at a break that is written as a tag', () => {
  assert.equal(shownText(previewState('a<br>b', 'reading')), 'a⟨⟩b');
});

test('the preview marks links that are refused', () => {
  for (const url of ['javascript:alert(1)', 'JaVaScRiPt:alert(1)', 'data:text/html,x', 'vbscript:x', 'file:///etc']) {
    assert.match(classesAt(previewState(`[x](${url})`), 1), /nv-link-refused/, url);
  }
});

test('a line that is typed as a list item below a paragraph is not drawn as a heading', () => {
  assert.doesNotMatch(classesAt(previewState('para\n-‸'), 0), /nv-heading/);
  assert.match(classesAt(previewState('para\n---'), 0), /nv-heading/);
});

/** Pieces of markdown that are joined at random, because typed markdown is seldom well-formed. */
const piece = fc.constantFrom(
  ...['**', '*', '_', '~~', '==', '`', '```', '[[', ']]', '![[', '|', '[', '](', ')', 'https://a.b', '#', '# ', '#tag'],
  ...['> ', '> [!note] ', '- ', '- [ ] ', '1. ', '\n', '\n\n', '    ', '$', '$$', '%%', '[^1]', '[^1]: ', '^[', ' ^id'],
  ...[
    '---\n',
    'a: b\n',
    '<b>',
    '</b>',
    '<!-- ',
    '-->',
    '\\',
    '| a | b |\n|---|---|\n',
    'word ',
    'ß',
    '語',
    '👩‍👩‍👧',
    '\r\n',
  ],
);
const documents = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(''));

test('the preview draws any text within its bounds and never hides a line end', () => {
  fc.assert(
    fc.property(documents, fc.nat(), fc.constantFrom('preview', 'reading'), (doc, at, mode) => {
      const state = stateOf(doc, at % (doc.length + 1), mode as 'preview');
      assert.equal(state.sliceDoc(), doc);
      for (const { from, to, spec } of drawnIn(state)) {
        assert.ok(from >= 0 && to <= doc.length && from <= to);
        const isReplaced = spec.class === undefined && from < to;
        if (isReplaced)
          assert.ok(!doc.slice(from, to).includes('\n'), `${JSON.stringify(doc.slice(from, to))} is hidden`);
      }
    }),
    { numRuns: 200 },
  );
});

const edits = fc.record({ at: fc.nat(), removed: fc.nat({ max: 12 }), inserted: documents, cursor: fc.nat() });

/** Returns all decorations, in an order that does not depend on how they were built. */
function listed({ decorations, atomic }: ReturnType<typeof redraw>) {
  return [decorations, atomic].map((set) => {
    const found = [];
    for (const at = set.iter(); at.value !== null; at.next()) {
      const { class: name, attributes, widget } = at.value.spec;
      found.push(JSON.stringify([at.from, at.to, name, attributes, widget?.constructor.name, widget]));
    }
    return found.sort();
  });
}

test('after any edit, the preview that is redrawn where it changed is that of all that is visible', () => {
  const starts = fc.record({ doc: documents, at: fc.nat(), above: fc.nat({ max: 30 }), below: fc.nat({ max: 30 }) });
  fc.assert(
    fc.property(starts, fc.array(edits, { maxLength: 4 }), ({ doc, at, above, below }, steps) => {
      let state = stateOf(doc, at % (doc.length + 1));
      let [from, to] = [Math.min(above, doc.length), Math.max(0, doc.length - below)];
      const build = () => buildDecorations(state, [{ from, to: Math.max(from, to) }], INLINE_RENDERERS);
      let built = build();
      for (const step of steps) {
        const start = step.at % (state.doc.length + 1);
        const end = Math.min(state.doc.length, start + step.removed);
        const changes = state.changes({ from: start, to: end, insert: step.inserted });
        const transaction = state.update({ changes, selection: { anchor: step.cursor % (changes.newLength + 1) } });
        state = transaction.state;
        ensureSyntaxTree(state, state.doc.length, 5_000);
        [from, to] = [changes.mapPos(from, -1), changes.mapPos(to, 1)];
        built = redraw(built, transaction, [{ from, to: Math.max(from, to) }], INLINE_RENDERERS);
        assert.deepEqual(listed(built), listed(build()));
      }
    }),
    {
      numRuns: 200,
      // The line is decorated from its start, which was before the block.
      examples: [
        [
          { doc: '    **', at: 1, above: 1, below: 0 },
          [{ at: 0, removed: 0, inserted: '| a | b |\n|---|---|\n**', cursor: 10 }],
        ],
      ],
    },
  );
});

test('an edit draws also what had not been parsed before it', () => {
  const language = new Compartment();
  const state = EditorState.create({ doc: 'one\n\n**two**', extensions: language.of([]) });
  const effects = language.reconfigure(noteLanguage(null));
  const transaction = state.update({ changes: { from: 0, insert: 'x' }, effects });
  assert.deepEqual(changedLines(transaction, [{ from: 0, to: 13 }]).at(-1), { from: 6, to: 13 });
});

test('a letter in a paragraph draws that paragraph alone', () => {
  const note = 'One **a**\n\n> two **b**\n\n- three **c**\n\nfour\n';
  const state = stateOf(note, 2);
  const transaction = state.update({ changes: { from: 2, insert: 'x' } });
  ensureSyntaxTree(transaction.state, note.length, 5_000);
  const all = [{ from: 0, to: note.length + 1 }];
  assert.deepEqual(changedLines(transaction, all), [{ from: 0, to: 10 }]);
});
