import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser, EditorPage } from '../browser.ts';

/** Types at the end of a note, and chooses from the menu that the slash in it opens. */
async function choose(opened: EditorPage, note: string, typed: string, option: string): Promise<string> {
  await opened.start(note);
  await opened.page.evaluate((end) => window.harness.goTo(end), note.length);
  await opened.page.keyboard.type(typed);
  await opened.page.getByRole('option', { name: option, exact: true }).click();
  return opened.run((harness) => harness.stored());
}

export function insertingTests(browser: () => EditorBrowser): void {
  test('a slash inserts an item found by name or synonym, with the cursor where one types on', async () => {
    await using opened = await browser().open();
    assert.equal(await choose(opened, 'a\n', '/h2', 'Heading 2'), 'a\n## ');
    await opened.page.keyboard.type('Peas');
    assert.equal(await opened.run((harness) => harness.stored()), 'a\n## Peas');
    assert.equal(await choose(opened, '', '/todo', 'Task'), '- [ ] ');
    assert.equal(await choose(opened, '- ', '/quote', 'Quote'), '> - ');
    assert.equal(await choose(opened, '', '/latex', 'Formula'), '$$\n\n$$');
    assert.equal(await choose(opened, 'one[^1]', ' /footnote', 'Footnote'), 'one[^1] [^2]\n\n[^2]: ');
    await opened.page.keyboard.press('Control+z');
    assert.doesNotMatch(await opened.run((harness) => harness.stored()), /\[\^2\]/);
    assert.deepEqual(opened.complaints, []);
  });

  test('a slash in a text offers no whole blocks, and in code nothing at all', async () => {
    await using opened = await browser().open();
    await opened.start('text ');
    await opened.run((harness) => harness.goTo(5));
    await opened.page.keyboard.type('/');
    await opened.page.getByRole('option', { name: 'Footnote' }).waitFor();
    assert.equal(await opened.page.getByRole('option', { name: 'Heading 1' }).count(), 0);
    await opened.page.keyboard.press('Escape');
    assert.equal(await opened.run((harness) => harness.stored()), 'text /');
    await opened.start('```\n\n```');
    await opened.run((harness) => harness.goTo(4));
    await opened.page.keyboard.type('/[[');
    await opened.idle();
    assert.equal(await opened.page.getByRole('option').count(), 0);
  });

  test('a selection becomes the text of a link to the note that is chosen', async () => {
    await using opened = await browser().open();
    await opened.run((harness) => {
      harness.notes = { Soil: '' };
    });
    await opened.start('the earth');
    await opened.run((harness) => harness.goTo(4));
    await opened.page.keyboard.press('Shift+End');
    await opened.run((harness) => harness.editor.run('note-link'));
    await opened.page.getByRole('option', { name: 'Soil' }).click();
    await opened.page.keyboard.type('!');
    assert.equal(await opened.run((harness) => harness.stored()), 'the [[Soil|earth]]!');
  });

  test('a bar over the selection formats it by pointer and keys, shows what it has, and goes with Escape', async () => {
    await using opened = await browser().open();
    await opened.start('one two');
    await opened.run((harness) => harness.goTo(0));
    const bar = opened.page.getByRole('toolbar', { name: 'Format the selection' });
    await opened.page.keyboard.press('Shift+Control+ArrowRight');
    await bar.getByRole('button', { name: 'Highlight' }).click();
    assert.equal(await opened.run((harness) => harness.stored()), '==one== two');
    const isPressed = () => bar.getByRole('button', { name: 'Highlight' }).getAttribute('aria-pressed');
    assert.equal(await isPressed(), 'true');
    await opened.page.keyboard.press('Alt+F10');
    for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'Enter']) await opened.page.keyboard.press(key);
    assert.equal(await opened.run((harness) => harness.stored()), 'one two');
    assert.equal(await isPressed(), 'false');
    for (const key of ['Escape', 'Escape']) await opened.page.keyboard.press(key);
    assert.equal(await bar.count(), 0);
    await opened.page.keyboard.press('Shift+ArrowRight');
    await bar.waitFor();
    assert.deepEqual(opened.complaints, []);
  });

  test('there is no bar over what cannot be formatted: code, a note that is read, nothing', async () => {
    await using opened = await browser().open();
    const bars = async (note: string, mode: 'preview' | 'reading') => {
      await opened.start(note, mode);
      await opened.run((harness) => harness.goTo(0));
      await opened.page.keyboard.press('Control+a');
      await opened.idle();
      return opened.page.locator('.nv-format-bar').count();
    };
    assert.equal(await bars('text', 'preview'), 1);
    assert.equal(await bars('text', 'reading'), 0);
    assert.equal(await bars('```\ncode\n```', 'preview'), 0);
    assert.equal(await bars('\n\n', 'preview'), 0);
  });
}
