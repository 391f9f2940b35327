import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser } from '../browser.ts';

const NOTE = `# Heading

Some **bold** text and [[Target|alias]].

- one
- [ ] task

> [!tip] Title
> body

\`\`\`js
const a = 1;
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

---

last`;

export function caretTests(browser: () => EditorBrowser): void {
  test('no line with a text changes its height when the cursor reveals its marks', async () => {
    await using opened = await browser().open();
    await opened.start(NOTE);
    const heights = () =>
      opened.page.$$eval('.cm-line', (lines) =>
        lines.map((line) => {
          // A blank line is lower without the cursor.
          const isBlank = !line.matches('.nv-code-line, .nv-rule') && (line.textContent ?? '').trim() === '';
          return isBlank ? 'blank' : Math.round(line.getBoundingClientRect().height);
        }),
      );
    const before = await heights();
    await opened.run((harness) => harness.goTo(0));
    for (let line = 0; line < before.length; line++) {
      assert.deepEqual(await heights(), before, `with the cursor on line ${line + 1}`);
      await opened.page.keyboard.press('ArrowDown');
    }
    assert.deepEqual(opened.complaints, []);
  });

  test('the first letter on a blank line moves nothing', async () => {
    await using opened = await browser().open();
    await opened.start('# Heading\n\none\n\n\n\ntwo');
    const topOfLast = () =>
      opened.page.$$eval('.cm-line', (lines) => Math.round(lines.at(-1)?.getBoundingClientRect().top ?? 0));
    await opened.run((harness) => harness.goTo('# Heading\n\none\n\n'.length));
    const before = await topOfLast();
    await opened.page.keyboard.type('x');
    assert.equal(await topOfLast(), before);
  });

  test('the arrow keys reach every line of a note, down and up', async () => {
    await using opened = await browser().open();
    const note = `---\ntags: [a]\n---\none\n\n$$\nx\n$$\n\n![[a.png]]\n\n\`\`\`mermaid\ngraph TD\nA-->B\n\`\`\`\n\ntwo`;
    await opened.start(note);
    const lines = note.split('\n').length;
    const visited = async (key: string) => {
      const seen = new Set<number>();
      for (let step = 0; step < lines * 3; step++) {
        seen.add(await opened.run((harness) => harness.editor.facts.get().selection.line));
        await opened.page.keyboard.press(key);
      }
      return [...seen].sort((a, b) => a - b);
    };
    const all = Array.from({ length: lines }, (_, index) => index + 1);
    await opened.run((harness) => harness.goTo(0));
    assert.deepEqual(await visited('ArrowDown'), all);
    assert.deepEqual((await visited('ArrowUp')).at(0), 1);
  });

  test('the cursor moves through hidden marks without stopping twice', async () => {
    await using opened = await browser().open();
    await opened.start('a **bold** b');
    await opened.run((harness) => harness.goTo(0));
    const stops: number[] = [];
    for (let step = 0; step < 12; step++) {
      await opened.page.keyboard.press('ArrowRight');
      stops.push(await opened.run((harness) => harness.editor.facts.get().selection.from));
    }
    assert.deepEqual(stops, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test('a row does not end between a link and the comma after it', async () => {
    await using opened = await browser().open({ viewport: { width: 400, height: 700 } });
    // With each length the link ends elsewhere in the row.
    const lines = Array.from({ length: 40 }, (_, count) => `${'x'.repeat(count)} [[Some target]], \`code\`; **bold**.`);
    await opened.start(lines.join('\n'));
    const alone = await opened.page.evaluate(() => {
      const topOf = (node: Node, at: number) => {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + 1);
        return range.getBoundingClientRect();
      };
      const walker = document.createTreeWalker(document.querySelector('.cm-content') as Element, NodeFilter.SHOW_TEXT);
      const found: string[] = [];
      for (let last: Node | null = null; walker.nextNode(); last = walker.currentNode) {
        const node = walker.currentNode;
        if (last === null || !/^[,;.]/.test(node.textContent ?? '')) continue;
        const end = (last.textContent ?? '').length - 1;
        if (topOf(node, 0).top - topOf(last, end).top > 10) found.push(`${last.textContent} ${node.textContent}`);
      }
      return found;
    });
    assert.deepEqual(alone, []);
  });

  test('rows of list items and tasks that wrap begin where their text begins', async () => {
    await using opened = await browser().open({ viewport: { width: 500, height: 2000 } });
    const text = 'word '.repeat(30).trim();
    await opened.start(['- ', '1. ', '10. ', '- [ ] ', '  - ', '\t- ', '> - '].map((mark) => mark + text).join('\n\n'));
    const rows = await opened.page.$$eval('.nv-list-line', (lines) =>
      lines.map((line) => {
        const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
        const starts: number[] = [];
        while (walker.nextNode()) {
          const node = walker.currentNode as Text;
          for (const { index } of node.data.matchAll(/word/g)) {
            const range = document.createRange();
            range.setStart(node, index);
            range.setEnd(node, index + 1);
            starts.push(range.getBoundingClientRect().left);
          }
        }
        return { first: starts[0] ?? 0, least: Math.min(...starts), text: line.textContent };
      }),
    );
    assert.equal(rows.length, 7, JSON.stringify(rows));
    for (const { first, least } of rows) assert.ok(Math.abs(first - least) < 2, JSON.stringify(rows));
  });

  test('Escape closes the preview of a link under the pointer, wherever the focus is', async () => {
    await using opened = await browser().open();
    await opened.run((harness) => {
      harness.notes = { Target: 'what it says' };
    });
    await opened.start('go [[Target|there]] now');
    await opened.page.getByText('there').hover();
    await opened.page.getByText('what it says').waitFor();
    await opened.page.keyboard.press('Escape');
    await opened.page.getByText('what it says').waitFor({ state: 'detached' });
  });

  test('a click on a link opens it, and a click beside it moves the cursor', async () => {
    await using opened = await browser().open();
    await opened.start('go [[Target|there]] now');
    await opened.page.getByText('there').click();
    assert.deepEqual(await opened.run((harness) => harness.opened), [
      { target: 'Target', anchor: null, form: 'wikilink' },
    ]);
    await opened.page.getByText('now').click();
    assert.ok((await opened.run((harness) => harness.editor.facts.get().selection.from)) > 19);
  });

  test('the margin above the first line stays visible when the mode changes', async () => {
    await using opened = await browser().open();
    await opened.start('# Heading\n\ntext\n'.repeat(100));
    await opened.run((harness) => harness.editor.setMode('source'));
    await opened.run((harness) => harness.editor.setMode('preview'));
    await opened.idle();
    assert.equal(await opened.page.evaluate(() => document.querySelector('.cm-scroller')?.scrollTop), 0);
  });

  test('a change of the mode keeps the text, the selection and the line at the top', async () => {
    await using opened = await browser().open();
    const note = Array.from({ length: 300 }, (_, index) => `## Heading ${index}\n\ntext **${index}**\n`).join('\n');
    await opened.start(note);
    await opened.run((harness) => harness.goTo(harness.stored().indexOf('## Heading 150')));
    /** The first heading that is at least partly visible. */
    const firstHeading = async () => {
      await opened.idle();
      return opened.page.evaluate(() => {
        const top = document.querySelector('.cm-scroller')?.getBoundingClientRect().top ?? 0;
        const lines = [...document.querySelectorAll('.cm-line')].filter((line) =>
          /Heading/.test(line.textContent ?? ''),
        );
        const first = lines.find((line) => line.getBoundingClientRect().bottom > top);
        return first?.textContent?.replace(/#/g, '').trim();
      });
    };
    assert.equal(await firstHeading(), 'Heading 150');
    const before = await opened.run((harness) => harness.stored());
    const selected = await opened.run((harness) => harness.editor.facts.get().selection.from);
    for (const mode of ['source', 'reading', 'preview'] as const) {
      await opened.page.evaluate((mode) => window.harness.editor.setMode(mode), mode);
      assert.equal(await firstHeading(), 'Heading 150', mode);
    }
    // Changes that come before the lines were measured keep it too.
    await opened.run((harness) => harness.editor.setMode('source'));
    await opened.run((harness) => harness.editor.setMode('preview'));
    assert.equal(await firstHeading(), 'Heading 150');
    assert.equal(await opened.run((harness) => harness.stored()), before);
    assert.equal(await opened.run((harness) => harness.editor.facts.get().selection.from), selected);
  });
}
