import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser, EditorPage } from '../browser.ts';

const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Pastes HTML at the cursor, and returns the note once it has changed. */
async function paste(opened: EditorPage, html: string, text = 'plain', keys = 'v'): Promise<string> {
  const before = await opened.run((harness) => harness.stored());
  await opened.page.evaluate(
    ([html, text, key]) => {
      const content = document.querySelector('.cm-content');
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', text);
      clipboardData.setData('text/html', html);
      const held = { key, ctrlKey: true, shiftKey: key === 'V', bubbles: true };
      content?.dispatchEvent(new KeyboardEvent('keydown', held));
      content?.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
      content?.dispatchEvent(new KeyboardEvent('keyup', held));
    },
    [html, text, keys] as const,
  );
  await opened.page.waitForFunction((before) => window.harness.stored() !== before, before);
  return opened.run((harness) => harness.stored());
}

const CASES: readonly (readonly [what: string, html: string, markdown: string])[] = [
  [
    'headings and paragraphs',
    '<h2>Title <b>x</b></h2><p>one\n  two</p><p>three</p>',
    '## Title **x**\n\none two\n\nthree',
  ],
  [
    'marks with spaces at their ends',
    '<p>a<b> b </b>c <i>d</i> <s>e</s> <mark>f</mark></p>',
    'a **b** c *d* ~~e~~ ==f==',
  ],
  ['one mark of several elements', '<strong><b>a</b></strong>', '**a**'],
  [
    'lists, nested in and beside their items',
    '<ul><li>a<ol start="3"><li>b</li><li><p>c</p><p>d</p></li></ol></li><li>e</li><ul><li>f</li></ul></ul>',
    '- a\n  3. b\n  4. c\n\n     d\n- e\n    - f',
  ],
  ['tasks', '<ul><li><input type="checkbox" checked> a</li><li><input type="checkbox">b</li></ul>', '- [x] a\n- [ ] b'],
  [
    'links',
    '<a href="https://example.org/a_(b)">a <i>b</i></a> <a href="javascript:x">c</a>',
    '[a *b*](https://example.org/a_%28b%29) c',
  ],
  [
    'code',
    '<p><code>a`b</code></p><pre><code class="language-js">let a = 1;\n\n  b();\n</code></pre>',
    '``a`b``\n\n```js\nlet a = 1;\n\n  b();\n```',
  ],
  [
    'tables',
    '<table><thead><tr><th>a</th><th>b|c</th></tr></thead><tr><td><b>d</b><br>e</td></tr></table>',
    '| a | b\\|c |\n| --- | --- |\n| **d**<br>e |  |',
  ],
  ['quotes', '<blockquote><p>a</p><ul><li>b</li></ul></blockquote><hr><b>c</b>', '> a\n>\n> - b\n\n---\n\n**c**'],
  [
    'what would be marks',
    '<p><b>x</b> *a* [b] #c 1 < 2</p><p># d</p><p>1. e</p><p>snake_case</p>',
    '**x** \\*a\\* \\[b\\] #c 1 \\< 2\n\n\\# d\n\n1\\. e\n\nsnake_case',
  ],
  [
    'what word processors write',
    '<html><head><style>p{}</style></head><body><!--StartFragment--><b style="font-weight:normal"><p><span style="font-weight:700">a</span><span style="font-style:italic"> b</span></p></b><!--EndFragment--></body></html>',
    '**a** *b*',
  ],
  [
    'images of other servers, which are not loaded',
    '<img src="https://evil.example/x.png" alt="a">',
    '![a](https://evil.example/x.png)',
  ],
];

export function pasteTests(browser: () => EditorBrowser): void {
  for (const [what, html, markdown] of CASES) {
    test(`formatted text is pasted as markdown: ${what}`, async () => {
      await using opened = await browser().open();
      const asked: string[] = [];
      opened.page.on('request', (request) => void asked.push(request.url()));
      await opened.start('');
      await opened.run((harness) => harness.editor.focus());
      assert.equal(await paste(opened, html), markdown);
      assert.deepEqual(
        asked.filter((url) => url.includes('evil')),
        [],
      );
      assert.deepEqual(opened.complaints, []);
    });
  }

  test('images that are in the clipboard are uploaded where they were', async () => {
    await using opened = await browser().open();
    await opened.start('');
    await opened.run((harness) => harness.editor.focus());
    await paste(opened, `<p>a <img src="${PIXEL}"> b</p><p>c</p>`);
    await opened.page.waitForFunction(() => window.harness.stored().includes('image.png'));
    assert.equal(await opened.run((harness) => harness.stored()), 'a ![[Files/image.png]] b\n\nc');
    assert.deepEqual(opened.complaints, []);
  });

  test('plain text is pasted into code, with Shift, and of HTML that has no format', async () => {
    await using opened = await browser().open();
    const start = async (note: string) => {
      await opened.start(note);
      await opened.run((harness) => harness.goTo(harness.stored().indexOf('x') + 1));
    };
    await start('```\nx\n```');
    assert.equal(await paste(opened, '<b>a</b>', '*a*'), '```\nx*a*\n```');
    await start('x');
    assert.equal(await paste(opened, '<b>a</b>', '*a*', 'V'), 'x*a*');
    await start('x');
    assert.equal(await paste(opened, '<div><span>a</span></div>', '*a*'), 'x*a*');
    await start('x');
    assert.equal(await paste(opened, '<h1>a</h1>'), 'x\n\n# a');
  });

  test('hostile HTML in the clipboard runs, loads and writes nothing', async () => {
    await using opened = await browser().open();
    const asked: string[] = [];
    opened.page.on('request', (request) => void asked.push(request.url()));
    await opened.start('');
    await opened.run((harness) => harness.editor.focus());
    const hostile =
      '<p>a</p><script>window.hacked=1</script><img src="https://evil.example/x" onerror="window.hacked=1"><svg onload="window.hacked=1"></svg><iframe src="https://evil.example/y"></iframe><a href="javascript:window.hacked=1">b</a>';
    assert.equal(await paste(opened, hostile), 'a\n\n![](https://evil.example/x)b');
    assert.equal(await opened.page.evaluate(() => 'hacked' in window), false);
    assert.deepEqual(
      asked.filter((url) => url.includes('evil')),
      [],
    );
    assert.deepEqual(opened.complaints, []);
  });
}
