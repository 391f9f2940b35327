import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser } from '../browser.ts';
import { HOSTILE_NOTES } from '../hostile-notes.ts';

export function hostileTests(browser: () => EditorBrowser): void {
  for (const mode of ['preview', 'reading', 'source'] as const) {
    test(`no script of a hostile note runs in ${mode} mode, and nothing is asked of other servers`, async () => {
      await using opened = await browser().open();
      const foreign: string[] = [];
      opened.page.on('request', (request) => {
        if (!request.url().startsWith(browser().url) && !request.url().startsWith('data:')) foreign.push(request.url());
      });
      opened.page.on('dialog', (dialog) => {
        opened.complaints.push(`dialog ${dialog.message()}`);
        void dialog.dismiss();
      });
      for (const note of HOSTILE_NOTES) {
        await opened.start(note, mode);
        await opened.page.waitForFunction(() => document.querySelector('[data-state=loading]') === null);
        const found = await opened.page.evaluate(() => ({
          ran: 'hacked' in window,
          scripts: document.querySelectorAll('#editor script, #editor object, #editor embed, #editor svg script')
            .length,
          handlers: [...document.querySelectorAll('#editor *')].flatMap((node) =>
            [...node.attributes].filter(({ name }) => name.startsWith('on')).map(({ name }) => name),
          ),
          links: [...document.querySelectorAll<HTMLElement>('#editor [href], #editor [src]')]
            .map((node) => node.getAttribute('href') ?? node.getAttribute('src') ?? '')
            .filter((address) => !/^(https?:|mailto:|\/|#|$)/i.test(address)),
          frames: [...document.querySelectorAll('#editor iframe')].filter(
            (frame) => frame.getAttribute('sandbox') !== 'allow-scripts',
          ).length,
        }));
        assert.deepEqual(found, { ran: false, scripts: 0, handlers: [], links: [], frames: 0 }, note);
      }
      assert.deepEqual(foreign, []);
      assert.deepEqual(
        opened.complaints.filter((text) => text.startsWith('dialog')),
        [],
      );
    });
  }

  test('links that are refused open nothing', async () => {
    await using opened = await browser().open();
    const pages: string[] = [];
    opened.context.on('page', (page) => pages.push(page.url()));
    await opened.start('[click](javascript:window.hacked=1) and [other](data:text/html,x)', 'reading');
    await opened.page.getByText('click').click();
    await opened.page.getByText('other').click();
    assert.deepEqual([pages, await opened.run((harness) => harness.opened)], [[], []]);
    assert.equal(await opened.page.evaluate(() => 'hacked' in window), false);
  });
}
