import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser, EditorPage } from '../browser.ts';

export function undoTests(browser: () => EditorBrowser): void {
  /** Undoes all steps, and returns the text after each. */
  async function undone({ page }: EditorPage, steps: number): Promise<string[]> {
    const texts: string[] = [];
    for (let step = 0; step < steps; step++) {
      await page.keyboard.press('Control+z');
      texts.push(await page.evaluate(() => window.harness.stored()));
    }
    return texts;
  }

  test('a command and what is inserted are undone without what was typed around them', async () => {
    await using opened = await browser().open();
    const { page } = opened;
    await opened.start('');
    await opened.run((harness) => harness.goTo(0));
    await page.keyboard.type('one');
    await opened.run((harness) => harness.editor.run('heading-2'));
    await page.keyboard.type(' two');
    await opened.run((harness) => harness.editor.insert(' pasted'));
    await page.keyboard.type(' three');
    await page.keyboard.press('Backspace');
    const texts = ['## one two pasted', '## one two', '## one', 'one', ''];
    assert.deepEqual(await undone(opened, texts.length), texts);
    for (const text of [...texts.slice(0, -1).reverse(), '## one two pasted thre']) {
      await page.keyboard.press('Control+y');
      assert.equal(await opened.run((harness) => harness.stored()), text);
    }
  });

  test('a tick and a pasted text are undone without the sentence before them', async () => {
    await using opened = await browser().open();
    const { page } = opened;
    await opened.start('- [ ] task\n\n');
    await opened.run((harness) => harness.goTo(harness.stored().length));
    await page.keyboard.type('typed');
    await page.getByRole('checkbox').click();
    await page.evaluate(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData('text/plain', ' pasted');
      const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
      document.querySelector('.cm-content')?.dispatchEvent(event);
    });
    assert.equal(await opened.run((harness) => harness.stored()), '- [x] task\n\ntyped pasted');
    const texts = ['- [x] task\n\ntyped', '- [ ] task\n\ntyped', '- [ ] task\n\n'];
    assert.deepEqual(await undone(opened, texts.length), texts);
  });
}
