import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser } from '../browser.ts';
import { PIXEL } from './rich.ts';

export function blockTests(browser: () => EditorBrowser): void {
  test('a callout written closed begins folded, and a button shows its text without changing the note', async () => {
    await using opened = await browser().open();
    const note = 'above\n\n> [!tip]- Title\n> hidden text\n\n> [!note]+ Open\n> shown text\n\n> [!note] Plain\n> text';
    await opened.start(note);
    await opened.page.getByText('shown text').waitFor();
    assert.equal(await opened.page.getByText('hidden text').count(), 0);
    const buttons = opened.page.getByRole('button', { name: 'Show or hide the text' });
    assert.equal(await buttons.count(), 2);
    assert.equal(await buttons.first().getAttribute('aria-expanded'), 'false');
    await buttons.first().click();
    await opened.page.getByText('hidden text').waitFor();
    assert.equal(await buttons.first().getAttribute('aria-expanded'), 'true');
    await buttons.nth(1).focus();
    await opened.page.keyboard.press('Enter');
    await opened.page.getByText('shown text').waitFor({ state: 'detached' });
    assert.equal(await opened.run((harness) => harness.stored()), note);
    assert.deepEqual(opened.complaints, []);
  });

  test('a callout that is written closed is folded in an embedded note too', async () => {
    await using opened = await browser().open();
    await opened.run((harness) => {
      harness.notes = { Inner: '> [!tip]- Title\n> hidden text' };
    });
    await opened.start('![[Inner]]', 'reading');
    await opened.page.getByText('Title').waitFor();
    assert.equal(await opened.page.getByText('hidden text').count(), 0);
  });

  test('lines of scripts from right to left have that direction, each by itself', async () => {
    await using opened = await browser().open();
    await opened.start('English\nשלום עולם\nEnglish with שלום\n- مرحبا\n\n> [!note] עברית\n> text');
    const directions = () =>
      opened.page.locator('.cm-line').evaluateAll((lines) => lines.map((line) => getComputedStyle(line).direction));
    assert.deepEqual(await directions(), ['ltr', 'rtl', 'ltr', 'rtl', 'ltr', 'rtl', 'ltr']);
    await opened.run((harness) => harness.goTo(0));
    await opened.page.keyboard.type('שלום');
    assert.equal((await directions())[0], 'rtl');
    await opened.run((harness) => harness.editor.setMode('source'));
    assert.equal((await directions())[1], 'rtl');
  });

  test('a callout from right to left is so as a whole, and a line of the other direction is within it', async () => {
    await using opened = await browser().open();
    await opened.start(
      'x\n\n> [!note] שלום עולם\n> English text\n> עברית\n\n> [!tip]\n> مرحبا\n\n> [!note] English\n> עברית\n',
    );
    const lines = await opened.page.locator('.nv-callout').evaluateAll((all) =>
      all.map((line) => {
        const { direction, paddingLeft, paddingRight } = getComputedStyle(line);
        const icon = line.querySelector('.nv-callout-icon')?.getBoundingClientRect();
        const { left, right } = line.getBoundingClientRect();
        const side = icon === undefined ? '' : icon.right < (left + right) / 2 ? ' icon left' : ' icon right';
        return `${direction} ${paddingLeft} ${paddingRight}${side}`;
      }),
    );
    assert.deepEqual(lines, [
      'rtl 16px 42px icon right',
      'ltr 16px 42px',
      'rtl 16px 42px',
      'rtl 16px 42px icon right',
      'rtl 16px 42px',
      'ltr 42px 16px icon left',
      'rtl 42px 16px',
    ]);
  });

  test('the bullet of a list stands in the middle of the small letters', async () => {
    await using opened = await browser().open();
    await opened.start('- xxx\n- yyy\n\ntext');
    const off = await opened.page
      .locator('.nv-bullet')
      .first()
      .evaluate((bullet) => {
        const probe = document.createElement('span');
        probe.style.cssText = 'display:inline-block;width:1px;height:1ex;vertical-align:baseline';
        bullet.after(probe);
        const middle = (node: Element) => {
          const { top, bottom } = node.getBoundingClientRect();
          return (top + bottom) / 2;
        };
        return middle(bullet) - middle(probe);
      });
    assert.ok(Math.abs(off) <= 0.75, `${off} px`);
  });

  test('below the code of a block is as much space as beside it, also while the cursor shows its fence', async () => {
    await using opened = await browser().open();
    await opened.start('x\n\n```js\none\n```\n\nafter');
    const space = () =>
      opened.page.evaluate(() => {
        const lines = [...document.querySelectorAll('.nv-code-line')];
        const [code, last] = [lines.at(-2), lines.at(-1)].map((line) => line?.getBoundingClientRect() ?? new DOMRect());
        return [Math.round((last?.bottom ?? 0) - (code?.bottom ?? 0)), Math.round(last?.bottom ?? 0)];
      });
    const before = await space();
    assert.ok((before[0] ?? 0) >= 12 && (before[0] ?? 0) <= 14, String(before));
    await opened.page.getByText('one').click();
    await opened.page.getByText('```', { exact: true }).first().waitFor();
    assert.deepEqual(await space(), before);
  });

  test('an <img> shows the attachment that its source names, in a block of HTML, in a line and in a cell', async () => {
    browser().files.set('/media/a.png', PIXEL);
    await using opened = await browser().open();
    await opened.run((harness) => {
      harness.media = { 'img/a b.png': '/media/a.png' };
    });
    await opened.start(
      [
        '<p align="center">\n<img src="img/a%20b.png" alt="R&amp;D" width="40" onload2="x" srcset="//x.example/b.png">\n</p>\n',
        "in line <img src='img/a b.png'> too\n",
        '| <img src="img/a%20b.png"> |\n|---|\n',
        '<img src="https://x.example/c.png" alt="far">\n\n<img src="none.png">',
      ].join('\n'),
      'reading',
    );
    await opened.page.waitForFunction(
      () => [...document.images].filter((image) => image.naturalWidth === 1).length === 3,
    );
    const image = opened.page.locator('.nv-html-block img').first();
    assert.deepEqual(await image.evaluate(({ alt, clientWidth }: HTMLImageElement) => [alt, clientWidth]), ['R&D', 40]);
    assert.equal(await opened.page.locator('.nv-image').count(), 3);
    await opened.page.getByRole('button', { name: 'far · ' }).waitFor();
    await opened.page.getByText('none.png', { exact: true }).waitFor();
    assert.deepEqual(opened.complaints, []);
  });

  test('a block of HTML for text is drawn without what is not, and other HTML stays text', async () => {
    await using opened = await browser().open();
    await opened.start(
      [
        'text\n',
        '<details><summary id="x" class="cm-line" style="color:red">More</summary><a href="https://example.org">in</a></details>\n',
        '<iframe src="https://example.org"></iframe>\n',
      ].join('\n'),
    );
    const summary = opened.page.locator('.nv-html-block summary');
    await summary.waitFor();
    assert.deepEqual(await summary.evaluate((node) => node.getAttributeNames()), []);
    assert.equal(await opened.page.locator('.nv-html-block a').getAttribute('rel'), 'noopener noreferrer');
    await summary.click();
    await opened.page.getByRole('link', { name: 'in' }).waitFor();
    assert.ok(await opened.page.getByText('<iframe').isVisible());
    assert.deepEqual(opened.complaints, []);
  });
}
