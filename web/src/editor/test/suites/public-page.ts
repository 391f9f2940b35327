import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { languageParser } from '@notevault/note-html/render/languages.ts';
import { renderNote } from '@notevault/note-html/render/note-html.ts';
import type { PageLinks } from '@notevault/note-html/render/resolver.ts';
import type { EditorBrowser } from '../browser.ts';
import { PIXEL } from './rich.ts';
import { readElement, shownLines } from './shown-lines.ts';

/** Notes that a public page shows exactly as reading mode does, by what they contain. */
const ALIKE: Readonly<Record<string, string>> = {
  marks: '**a** *b* ***c*** ~~d~~ ==e== `f` H~2~O x^2^ **bold *nested* `code`** \\*no\\*',
  'HTML tags':
    '<b>a</b> <i>b</i> <u>c</u> <s>d</s> <mark>e</mark> <kbd>f</kbd> <code>g</code> x<sup>2</sup><br>next <div>x</div>',
  headings:
    '# One\n\ntext\n\n## Two *em*\n\n### Three\n\n#### Four\n\n##### Five\n\n###### Six\n\nSetext\n======\n\nOther\n-----',
  paragraphs: 'one\ntwo  \nthree\n\nfour',
  links:
    '[web](https://a.example "title") <https://b.example> https://c.example [[Note]] [[Note|alias]] [note](Note.md)',
  'links that lead nowhere': '[[Gone]] [[Folder/Gone#Part|alias]] [bad](javascript:x)',
  tags: '#tag and #nested/tag, not#this #1',
  lists: '- one\n  - two\n    - three\n- four\n\n3. c\n4. d\n\n- [x] done\n- [ ] open\n  1. nested',
  'items of several lines': '- one\n  more\n\n  next\n- two',
  quotes: '> quote **b**\n> more\n>\n> > deeper\n\nafter',
  callouts: '> [!tip] **Title**\n> inner\n\n> [!warning]\n> - item\n\n> [!note]+ Open\n> text',
  code: '```js\nlet a = 1;\n\n// comment\n```\n\n    indented\n\n```\nplain *text*\n```',
  tables: '| a | b | c |\n| :-: | --- | --: |\n| **x** | `y` | [[Note]] |\n| z |  | #tag |',
  rules: 'above\n\n---\n\nbelow',
  formulas: 'Let $x^2$ be\n\n$$\ny_1\n$$\n\nend',
  footnotes: 'text[^1] and^[inline]\n\n[^1]: The *note*.',
  comments: 'a %%hidden%% b <!-- c --> d\n\n%%\nhidden\n%%\n\nend',
  properties: '---\ntags: [a]\nstatus: new\n---\ntext',
  'block ids': 'text ^block\n\nmore',
  pictures: 'A ![[pic.png|40]] and ![alt|30x20](pic.png)',
  'HTML blocks': '<div align="center"><b>a</b> and <i>b</i></div>',
  'texts of two directions': 'Latin\n\nעברית **מודגש**',
};

/** Notes that a public page shows differently on purpose, with the lines of the page; reading mode draws some of them. */
const DIFFERENT: Readonly<
  Record<string, readonly [source: string, page: readonly string[], reading?: readonly string[]]>
> = {
  'definitions of links': [
    '[ref][r]\n\n[r]: https://d.example',
    ['text: <link>ref</>'],
    ['text: <link>ref</>', 'text: [r]: https://d.example'],
  ],
  'refused HTML': [
    '<iframe src="x"></iframe>',
    ['code: <iframe src="x"></iframe>'],
    ['text: <iframe src="x"></iframe>'],
  ],
  diagrams: ['```mermaid\ngraph LR\n```', ['language: mermaid', 'code: graph LR']],
  'pictures of other servers': ['![alt](https://a.example/x.png)', ['text: <link>alt</>']],
  'embedded notes': ['![[Note]]', ['text: <link>Note</>']],
};

/** Maximum waits for what is drawn after the text. */
const DRAWN_AFTER = 200;

const LINKS: PageLinks = {
  note: ({ target }) => (/^Note(?:\.md)?$/.test(target) ? '/s/t/n' : target === '' ? '' : null),
  file: (path) => (path === 'pic.png' ? { href: '/pic.png', show: 'image', name: path } : null),
};

export function publicPageTests(browser: () => EditorBrowser): void {
  test('a public page shows notes as reading mode does', async () => {
    const { files } = browser();
    files.set('/pic.png', PIXEL);
    await using opened = await browser().open({ viewport: { width: 900, height: 3000 } });
    const plain = await opened.context.newPage();
    await opened.run((harness) => {
      harness.notes = { Note: 'text', 'Note.md': 'text' };
      harness.media['pic.png'] = '/pic.png';
    });
    const pageLines = async (source: string) => {
      const { html } = renderNote(source, { title: 'The title', links: LINKS, findLanguage: languageParser });
      await plain.setContent(html);
      return shownLines(await plain.locator('body').evaluate(readElement));
    };
    const assertReading = async (source: string, expected: readonly string[], name: string) => {
      await opened.start(source, 'reading');
      const lines = async () => shownLines(await opened.page.locator('.cm-content').evaluate(readElement));
      // Formulas and pictures are drawn later than the text.
      for (let left = DRAWN_AFTER; left > 0 && !isDeepStrictEqual(await lines(), expected); left--) await opened.idle();
      assert.deepEqual(await lines(), expected, name);
    };
    for (const [name, source] of Object.entries(ALIKE)) await assertReading(source, await pageLines(source), name);
    for (const [name, [source, page, reading]] of Object.entries(DIFFERENT)) {
      assert.deepEqual(await pageLines(source), page, name);
      if (reading !== undefined) await assertReading(source, reading, name);
    }
    assert.deepEqual(opened.complaints, []);
  });
}
