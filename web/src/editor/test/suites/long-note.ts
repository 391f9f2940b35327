import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser } from '../browser.ts';
import { longNote } from '../long-note-text.ts';

export function longNoteTests(browser: () => EditorBrowser): void {
  test('in a note of 10,000 lines, simultaneous keys build the decorations once each, of mounted lines', async () => {
    await using opened = await browser().open();
    await opened.start(longNote(10_000));
    await opened.run((harness) => harness.goTo(Math.floor(harness.stored().length / 2)));
    await opened.page.keyboard.press('End');
    const { builds, decorations, lines } = await opened.page.evaluate(async () => {
      const before = { ...window.harness.counts };
      for (let key = 0; key < 20; key++) {
        document.execCommand('insertText', false, 'x');
        // The editor reads a change of its elements in a microtask.
        for (let turn = 0; turn < 5; turn++) await Promise.resolve();
      }
      const { builds, decorations } = window.harness.counts;
      return {
        builds: builds - before.builds,
        decorations: decorations - before.decorations,
        lines: document.querySelectorAll('.cm-line').length,
      };
    });
    assert.equal(builds, 20);
    assert.ok(lines > 10 && lines < 200, `${lines} lines are mounted`);
    assert.ok(decorations / builds < 4 * lines, `${decorations / builds} decorations a key for ${lines} lines`);
  });

  test('in a note of 10,000 lines a key builds the decorations of what is visible, once', async (t) => {
    await using opened = await browser().open();
    await opened.start(longNote(10_000));
    await opened.run((harness) => harness.goTo(Math.floor(harness.stored().length / 2)));
    await opened.page.keyboard.press('End');
    await opened.page.waitForTimeout(0);
    const times: number[] = [];
    const before = await opened.run((harness) => ({ ...harness.counts }));
    for (let key = 0; key < 60; key++) {
      times.push(
        await opened.page.evaluate(async () => {
          const content = document.querySelector('.cm-content');
          const start = performance.now();
          document.execCommand('insertText', false, 'x');
          content?.getBoundingClientRect();
          await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
          return performance.now() - start;
        }),
      );
    }
    const after = await opened.run((harness) => ({ ...harness.counts }));
    times.sort((a, b) => a - b);
    t.diagnostic(`a key to its frame: p50 ${times[30]?.toFixed(1)} ms, p95 ${times[57]?.toFixed(1)} ms`);
    const decorations = (after.decorations - before.decorations) / (after.builds - before.builds);
    assert.ok(decorations < 600, `${decorations} decorations a build`);
    assert.ok((await opened.run((harness) => harness.stored())).includes('x'.repeat(60)));
  });
}
