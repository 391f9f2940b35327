import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser } from '../browser.ts';

export function editingTests(browser: () => EditorBrowser): void {
  test('what is typed is in the text, and one undo history takes it back, but not the edits of others', async () => {
    await using opened = await browser().open();
    await opened.start('one\n');
    await opened.run((harness) => harness.goTo(4));
    await opened.page.keyboard.type('two');
    await opened.run((harness) => harness.remote(0, 0, 'zero '));
    assert.equal(await opened.run((harness) => harness.stored()), 'zero one\ntwo');
    await opened.page.keyboard.press('Control+z');
    assert.equal(await opened.run((harness) => harness.stored()), 'zero one\n');
    await opened.page.keyboard.press('Control+Shift+Z');
    assert.equal(await opened.run((harness) => harness.stored()), 'zero one\ntwo');
    assert.deepEqual(opened.complaints, []);
  });

  test('a task is ticked by a click and by the keyboard', async () => {
    await using opened = await browser().open();
    await opened.start('- [ ] a task\n- [x] done');
    await opened.page.getByRole('checkbox', { name: 'a task' }).click();
    assert.equal(await opened.run((harness) => harness.stored()), '- [x] a task\n- [x] done');
    await opened.run((harness) => harness.goTo(20));
    await opened.page.keyboard.press('Control+Enter');
    assert.equal(await opened.run((harness) => harness.stored()), '- [x] a task\n- [ ] done');
  });

  test('Enter continues a list and ends it, and marks are put around the selection', async () => {
    await using opened = await browser().open();
    await opened.start('- a');
    await opened.run((harness) => harness.goTo(3));
    await opened.page.keyboard.press('Enter');
    await opened.page.keyboard.type('b c');
    await opened.page.keyboard.press('Control+b');
    assert.equal(await opened.run((harness) => harness.stored()), '- a\n- b **c**');
    await opened.page.keyboard.press('Control+b');
    assert.equal(await opened.run((harness) => harness.stored()), '- a\n- b c');
  });

  test('Tab moves between the cells of a table and adds a row after the last one', async () => {
    await using opened = await browser().open();
    await opened.start('|a|b|\n|-|-|\n|1|2|');
    await opened.run((harness) => harness.goTo(1));
    for (let step = 0; step < 4; step++) await opened.page.keyboard.press('Tab');
    await opened.page.keyboard.type('3');
    assert.equal(
      await opened.run((harness) => harness.stored()),
      '| a   | b   |\n| --- | --- |\n| 1   | 2   |\n| 3    |     |',
    );
    await opened.page.keyboard.press('Tab');
    assert.equal(
      await opened.run((harness) => harness.stored()),
      '| a   | b   |\n| --- | --- |\n| 1   | 2   |\n| 3    |     |',
    );
  });

  test('[[ completes notes, headings and blocks, and # completes tags', async () => {
    await using opened = await browser().open();
    await opened.run((harness) => {
      harness.notes = { 'First note': 'x', Second: '# First heading\n\none\n\n- two ^block-1\n- [ ] three\n' };
    });
    await opened.start('');
    await opened.run((harness) => harness.editor.focus());
    const choose = async (typed: string, label: string) => {
      await opened.page.keyboard.type(typed);
      await opened.page.locator('.cm-tooltip-autocomplete li', { hasText: label }).first().click();
    };
    await choose('[[fir', 'First note');
    await choose(' [[Second#', 'First heading');
    await choose(' [[Second#^', 'block-1');
    await choose(' #t', 'nested');
    assert.equal(
      await opened.run((harness) => harness.stored()),
      '[[First note]] [[Second#First heading]] [[Second#^block-1]] #tag/nested',
    );
  });

  test('[[#^ completes paragraphs and items, the named ones first, and gives the chosen one an id', async () => {
    await using opened = await browser().open();
    const other = '# First heading\n\none\n\n- two ^block-1\n- [ ] three\n';
    await opened.page.evaluate((text) => {
      window.harness.notes = { Second: text };
    }, other);
    await opened.start('above\n\nbelow ');
    await opened.page.locator('.cm-content').click();
    await opened.page.keyboard.press('Control+End');
    const options = opened.page.locator('.cm-tooltip-autocomplete li');
    await opened.page.keyboard.type('[[Second#^');
    await options.first().waitFor();
    assert.deepEqual(await options.allInnerTexts(), ['two^block-1', 'one', 'three']);
    await options.getByText('three').click();
    const text = () => opened.run((harness) => harness.stored());
    await opened.page.waitForFunction(
      () => /\]\]$/.test(window.harness.stored()) && /three \^/.test(window.harness.notes.Second ?? ''),
    );
    const [, id = ''] = /\[\[Second#\^([a-z0-9]{6})\]\]$/.exec(await text()) ?? [];
    assert.equal(await opened.run((harness) => harness.notes.Second), other.replace('three', `three ^${id}`));
    await opened.page.keyboard.type(' [[#^ab');
    await options.getByText('above').click();
    assert.match(await text(), /^above \^([a-z0-9]{6})\n\nbelow \[\[Second#\^\w+\]\] \[\[#\^\1\]\]$/);
    await opened.page.keyboard.press('Control+z');
    assert.match(await text(), /^above\n/);
    assert.deepEqual(opened.complaints, []);
  });

  test('a property is edited in the panel, and the rest of the YAML stays', async () => {
    await using opened = await browser().open();
    await opened.start("---\ntitle: 'old' # kept\ntags: [a]\ndone: false\n---\ntext");
    await opened.page.getByRole('button', { name: 'title old' }).click();
    const title = opened.page.getByLabel('title', { exact: true });
    await title.fill('new');
    await title.press('Enter');
    await opened.page.getByLabel('Add item: tags').fill('b');
    await opened.page.getByLabel('Add item: tags').press('Enter');
    await opened.page.getByRole('checkbox', { name: 'done' }).click();
    await opened.page.getByLabel('Add property').fill('more');
    await opened.page.getByLabel('Add property').press('Enter');
    assert.equal(
      await opened.run((harness) => harness.stored()),
      "---\ntitle: 'new' # kept\ntags: [a, b]\ndone: true\nmore:\n---\ntext",
    );
    assert.deepEqual(opened.complaints, []);
  });

  test('pasted files are uploaded and linked', async () => {
    await using opened = await browser().open();
    await opened.start('see ');
    await opened.run((harness) => harness.goTo(4));
    await opened.page.evaluate(() => {
      const data = new DataTransfer();
      data.items.add(new File(['x'], 'a b.png', { type: 'image/png' }));
      const event = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
      document.querySelector('.cm-content')?.dispatchEvent(event);
    });
    await opened.page.waitForFunction(() => window.harness.stored() === 'see ![[Files/a b.png]]');
    assert.deepEqual(await opened.run((harness) => harness.uploaded), ['a b.png']);
  });

  test('CRLF line ends stay as they are, and edits land where they were made', async () => {
    await using opened = await browser().open();
    await opened.start('one\r\ntwo\r\nthree');
    await opened.run((harness) => harness.goTo(harness.stored().indexOf('three')));
    await opened.page.keyboard.type('x');
    await opened.run((harness) => harness.remote(0, 3, 'uno'));
    assert.equal(await opened.run((harness) => harness.stored()), 'uno\r\ntwo\r\nxthree');
    assert.equal(await opened.run((harness) => harness.editor.text()), 'uno\r\ntwo\r\nxthree');
  });

  test('reading mode cannot be edited, and find and replace works while editing', async () => {
    await using opened = await browser().open();
    await opened.start('one two one', 'reading');
    await opened.run((harness) => harness.editor.focus());
    await opened.page.keyboard.type('x');
    assert.equal(await opened.run((harness) => harness.stored()), 'one two one');
    await opened.run((harness) => harness.editor.setMode('preview'));
    await opened.run((harness) => harness.editor.run('find'));
    await opened.page.locator('input[name=search]').fill('one');
    await opened.page.locator('input[name=replace]').fill('1');
    await opened.page.locator('[name=replaceAll]').click();
    assert.equal(await opened.run((harness) => harness.stored()), '1 two 1');
  });

  test('a task is ticked while reading, by the mark in its box only, and not by who may not write', async () => {
    await using opened = await browser().open();
    const note = '- [ ] one\n- [x] two\n\n> 1. [ ] three';
    await opened.start(note, 'reading');
    await opened.page.getByRole('checkbox', { name: 'three' }).click();
    await opened.page.getByRole('checkbox', { name: 'two' }).focus();
    await opened.page.keyboard.press('Space');
    const ticked = '- [ ] one\n- [ ] two\n\n> 1. [x] three';
    assert.equal(await opened.run((harness) => harness.stored()), ticked);
    // Somebody else ticks a box in the moment in which it is pressed: it stays ticked.
    await opened.run((harness) => {
      const box = document.querySelector<HTMLElement>('[aria-label=one]');
      harness.remote(3, 1, 'x');
      box?.click();
    });
    await opened.run((harness) => harness.editor.setCanWrite(false));
    const box = opened.page.getByRole('checkbox', { name: 'two' });
    assert.equal(await box.getAttribute('aria-readonly'), 'true');
    await box.click();
    assert.equal(await opened.run((harness) => harness.stored()), ticked.replace('[ ] one', '[x] one'));
    assert.deepEqual(opened.complaints, []);
  });

  test('Control, Shift and V paste an address as a text', async () => {
    await using opened = await browser().open();
    const paste = async (keys: string) => {
      await opened.start('word');
      await opened.run((harness) => harness.editor.focus());
      await opened.page.keyboard.press('Control+a');
      await opened.page.keyboard.down('Control');
      if (keys === 'V') await opened.page.keyboard.down('Shift');
      await opened.page.evaluate((key) => {
        const content = document.querySelector('.cm-content');
        const clipboardData = new DataTransfer();
        clipboardData.setData('text/plain', 'https://example.org');
        const held = { key, ctrlKey: true, shiftKey: key === 'V', bubbles: true };
        content?.dispatchEvent(new KeyboardEvent('keydown', held));
        content?.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
        content?.dispatchEvent(new KeyboardEvent('keyup', held));
      }, keys);
      await opened.page.keyboard.up('Shift');
      await opened.page.keyboard.up('Control');
      return opened.run((harness) => harness.stored());
    };
    assert.equal(await paste('v'), '[word](https://example.org)');
    assert.equal(await paste('V'), 'https://example.org');
  });
}
