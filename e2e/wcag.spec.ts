import { open, pagesOf } from './kit/pages.ts';
import { expect, test } from './kit/test.ts';

/** Returns what is wrong with the focus indicator of the focused element; null if nothing. */
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
