import { open, pagesOf } from './kit/pages.ts';
import { expect, test } from './kit/test.ts';

/** Letters, words, lines and paragraphs as far apart as readers may set them (WCAG 1.4.12). */
const WIDE_TEXT = `* {
  letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important;
  line-height: 1.5 !important;
}
p { margin-block-end: 2em !important; }`;

/** How far a page scrolls sideways, in pixels. */
const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** What is wrong with how the focused element shows its focus; null if nothing is. */
const FOCUS_FAULT = `(() => {
  const focused = document.activeElement;
  if (focused === null || focused === document.body) return null;
  // The cursor of a text, and the active row of a tree or list, show the focus by themselves.
  if (focused.isContentEditable || focused.hasAttribute('aria-activedescendant')) return null;
  const label = focused.tagName + ' ' + (focused.getAttribute('aria-label') ?? focused.textContent.slice(0, 30));
  const { outlineStyle, boxShadow } = getComputedStyle(focused);
  if (outlineStyle === 'none' && boxShadow === 'none') return label + ': no outline';
  const { left, top, width, height } = focused.getBoundingClientRect();
  if (width < 2 || height < 2) return label + ': no size';
  const parts = [0.1, 0.5, 0.9];
  const isSeen = parts.some((x) => parts.some((y) => {
    const found = document.elementFromPoint(left + width * x, top + height * y);
    return found !== null && (focused.contains(found) || found.contains(focused));
  }));
  return isSeen ? null : label + ': covered';
})()`;

test('no page scrolls sideways at a width of 320 pixels, with letters and lines far apart too', async ({
  page,
  alice,
}) => {
  await page.setViewportSize({ width: 320, height: 640 });
  const wide: string[] = [];
  for (const [name, url] of await pagesOf(alice)) {
    await open(page, url);
    const plain = await page.evaluate<number>(SIDEWAYS);
    await page.addStyleTag({ content: WIDE_TEXT });
    const spaced = await page.evaluate<number>(SIDEWAYS);
    if (plain > 0 || spaced > 0) wide.push(`${name}: ${plain}, ${spaced}`);
  }
  expect(wide).toEqual([]);
});

for (const wanted of [/search/, /panel=history/, /import/, /connections/]) {
  test(`whatever gets the focus on ${wanted.source} shows it, and nothing covers it`, async ({ page, alice }) => {
    const [name, url] = [...(await pagesOf(alice))].find(([one]) => wanted.test(one)) ?? [];
    await open(page, url ?? '');
    const hidden = new Set<string>();
    for (let step = 0; step < 25; step++) {
      await page.keyboard.press('Tab');
      const fault = await page.evaluate<string | null>(FOCUS_FAULT);
      if (fault !== null) hidden.add(`${name}: ${fault}`);
    }
    expect([...hidden]).toEqual([]);
  });
}
