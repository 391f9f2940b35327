import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorCommand } from '../../core/controller.ts';
import type { EditorBrowser, EditorPage } from '../browser.ts';

/** Runs commands one after another with the cursor at an offset, and returns the text. */
async function after(opened: EditorPage, note: string, at: number, ...commands: EditorCommand[]): Promise<string> {
  await opened.start(note);
  await opened.page.evaluate(
    ([offset, names]) => {
      window.harness.editor.goTo(offset);
      for (const name of names) window.harness.editor.run(name);
    },
    [at, commands] as const,
  );
  return opened.run((harness) => harness.stored());
}

const TABLE = '| a   | b   |\n| --- | --- |\n| c   | d   |\n| e   | f   |';

export function commandTests(browser: () => EditorBrowser): void {
  test('commands move and align the rows and columns of a table, and align again takes it back', async () => {
    await using opened = await browser().open();
    const inCell = TABLE.indexOf('c');
    const moved = await after(opened, TABLE, inCell, 'table-row-down', 'table-column-right');
    assert.equal(moved, '| b   | a   |\n| --- | --- |\n| f   | e   |\n| d   | c   |');
    assert.equal(
      await after(opened, TABLE, inCell, 'table-align-right'),
      '|   a | b   |\n| --: | --- |\n|   c | d   |\n|   e | f   |',
    );
    assert.equal(await after(opened, TABLE, inCell, 'table-align-center', 'table-align-center'), TABLE);
  });

  test('commands make headings of all levels, and a callout of a line and a quote of a callout', async () => {
    await using opened = await browser().open();
    assert.equal(await after(opened, 'text', 2, 'heading-6'), '###### text');
    assert.equal(await after(opened, 'text', 2, 'callout'), '> [!note]\n> text');
    assert.equal(await after(opened, '> text', 2, 'callout'), '> [!note]\n> text');
    assert.equal(await after(opened, '> [!tip] Title\n> text', 4, 'callout'), '> Title\n> text');
  });

  test('quoting several paragraphs quotes the blank lines between, and quoting again takes all marks away', async () => {
    await using opened = await browser().open();
    const quote = async (note: string) => {
      await opened.start(note);
      await opened.run((harness) => harness.goTo(0));
      await opened.page.keyboard.press('Control+a');
      await opened.run((harness) => harness.editor.run('quote'));
      return opened.run((harness) => harness.stored());
    };
    assert.equal(await quote('one\n\ntwo\n'), '> one\n>\n> two\n');
    assert.equal(await quote('> one\n>\n> two\n'), 'one\n\ntwo\n');
    assert.equal(await quote('> one\ntwo'), '> one\n> two');
  });

  test('commands say where they apply: tables in tables, edits where the text can be edited', async () => {
    await using opened = await browser().open();
    await opened.start(`text\n\n${TABLE}`);
    const possible = (at: number) =>
      opened.page.evaluate((offset) => {
        window.harness.editor.goTo(offset);
        const names = ['bold', 'table', 'table-row', 'find'] as const;
        return names.filter((name) => window.harness.editor.canRun(name));
      }, at);
    assert.deepEqual(await possible(0), ['bold', 'table', 'find']);
    assert.deepEqual(await possible(10), ['bold', 'table-row', 'find']);
    await opened.run((harness) => harness.editor.setMode('reading'));
    assert.deepEqual(await possible(10), ['find']);
  });

  test('Control and K make a link of a selection, and are left to the app without one', async () => {
    await using opened = await browser().open();
    await opened.start('word');
    await opened.page.evaluate(() => {
      window.harness.editor.goTo(0);
      addEventListener('keydown', (event) => {
        document.title = String(event.defaultPrevented);
      });
    });
    await opened.page.keyboard.press('Control+k');
    assert.equal(await opened.page.title(), 'false');
    await opened.page.keyboard.press('Shift+End');
    await opened.page.keyboard.press('Control+k');
    assert.equal(await opened.run((harness) => harness.stored()), '[word]()');
  });

  test('lines are numbered, as long as wanted, and checked for their spelling', async () => {
    await using opened = await browser().open();
    await opened.start('one\ntwo');
    const content = opened.page.locator('.cm-content');
    assert.equal(await content.getAttribute('spellcheck'), 'true');
    await opened.run((harness) =>
      harness.editor.setAppearance({ lineWidth: '100px', hasLineNumbers: true, isSpellChecked: false }),
    );
    assert.equal(await opened.page.locator('.cm-lineNumbers').count(), 1);
    assert.equal(await content.getAttribute('spellcheck'), 'false');
    assert.equal(await content.evaluate((node) => getComputedStyle(node).maxWidth), '100px');
  });

  test('the keys of vim work while they are on', async () => {
    await using opened = await browser().open();
    await opened.start('one\ntwo\nthree');
    await opened.page.evaluate(() => window.harness.editor.setVim(true));
    await opened.run((harness) => harness.goTo(0));
    await opened.page.keyboard.type('jdd');
    assert.equal(await opened.run((harness) => harness.stored()), 'one\nthree');
    await opened.page.keyboard.type('u');
    assert.equal(await opened.run((harness) => harness.stored()), 'one\ntwo\nthree');
    await opened.page.evaluate(() => window.harness.editor.setVim(false));
    await opened.page.keyboard.type('j');
    assert.match(await opened.run((harness) => harness.stored()), /j/);
  });
}
