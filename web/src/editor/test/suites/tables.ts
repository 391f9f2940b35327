import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser, EditorPage } from '../browser.ts';

const TABLE = '| Bed | Crop | Plants |\n| --- | --- | --: |\n| North | [[Beans]] | 48 |\n| South |  | 12 |';
const NOTE = `before\n\n${TABLE}\n\nafter`;

const stored = (opened: EditorPage) => opened.run((harness) => harness.stored());
const cell = ({ page }: EditorPage, name: string) => page.getByRole('cell', { name, exact: true });
const active = ({ page }: EditorPage) => page.locator('.nv-cell-active').innerText();

async function press(opened: EditorPage, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await opened.page.keyboard.press(key);
}

export function tableTests(browser: () => EditorBrowser): void {
  test('a table is drawn as one while it is edited, with its roles and alignment, and no pipe shows', async () => {
    await using opened = await browser().open();
    await opened.start(NOTE);
    const table = opened.page.getByRole('table');
    assert.equal(await table.getByRole('row').count(), 3);
    assert.deepEqual(await table.getByRole('columnheader').allInnerTexts(), ['Bed', 'Crop', 'Plants']);
    const cells = table.getByRole('cell');
    assert.deepEqual(await cells.allInnerTexts(), ['North', 'Beans', '48', 'South', '', '12']);
    assert.equal(await cells.nth(2).evaluate((node) => getComputedStyle(node).textAlign), 'right');
    const [box, below] = [await cells.nth(1).boundingBox(), await cells.nth(4).boundingBox()];
    assert.ok(box !== null && below !== null);
    assert.deepEqual([box.x, box.width], [below.x, below.width]);
    await opened.page.getByText('Beans').click();
    assert.equal((await opened.run((harness) => harness.opened)).length, 1);
    assert.deepEqual(opened.complaints, []);
  });

  test('a click into a cell edits it where it stands, and only its own text changes', async () => {
    await using opened = await browser().open();
    await opened.start(NOTE);
    await cell(opened, '12').click();
    await press(opened, 'End');
    await opened.page.keyboard.type('0');
    assert.equal(await stored(opened), NOTE.replace('12', '120'));
    await opened.page.getByRole('cell').nth(4).click();
    await opened.page.keyboard.type('Peas | `a|b`');
    assert.equal(await stored(opened), NOTE.replace('12', '120').replace('|  |', '| Peas \\| `a\\|b` |'));
    await press(opened, 'Control+z');
    assert.equal(await opened.page.getByRole('table').count(), 1);
    assert.deepEqual(opened.complaints, []);
  });

  test('a click between the rows of a text that wraps stands where it was', async () => {
    await using opened = await browser().open({ viewport: { width: 500, height: 700 } });
    const long = 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen';
    await opened.start(`| a | b |\n|---|---|\n| ${long} | ${long} |`);
    for (const index of [0, 1]) {
      const at = await opened.page.evaluate((index) => {
        const node = document.querySelectorAll('[role=cell]')[index];
        const walker = document.createTreeWalker(node as Element, NodeFilter.SHOW_TEXT);
        walker.nextNode();
        const text = walker.currentNode as Text;
        const range = document.createRange();
        range.setStart(text, text.data.indexOf('ine'));
        range.setEnd(text, text.data.indexOf('ine') + 1);
        const box = range.getBoundingClientRect();
        return { x: box.left + 1, y: box.top + box.height / 2 };
      }, index);
      await opened.page.mouse.click(at.x, at.y);
      await opened.page.keyboard.type('!');
    }
    const mended = long.replace('nine', 'n!ine');
    assert.equal(await stored(opened), `| a | b |\n|---|---|\n| ${mended} | ${mended} |`);
    await press(opened, 'Home', 'ArrowDown');
    await opened.page.keyboard.type('?');
    const last = (await stored(opened)).split('|').at(-2) ?? '';
    assert.ok(last.indexOf('?') > 5 && last.indexOf('?') < 45, last);
  });

  test('keys move from cell to cell, without a change of the text', async () => {
    await using opened = await browser().open();
    await opened.start(NOTE);
    await opened.run((harness) => harness.goTo(harness.stored().indexOf('before')));
    await press(opened, 'ArrowDown', 'ArrowDown');
    assert.equal(await active(opened), 'Bed');
    await press(opened, 'ArrowDown');
    assert.equal(await active(opened), 'North');
    await press(opened, 'Tab', 'Tab');
    assert.equal(await active(opened), '48');
    await press(opened, 'Shift+Tab', 'Shift+Tab', 'End', 'ArrowRight', 'ArrowRight');
    assert.match(await active(opened), /Beans/);
    await press(opened, 'Enter');
    assert.equal(await active(opened), '');
    await press(opened, 'ArrowLeft');
    assert.equal(await active(opened), 'South');
    await press(opened, 'ArrowUp', 'ArrowUp');
    assert.equal(await active(opened), 'Bed');
    await press(opened, 'ArrowUp');
    assert.equal(await opened.page.locator('.nv-cell-active').count(), 0);
    assert.equal(await stored(opened), NOTE);
    assert.deepEqual(opened.complaints, []);
  });

  test('the last cell leads to a new row, and the end of a table at the end of a note to a new line', async () => {
    await using opened = await browser().open();
    await opened.start(TABLE);
    await cell(opened, '12').click();
    await press(opened, 'Tab');
    await opened.page.keyboard.type('East');
    assert.equal(await opened.page.getByRole('row').count(), 4);
    await press(opened, 'ArrowDown');
    await opened.page.keyboard.type('after');
    assert.match(await stored(opened), /\| East .*\|\n\nafter$/);
  });

  test('Escape shows the source of the table and draws it again', async () => {
    await using opened = await browser().open();
    await opened.start(NOTE);
    await cell(opened, '12').click();
    await press(opened, 'Escape');
    await opened.page.getByText('| --- | --- | --: |').waitFor();
    await press(opened, 'Escape');
    await opened.page.getByRole('table').waitFor();
    await press(opened, 'Escape');
    await opened.page.getByText('after').click();
    await opened.page.getByRole('table').waitFor();
    assert.equal(await stored(opened), NOTE);
  });

  test('Shift and Enter break a line within a cell', async () => {
    await using opened = await browser().open();
    await opened.start(NOTE);
    await cell(opened, '12').click();
    await press(opened, 'End', 'Shift+Enter');
    await opened.page.keyboard.type('13');
    assert.equal(await stored(opened), NOTE.replace('12', '12<br>13'));
    const broken = opened.page.locator('.nv-cell-active');
    assert.equal((await broken.innerText()).replace(/\s+/g, ' '), '12 13');
    assert.ok(((await broken.boundingBox())?.height ?? 0) > 50);
  });

  test('a remote edit of the cell that is being edited appears, and the cursor stays between its letters', async () => {
    await using opened = await browser().open();
    await opened.start(NOTE);
    await cell(opened, 'South').click();
    await press(opened, 'End');
    await opened.page.keyboard.type('1');
    await opened.run((harness) => {
      harness.remote(harness.stored().indexOf('South'), 0, 'Deep ');
      harness.remote(0, 0, 'x\n');
    });
    await opened.page.keyboard.type('2');
    assert.equal(await stored(opened), `x\n${NOTE.replace('South', 'Deep South12')}`);
    // Somebody else removes the row: what is typed then is in a cell beside, and the table is one.
    await opened.run((harness) => {
      const at = harness.stored().indexOf('| Deep');
      harness.remote(at - 1, harness.stored().indexOf('\n\nafter') - at + 1, '');
    });
    await opened.page.keyboard.type('3');
    assert.equal(await opened.page.getByRole('row').count(), 2);
  });

  test('an input method composes in every cell, also an empty one', async () => {
    await using opened = await browser().open();
    await opened.start(NOTE);
    await opened.page.getByRole('cell').nth(4).click();
    const devtools = await opened.context.newCDPSession(opened.page);
    for (const text of ['k', 'か', 'かん']) {
      await devtools.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
    }
    await devtools.send('Input.insertText', { text: '漢' });
    await opened.idle();
    assert.equal(await stored(opened), NOTE.replace('|  |', '| 漢 |'));
    assert.equal(await active(opened), '漢');
    assert.deepEqual(opened.complaints, []);
  });

  test('a tap edits the cell under the finger', async () => {
    await using opened = await browser().open({
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      isMobile: true,
    });
    await opened.start(NOTE);
    await opened.idle();
    await cell(opened, 'South').tap();
    await opened.page.locator('.cm-content').and(opened.page.locator(':focus')).waitFor();
    await opened.idle();
    assert.equal(await active(opened), 'South');
    await opened.page.keyboard.type('x');
    assert.equal((await stored(opened)).replace('x', ''), NOTE);
    assert.match(await active(opened), /x/);
  });

  test('a table from right to left has its first column on the right, while it is edited and read', async () => {
    const hebrew = '| שם | מספר |\n| --- | --- |\n| אבג | 12 |\n\n| Name | שם |\n| --- | --- |\n| a | b |\n';
    for (const mode of ['preview', 'reading'] as const) {
      await using opened = await browser().open();
      await opened.start(hebrew, mode);
      const heads = opened.page.getByRole('columnheader');
      await heads.nth(3).waitFor();
      const lefts = await heads.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
      const [first = 0, second = 0, third = 0, fourth = 0] = lefts;
      assert.ok(first > second, `${mode}: ${lefts}`);
      assert.ok(third < fourth, `${mode}: ${lefts}`);
    }
  });

  test('the bar of a table edits its rows and columns by pointer, and the cell keeps the focus', async () => {
    await using opened = await browser().open();
    await opened.start(`${'x\n\n'.repeat(3)}${NOTE}`);
    const bar = opened.page.getByRole('toolbar', { name: 'Edit the table' });
    assert.equal(await bar.count(), 0);
    await cell(opened, 'South').click();
    await bar.getByRole('button', { name: 'Move the row up' }).click();
    await bar.getByRole('button', { name: 'Add a column after this one' }).click();
    await opened.page.keyboard.type('new');
    await bar.getByRole('button', { name: 'Centre the column' }).click();
    assert.equal(
      (await stored(opened)).replace(/^[^|]*|[^|]*$/g, ''),
      [
        '| Bed   |     | Crop      | Plants |',
        '| ----- | :-: | --------- | -----: |',
        '| South | new |           |     12 |',
        '| North |     | [[Beans]] |     48 |',
      ].join('\n'),
    );
    await bar.getByRole('button', { name: /source/ }).click();
    await opened.page.getByText('| :-: |').waitFor();
    await bar.getByRole('button', { name: /source/ }).click();
    await opened.page.getByRole('table').waitFor();
    await opened.page.getByText('after').click();
    assert.equal(await bar.count(), 0);
    assert.deepEqual(opened.complaints, []);
  });

  test('a long table keeps its height while it scrolls, and its bar stays at the foot of the note', async () => {
    await using opened = await browser().open();
    const rows = Array.from({ length: 120 }, (_, row) => `| ${row} | text |`).join('\n');
    await opened.start(`| a | b |\n|---|---|\n${rows}\n\n${'after\n\n'.repeat(80)}`);
    await cell(opened, '2').click();
    await opened.page.getByRole('toolbar').getByRole('button').first().waitFor();
    const scroller = opened.page.locator('.cm-scroller');
    for (const top of [1500, 3000, 4500]) {
      await scroller.evaluate((node, to) => {
        node.scrollTop = to;
      }, top);
      await opened.idle();
      const [bar, room] = [await opened.page.getByRole('toolbar').boundingBox(), await scroller.boundingBox()];
      assert.ok(bar !== null && room !== null && bar.y >= room.y + room.height && bar.height > 20);
    }
    assert.ok((await scroller.evaluate((node) => node.scrollHeight)) < 12_000);
  });

  test('the bar of a table covers nothing, moves no line, and leaves the cell in sight', async () => {
    await using opened = await browser().open({ viewport: { width: 800, height: 500 } });
    await opened.start(`${'x\n\n'.repeat(6)}${NOTE}\n\n${'y\n\n'.repeat(9)}`);
    const tops = () =>
      opened.page.locator('.cm-line').evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    const bottom = opened.page.getByRole('cell', { name: '12', exact: true });
    await bottom.evaluate((node) => node.scrollIntoView({ block: 'center' }));
    await opened.idle();
    const before = await tops();
    await cell(opened, 'North').click();
    await opened.page.getByRole('toolbar').getByRole('button').first().waitFor();
    await opened.idle();
    assert.deepEqual(await tops(), before);
    const covered = await opened.page.evaluate(() => {
      const bar = document.querySelector('.nv-table-bar')?.getBoundingClientRect() ?? new DOMRect();
      const room = document.querySelector('.cm-scroller')?.getBoundingClientRect() ?? new DOMRect();
      return Math.max(0, Math.min(bar.bottom, room.bottom) - Math.max(bar.top, room.top));
    });
    assert.equal(covered, 0);
    // A cell at the lower edge, where the bar comes.
    await opened.page.getByText('x', { exact: true }).first().click();
    await bottom.evaluate((node) => node.scrollIntoView({ block: 'end' }));
    await opened.idle();
    await bottom.click();
    await opened.page.getByRole('toolbar').getByRole('button').first().waitFor();
    await opened.idle();
    const [cellBox, bar] = [await bottom.boundingBox(), await opened.page.getByRole('toolbar').boundingBox()];
    assert.ok(cellBox !== null && bar !== null && cellBox.y + cellBox.height <= bar.y + 1);
  });

  test('the bar of a table is reached and used by the keyboard alone', async () => {
    await using opened = await browser().open();
    await opened.start(NOTE);
    await cell(opened, 'South').click();
    await opened.page.getByRole('button', { name: 'Add a row below' }).waitFor();
    await press(opened, 'Alt+F10');
    const focused = () => opened.page.evaluate(() => document.activeElement?.ariaLabel);
    assert.equal(await focused(), 'Add a row below');
    await press(opened, 'ArrowRight', 'ArrowRight', 'ArrowLeft', 'Enter', 'Escape');
    await opened.page.keyboard.type('x');
    assert.match(await stored(opened), /\| (?:South)?x(?:South)? +\| +\| +12 \|\n\| North/);
  });

  test('on a phone every tool of the bar is as large as a finger, and the bar does not widen the page', async () => {
    await using opened = await browser().open({
      viewport: { width: 360, height: 700 },
      hasTouch: true,
      isMobile: true,
    });
    await opened.start(`${'x\n\n'.repeat(5)}${NOTE}`);
    await opened.idle();
    await cell(opened, 'South').tap();
    const tool = opened.page.getByRole('button', { name: 'Add a row below' });
    await tool.waitFor();
    const box = await tool.boundingBox();
    assert.ok(box !== null && box.width >= 44 && box.height >= 44);
    await tool.tap();
    assert.equal(await opened.page.getByRole('row').count(), 4);
    assert.equal(await opened.page.evaluate(() => document.documentElement.scrollWidth), 360);
    assert.deepEqual(opened.complaints, []);
  });

  test('cells of a spreadsheet fill the table from the cell of the cursor on', async () => {
    await using opened = await browser().open();
    await opened.start(NOTE);
    const paste = (text: string, html: string) =>
      opened.page.evaluate(
        ([text, html]) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text/plain', text);
          clipboardData.setData('text/html', html);
          const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
          document.querySelector('.cm-content')?.dispatchEvent(event);
        },
        [text, html] as const,
      );
    await cell(opened, '12').click();
    const before = await stored(opened);
    await paste('1\ta|b\r\n2\t"c\nd"\r\n', '<table></table>');
    await opened.page.waitForFunction((before) => window.harness.stored() !== before, before);
    assert.deepEqual(
      (await stored(opened))
        .split('\n')
        .slice(5, 7)
        .map((line) => line.replace(/ +/g, ' ')),
      ['| South | | 1 | a\\|b |', '| | | 2 | c<br>d |'],
    );
    assert.equal(await opened.page.getByRole('row').count(), 4);
    // Text with tabs elsewhere is text.
    await opened.page.getByText('after').click();
    await press(opened, 'End');
    await paste('if\tx\n\ty', '');
    assert.match(await stored(opened), /afterif\tx\n\ty$/);
    assert.deepEqual(opened.complaints, []);
  });

  test('the cursor stays in its cell when a wide table scrolls', async () => {
    await using opened = await browser().open({ viewport: { width: 360, height: 700 } });
    const words = ['Lorem', 'consectetur', 'adipiscing', 'incididunt', 'exercitation'];
    await opened.start(`| ${words.join(' | ')} |\n|${'---|'.repeat(words.length)}`);
    await opened.page.getByRole('columnheader', { name: 'adipiscing' }).click();
    await opened.page.getByRole('table').evaluate((table) => {
      table.scrollLeft = 60;
    });
    await opened.idle();
    const [cursor, box] = await opened.page.evaluate(() =>
      ['.cm-cursor-primary', '.nv-cell-active'].map((name) => {
        const { left, right } = document.querySelector(name)?.getBoundingClientRect() ?? new DOMRect();
        return { left, right };
      }),
    );
    assert.ok(cursor !== undefined && box !== undefined);
    assert.ok(cursor.left > box.left && cursor.left < box.right, JSON.stringify([cursor, box]));
    assert.equal(await opened.page.evaluate(() => document.documentElement.scrollWidth), 360);
  });
}
