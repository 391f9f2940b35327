import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser, EditorPage } from '../browser.ts';

/** Movement in pixels that nobody notices. */
const STILL = 2;
const PICTURE = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="400" height="300"/>');

const LINES = Array.from({ length: 120 }, (_, number) => {
  if (number % 12 === 0) return `## Part ${number}`;
  if (number % 12 === 5) return `> [!note] Of ${number}\n> text\n> more text`;
  if (number % 12 === 9) return `| a | b |\n|---|---|\n| ${number} | c |`;
  return `Line ${number}, ${'with words enough that it is drawn over two or three rows of the page, '.repeat(number % 4)}.`;
});
const NOTE = LINES.join('\n\n');

const WRITTEN: Readonly<Record<string, string>> = {
  'a line': 'one more line\n\n',
  'blank lines': '\n\n\n\n\n\n',
  'a long text': 'a long line of a text that was pasted, which takes more than one row. '
    .repeat(4)
    .concat('\n\n')
    .repeat(40),
  'a heading, a table and a callout': '# H\n\n| a | b |\n|---|---|\n| c | d |\n| e | f |\n\n> [!tip] T\n> text\n\n',
  pictures: '![[a.svg]]\n\ntext\n\n- in a list ![[a.svg]]\n\n![[a.svg]]\n\n',
};

/** Places where others write: the start and the end, just above the viewport, and between its top and the cursor. */
type Place = 'at the start' | 'close above' | 'in sight' | 'at the end';

export function heldPlaceTests(browser: () => EditorBrowser): void {
  test('the cursor stays where it is when somebody writes above it, short or long, with pictures or tables', async () => {
    await using opened = await start(browser());
    for (const place of ['at the start', 'close above', 'in sight'] as const) {
      for (const [kind, text] of Object.entries(WRITTEN)) await stays(opened, 'Line 58', place, kind, text);
    }
    assert.deepEqual(opened.complaints, []);
  });

  test('the first visible line stays where it is when somebody writes above it while the text has no cursor', async () => {
    await using opened = await start(browser());
    await opened.run(() => (document.activeElement as HTMLElement).blur());
    for (const place of ['at the start', 'close above'] as const) {
      for (const [kind, text] of Object.entries(WRITTEN)) await stays(opened, null, place, kind, text);
    }
  });

  test('the cursor stays where it is when somebody writes above it in its own paragraph', async () => {
    await using opened = await browser().open();
    const paragraph = 'words of a paragraph '.repeat(100);
    await opened.start(`${NOTE}\n\n${paragraph}THE END\n\n${NOTE}`);
    await opened.run((harness) => harness.goTo(harness.stored().indexOf('THE END')));
    await opened.idle();
    const cursor = () => opened.page.locator('.cm-cursor-primary').evaluate((node) => node.getBoundingClientRect().top);
    const before = await cursor();
    await opened.run((harness) => {
      harness.remote(harness.stored().indexOf('THE END') - 2_000, 0, 'what somebody else writes there '.repeat(20));
    });
    await opened.idle();
    const moved = (await cursor()) - before;
    assert.ok(Math.abs(moved) <= STILL, `it moved by ${moved}`);
  });

  test('the end of a note is not followed when somebody writes there', async () => {
    await using opened = await start(browser());
    await opened.page.locator('.cm-scroller').evaluate((node) => node.scrollTo(0, 1_000_000));
    await opened.idle();
    await opened.run(() => (document.activeElement as HTMLElement).blur());
    await stays(opened, null, 'at the end', 'a long text', WRITTEN['a long text'] ?? '');
  });
}

/** Opens a long note with the cursor in the middle of it, some rows below the top of the page. */
async function start(browser: EditorBrowser): Promise<EditorPage> {
  browser.files.set('/media/a.svg', PICTURE);
  const opened = await browser.open();
  await opened.run((harness) => {
    harness.media = { 'a.svg': '/media/a.svg' };
  });
  await opened.start(NOTE);
  await opened.run((harness) => harness.goTo(harness.stored().indexOf('Line 51')));
  await opened.idle();
  await opened.run((harness) => harness.editor.goTo(harness.stored().indexOf('Line 58'), 'nearest'));
  await opened.idle();
  return opened;
}

/** Somebody writes, with their cursor there; a line (or the first visible one) is in its place in every frame. */
async function stays(
  { page }: EditorPage,
  line: string | null,
  place: Place,
  kind: string,
  text: string,
): Promise<void> {
  const moved = await page.evaluate(
    async ([wanted, where, insert]) => {
      const { harness } = window;
      const scroller = document.querySelector('.cm-scroller') as HTMLElement;
      const edge = scroller.getBoundingClientRect().top;
      const lines = () => [...document.querySelectorAll<HTMLElement>('.cm-line')];
      const isFirst = (node: HTMLElement) => node.getBoundingClientRect().top >= edge && /Line \d/.test(node.innerText);
      const first = lines().find(isFirst)?.innerText ?? '';
      const [marker = ''] = /Line \d+/.exec(wanted ?? first) ?? [];
      const top = () =>
        lines()
          .find((node) => node.innerText.startsWith(marker))
          ?.getBoundingClientRect().top ?? Number.NaN;
      const before = top();
      const stored = harness.stored();
      const visible = stored.lastIndexOf('\n\n', stored.indexOf(first));
      const above = stored.lastIndexOf('\n\n', stored.lastIndexOf('\n\n', visible - 1) - 1) + 2;
      const at = {
        'at the end': stored.length,
        'at the start': 0,
        'close above': above,
        'in sight': stored.indexOf('\n\n', stored.indexOf(first)) + 2,
      }[where];
      harness.remote(at, 0, insert);
      harness.remoteCursor(at + insert.length);
      const seen: number[] = [];
      const isLoading = () => document.querySelector('[data-state=loading]') !== null;
      // After what observes sizes, which is the last before a frame is painted.
      const probe = document.body.appendChild(document.createElement('div'));
      const sizes = new ResizeObserver(() => seen.push(top() - before));
      sizes.observe(probe);
      for (let frames = 0; frames < 4 || (isLoading() && frames < 600); frames++) {
        probe.style.width = `${frames + 1}px`;
        await new Promise(requestAnimationFrame);
      }
      sizes.disconnect();
      probe.remove();
      return seen;
    },
    [line, place, text] as const,
  );
  const worst = moved.reduce((most, one) => (Math.abs(one) > Math.abs(most) || Number.isNaN(one) ? one : most), 0);
  assert.ok(Math.abs(worst) <= STILL, `${kind} ${place} moved it by ${worst}: ${moved.join(', ')}`);
}
