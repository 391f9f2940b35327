import { open, pagesOf } from './kit/pages.ts';
import { expect, test } from './kit/test.ts';

/** Returns elements that move although reduced motion is requested. */
const MOVING = `[...document.querySelectorAll('*')].flatMap((one) => {
  const { transitionDuration, animationName, animationDuration } = getComputedStyle(one);
  const lasts = (text) => text.split(',').some((time) => parseFloat(time) > 0.001);
  return lasts(transitionDuration) || (animationName !== 'none' && lasts(animationDuration)) ? [one.tagName + '.' + one.className] : [];
})`;

/** Returns clickable elements smaller than a finger, except links in sentences and elements enlarged by a label. */
const SMALL = `[...document.querySelectorAll('button, a, select, summary, input')].flatMap((one) => {
  if (!one.checkVisibility({ visibilityProperty: true }) || one.closest('.visually-hidden, p, .cm-content') !== null) return [];
  const target = one.matches('[type=checkbox], [type=radio]') ? (one.closest('label') ?? one) : one;
  const { width, height, bottom, right } = target.getBoundingClientRect();
  if (width < 2 || height < 2 || bottom <= 0 || right <= 0) return [];
  return height < 43.5 ? [(one.getAttribute('aria-label') ?? one.textContent ?? one.tagName).slice(0, 30) + ' ' + Math.round(height)] : [];
})`;

/** Position of a page's title. */
const TITLE = `(() => {
  const { left, top } = document.querySelector('main h1').getBoundingClientRect();
  return Math.round(left) + ' ' + Math.round(top);
})()`;

/** Returns input elements with text so small that phones zoom in. */
const ZOOMS = `[...document.querySelectorAll('input:not([type=checkbox], [type=radio]), select, textarea')].flatMap((one) => {
  const size = parseFloat(getComputedStyle(one).fontSize);
  return one.checkVisibility() && size < 16 ? [(one.labels?.[0]?.textContent ?? one.ariaLabel ?? one.tagName) + ' ' + size + ' px'] : [];
})`;

/**
 * The left edges of the title of a page, of what follows it, and of lists and their first rows. What is pressed may hang
 * out if its text does not.
 */
const EDGES = `(() => {
  const title = document.querySelector('main h1');
  const header = title.closest('main > * > header, main > * > div:first-child') ?? title;
  const lists = [...document.querySelectorAll('main :is(ul, ol):not(li *)')].flatMap((one) => [one, ...[...one.children].slice(0, 1)]);
  const parts = [title, ...(header.parentElement?.children ?? []), ...lists].filter((one) => one.getBoundingClientRect().width > 1);
  const boxEdge = (one) => Math.round(one.getBoundingClientRect().left + parseFloat(getComputedStyle(one).paddingInlineStart));
  const textEdge = (one) => {
    const texts = document.createTreeWalker(one, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    range.selectNodeContents(texts.nextNode() ?? one);
    return Math.round(range.getBoundingClientRect().left);
  };
  return [...new Set(parts.map((one) => (textEdge(one) === boxEdge(title) ? boxEdge(title) : boxEdge(one))))];
})()`;

const COUNT_SHIFTS = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shifts.push(value);
  }).observe({ type: 'layout-shift', buffered: true });
`;

test('no page moves while it comes, nor at all where people want stillness', async ({ page, alice }) => {
  test.setTimeout(300_000);
  await page.addInitScript(COUNT_SHIFTS);
  const found: string[] = [];
  for (const [name, url] of await pagesOf(alice)) {
    await open(page, url);
    await page.waitForLoadState('networkidle');
    const shifted = await page.evaluate<number>('window.shifts.reduce((all, one) => all + one, 0)');
    // A third of what people do not notice (web.dev/cls): 40 px of a whole page are more.
    if (shifted >= 0.03) found.push(`${name}: shifted by ${shifted.toFixed(2)}`);
    for (const moving of new Set(await page.evaluate<string[]>(MOVING))) found.push(`${name}: ${moving} moves`);
  }
  expect(found).toEqual([]);
});

test('the parts of each list page have one left edge', async ({ page, alice }) => {
  test.setTimeout(300_000);
  const found: string[] = [];
  for (const [name, url] of await pagesOf(alice)) {
    if (/notes\/|graph|settings/.test(name)) continue;
    await open(page, url);
    await page.waitForLoadState('networkidle');
    const edges = await page.evaluate<number[]>(EDGES);
    if (edges.length !== 1) found.push(`${name}: ${edges}`);
  }
  expect(found).toEqual([]);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true });

  test('whatever is pressed on any page is 44 px high, and no field makes the phone zoom', async ({ page, alice }) => {
    test.setTimeout(300_000);
    const found: string[] = [];
    for (const [name, url] of await pagesOf(alice)) {
      await open(page, url);
      await page.waitForLoadState('networkidle');
      for (const script of [SMALL, ZOOMS])
        for (const small of new Set(await page.evaluate<string[]>(script))) found.push(`${name}: ${small}`);
    }
    expect(found).toEqual([]);
  });

  test('the titles of pages stand at one place, but for the greeting', async ({ page, alice }) => {
    const places = new Map<string, string>();
    for (const [name, url] of await pagesOf(alice)) {
      if (/notes\/|settings|vaults\/[^/]+$/.test(name)) continue;
      await open(page, url);
      await page.waitForLoadState('networkidle');
      places.set(name, await page.evaluate<string>(TITLE));
    }
    expect(new Set(places.values()), JSON.stringify([...places])).toHaveProperty('size', 1);
  });
});
