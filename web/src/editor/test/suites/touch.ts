import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser } from '../browser.ts';

const PHONE = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true };
const NOTE = '---\ntitle: x\n---\n# Heading\n\nfirst paragraph here\n\n- an item\n\nlast with **bold** text\n';

export function touchTests(browser: () => EditorBrowser): void {
  test('the first tap puts the cursor where the finger was, in every kind of line', async () => {
    for (const mode of ['preview', 'source'] as const) {
      for (const words of ['Heading', 'first paragraph here', 'an item', 'last with']) {
        await using opened = await browser().open(PHONE);
        await opened.start(NOTE, mode);
        await opened.idle();
        const line = await opened.page.getByText(words).boundingBox();
        assert.ok(line !== null);
        await opened.page.touchscreen.tap(line.x + 30, line.y + line.height / 2);
        await opened.page.locator('.cm-content').and(opened.page.locator(':focus')).waitFor();
        // The editor acts on the focus some milliseconds later.
        await opened.idle();
        await opened.page.keyboard.type('x');
        const lines = NOTE.split('\n');
        const changed = (await opened.run((harness) => harness.stored())).split('\n');
        const at = lines.findIndex((one) => one.includes(words));
        assert.match(changed[at] ?? '', /.x/, `${mode}, ${words}`);
        assert.deepEqual(changed.with(at, (changed[at] ?? '').replace('x', '')), lines, `${mode}, ${words}`);
        assert.deepEqual(opened.complaints, []);
      }
    }
  });

  test('chips and boxes are as large as a finger, and the source of a box is as high as the box', async () => {
    await using opened = await browser().open(PHONE);
    await opened.start('---\nstatus: new\nisDone: true\ntags: [a]\n---\nx\n\n- [ ] one\n- [x] two\n\nend');
    const sizes = (selector: string) =>
      opened.page.locator(selector).evaluateAll((all) =>
        all.map((one) => {
          const { width, height } = one.getBoundingClientRect();
          return [Math.round(width), Math.round(height)] as const;
        }),
      );
    await opened.page.locator('button.nv-chip').first().waitFor();
    for (const [, height] of await sizes('button.nv-chip')) assert.equal(height, 44);
    assert.deepEqual(await sizes('.nv-task'), [
      [44, 44],
      [44, 44],
    ]);
    const boxes = await opened.page
      .locator('.nv-task')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    assert.ok((boxes[1] ?? 0) - (boxes[0] ?? 0) >= 43.5, 'they do not lie over each other');
    const before = await sizes('.nv-task-line');
    await opened.page.getByText('end').tap();
    await opened.page.locator('.cm-content').and(opened.page.locator(':focus')).waitFor();
    await opened.run((harness) => harness.editor.goTo(harness.stored().indexOf('- [ ] one') + 3));
    await opened.page.waitForFunction(() => document.querySelectorAll('.nv-task').length === 1);
    assert.deepEqual(await sizes('.nv-task-line'), before);
    await opened.page.getByRole('button', { name: 'isDone' }).tap();
    await opened.page.getByRole('checkbox', { name: 'isDone' }).waitFor();
    assert.deepEqual(
      (
        await sizes(
          '.nv-property :is(button, input:not([type=checkbox]), label), .nv-property-footer :is(button, input)',
        )
      ).filter(([, height]) => height < 44),
      [],
    );
    assert.deepEqual(opened.complaints, []);
  });

  test('the cursor begins after the frontmatter, so that what is typed does not break it', async () => {
    await using opened = await browser().open();
    await opened.start(NOTE);
    await opened.run((harness) => harness.editor.focus());
    await opened.page.keyboard.type('x');
    assert.equal(await opened.run((harness) => harness.stored()), NOTE.replace('# Heading', 'x# Heading'));
  });

  test('the cursor of a note that is opened again is between the same letters, though others wrote before it', async () => {
    await using opened = await browser().open();
    await opened.start(NOTE);
    await opened.run((harness) => {
      harness.editor.goTo(harness.stored().indexOf('paragraph'));
      harness.reopen(() => harness.remote(0, 0, 'before\n'));
      harness.editor.focus();
    });
    await opened.page.keyboard.type('x');
    assert.equal(await opened.run((harness) => harness.stored()), `before\n${NOTE.replace('para', 'xpara')}`);
  });
}
