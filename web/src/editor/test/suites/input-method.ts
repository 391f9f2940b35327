import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser, EditorPage } from '../browser.ts';

/** Composes a text step by step, as an input method does, and commits it. */
async function compose(opened: EditorPage, steps: readonly string[], between: () => Promise<void> = async () => {}) {
  const devtools = await opened.context.newCDPSession(opened.page);
  for (const text of steps) {
    await devtools.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
  }
  await between();
  await devtools.send('Input.insertText', { text: steps.at(-1) ?? '' });
}

const places: readonly [string, string, number][] = [
  ['inside bold', 'a **bold** b', 6],
  ['at the end of bold', 'a **bold** b', 8],
  ['after the marks of bold', 'a **bold** b', 10],
  ['before a widget', 'a $x$ b', 2],
  ['in a heading', '# Title', 7],
  ['in a list item', '- item', 6],
  ['in a cell of a table', '| a | b |\n|---|---|\n| c | d |', 3],
  ['in a callout', '> [!tip] T\n> body', 17],
];

export function inputMethodTests(browser: () => EditorBrowser): void {
  for (const [where, note, at] of places) {
    test(`an input method composes ${where} without losing or doubling anything`, async () => {
      await using opened = await browser().open();
      await opened.start(note);
      await opened.page.evaluate((offset) => window.harness.goTo(offset), at);
      await compose(opened, ['k', 'か', 'かn', 'かん', '漢']);
      const expected = `${note.slice(0, at)}漢${note.slice(at)}`;
      assert.equal(await opened.run((harness) => harness.stored()), expected);
      await opened.page.keyboard.type('x');
      assert.equal(await opened.run((harness) => harness.stored()), `${note.slice(0, at)}漢x${note.slice(at)}`);
    });
  }

  test('an edit of somebody else during a composition and the composition are both kept', async () => {
    await using opened = await browser().open();
    await opened.start('one **two** three');
    await opened.run((harness) => harness.goTo(6));
    await compose(opened, ['k', 'か'], () => opened.run((harness) => harness.remote(0, 0, 'new ')) as never);
    assert.equal(await opened.run((harness) => harness.stored()), 'new one **かtwo** three');
  });

  test('no decoration is built while an input method composes', async () => {
    await using opened = await browser().open();
    await opened.start('one **two** three');
    await opened.run((harness) => harness.goTo(6));
    const devtools = await opened.context.newCDPSession(opened.page);
    await devtools.send('Input.imeSetComposition', { text: 'k', selectionStart: 1, selectionEnd: 1 });
    const before = await opened.run((harness) => harness.counts.builds);
    for (const text of ['ka', 'kan', 'kanj', 'kanji']) {
      await devtools.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    }
    assert.equal(await opened.run((harness) => harness.counts.builds), before);
    await devtools.send('Input.insertText', { text: '漢字' });
    await opened.page.waitForFunction((count) => window.harness.counts.builds > count, before);
  });
}
