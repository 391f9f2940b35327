import assert from 'node:assert/strict';
import { test } from 'node:test';
import { languageParser } from '../src/render/languages.ts';
import { firstWords, renderNote } from '../src/render/note-html.ts';
import type { PageLinks } from '../src/render/resolver.ts';

const LINKS: PageLinks = {
  note: ({ target }) => (target === 'Inside' ? '/s/t/n' : target === '' ? '' : null),
  file: (path) => {
    if (path === 'pic.png') return { href: '/s/t/f?k', show: 'image', name: 'pic.png' };
    return path === 'doc.pdf' ? { href: '/s/t/d?k', show: 'download', name: 'doc.pdf' } : null;
  },
};

function render(source: string, title = ''): string {
  return renderNote(source, { title, links: LINKS, findLanguage: languageParser }).html;
}

const CASES: readonly (readonly [string, string, string])[] = [
  [
    'marks',
    '**a** *b* ~~c~~ ==d== `e` H~2~O x^2^',
    '<p dir="auto"><strong>a</strong> <em>b</em> <s>c</s> <mark>d</mark> <code>e</code> H<sub>2</sub>O x<sup>2</sup></p>',
  ],
  ['line ends as breaks', 'a\nb  \nc', '<p dir="auto">a<br>b<br>c</p>'],
  ['comments as nothing', 'a %%x%% b <!-- y --> c\n\n%%\nz\n%%', '<p dir="auto">a  b  c</p>'],
  ['properties as nothing', '---\na: b\n---\nc', '<p dir="auto">c</p>'],
  ['a link to a note of the page', '[[Inside#One two|x]]', '<p dir="auto"><a href="/s/t/n#h-one-two">x</a></p>'],
  [
    'a link to another note as its text',
    '[[Private/Plan|x]] [y](Other.md) [[Private/Plan]]',
    '<p dir="auto">x <span>y</span> Plan</p>',
  ],
  ['a link into the note', '[[#One]] [x](#^b1)', '<p dir="auto"><a href="#h-one">One</a> <a href="#b-b1">x</a></p>'],
  [
    'a link of the web',
    '[x](https://a.example)',
    '<p dir="auto"><a href="https://a.example/" rel="noopener noreferrer nofollow">x</a></p>',
  ],
  [
    'a link with a title',
    '[x]( https://a.example  "T" ) y',
    '<p dir="auto"><a href="https://a.example/" rel="noopener noreferrer nofollow">x</a> y</p>',
  ],
  [
    'a reference link',
    '[x][y]\n\n[y]: https://a.example',
    '<p dir="auto"><a href="https://a.example/" rel="noopener noreferrer nofollow">x</a></p>',
  ],
  ['brackets without a destination as text', '[**x**] y', '<p dir="auto">[<strong>x</strong>] y</p>'],
  [
    'an image with its size',
    '![[pic.png|40x30]]',
    '<p dir="auto"><img src="/s/t/f?k" alt="" loading="lazy" width="40" height="30"></p>',
  ],
  ['a file as a download', '![[doc.pdf]]', '<p dir="auto"><a class="file" href="/s/t/d?k" download>doc.pdf</a></p>'],
  ['a file outside of the page as its name', '![[Private/x.png]]', '<p dir="auto">x.png</p>'],
  [
    'a remote image as a link',
    '![a](https://a.example/x.png)',
    '<p dir="auto"><a href="https://a.example/x.png" rel="noopener noreferrer nofollow">a</a></p>',
  ],
  [
    'a list of tasks',
    '- [x] a\n- b',
    '<ul><li><p class="task done" dir="auto"><input type="checkbox" disabled checked>  a</p></li><li><p dir="auto">b</p></li></ul>',
  ],
  ['a list that begins at a number', '3. a', '<ol start="3"><li><p dir="auto">a</p></li></ol>'],
  ['a quote', '> a\n> b', '<blockquote><p dir="auto">a<br> b</p></blockquote>'],
  [
    'a callout',
    '> [!tip] **T**\n> a',
    '<div class="callout c-tip" dir="auto"><p class="callout-title"><strong>T</strong></p><p dir="auto">a</p></div>',
  ],
  [
    'a folded callout',
    '> [!tip]-\n> a',
    '<details class="callout c-tip" dir="auto"><summary class="callout-title">Tip</summary><p dir="auto">a</p></details>',
  ],
  [
    'code with its language',
    '```js\nlet a\n```',
    '<figure class="code"><figcaption>js</figcaption><pre tabindex="0"><code><span class="t-keyword">let</span> <span class="t-property">a</span></code></pre></figure>',
  ],
  [
    'a diagram as source',
    '```mermaid\na-->b\n```',
    '<figure class="code"><figcaption>mermaid</figcaption><pre tabindex="0"><code>a--&gt;b</code></pre></figure>',
  ],
  [
    'code in a quote',
    '> ```\n> a\n> b\n> ```',
    '<blockquote><figure class="code"><pre tabindex="0"><code>a\nb</code></pre></figure></blockquote>',
  ],
  [
    'alignments as classes',
    '| a | b |\n| :-: | --- |\n|  | c | d |',
    '<div class="table" tabindex="0"><table><thead><tr><th class="center" dir="auto">a</th><th dir="auto">b</th></tr></thead><tbody><tr><td></td><td dir="auto">c</td></tr></tbody></table></div>',
  ],
  [
    'footnotes',
    'a[^1]\n\n[^1]: b',
    '<p dir="auto">a<sup class="fn"><a href="#fn-1">1</a></sup></p><div class="footnote" id="fn-1"><sup>1</sup><p dir="auto">b</p></div>',
  ],
  [
    'HTML that notes may have',
    '<div align="x"><b>a</b> &amp; b</div>',
    '<div class="html" dir="auto"><div><b>a</b> &amp; b</div></div>',
  ],
  [
    'other HTML as its source',
    '<iframe src="x"></iframe>',
    '<pre class="source">&lt;iframe src=&quot;x&quot;&gt;&lt;/iframe&gt;</pre>',
  ],
  ['tags within a line, each with its end', 'a <b>b <i>c</b> d', '<p dir="auto">a <b>b <i>c</i></b> d</p>'],
  [
    'tags, escapes and block ids',
    '#a/b \\*c\\* ^id',
    '<p dir="auto"><span class="tag">#a/b</span> *c* <span id="b-id"></span></p>',
  ],
];

for (const [name, source, expected] of CASES) {
  test(`a page shows ${name}`, () =>
    assert.equal(
      render(source)
        .replace(/>\n</g, '><')
        .replace(/ <\/p>/g, (end) => (expected.includes(end) ? end : '</p>')),
      expected,
    ));
}

test('a page shows formulas as MathML without styles', () => {
  const html = render('$x$ and\n\n$$\n\\colorbox{red}{y}\n$$');
  assert.match(html, /<p dir="auto"><span class="katex"><math/);
  assert.match(html, /<div class="formula"><span class="katex"><math[^>]*display="block"/);
  assert.doesNotMatch(html, / style=/);
  assert.equal(render('$\\nothing{$'), '<p dir="auto"><code class="formula">\\nothing{</code></p>');
});

test('a page has one heading of the first level, its title', () => {
  assert.equal(
    render('# T\n# A\n## B', 'T'),
    '<h2 id="h-a" dir="auto"> A</h2>\n<h3 id="h-b" dir="auto"> B</h3>'.replace('\n', ''),
  );
  assert.match(render('## A', 'T'), /^<h2/);
});

test('the first words of a page are its text', () => {
  assert.equal(firstWords(render('# T\n\na **b** & `c`\n\n- d\n\n```\nx\n```', 'T')), 'a b & c d');
  assert.equal(firstWords(render('word '.repeat(100)), 20), 'word word word word…');
});
