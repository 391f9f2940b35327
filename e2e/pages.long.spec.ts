import { open, pagesOf } from './kit/pages.ts';
import { expect, expectAccessible, signedIn, test } from './kit/test.ts';

/** Letters, words, lines and paragraphs as far apart as readers may set them (WCAG 1.4.12). */
const WIDE_TEXT = `* {
  letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important;
  line-height: 1.5 !important;
}
p { margin-block-end: 2em !important; }`;

/** Horizontal scroll distance of a page, in pixels. */
const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

for (const locale of ['en', 'de', 'ja']) {
  test.describe(`in ${locale}`, () => {
    test.use({ locale });

    test(`no page that is signed in has anything that axe objects to, in ${locale}`, async ({ page, freshServer }) => {
      test.setTimeout(300_000);
      // The first account is an admin.
      const alice = await signedIn(freshServer, page.context());
      const bytes = () => new TextEncoder().encode('rows of beans');
      const { id } = await alice.vault.putAttachment('plan.txt', { bytes, mtime: 1 });
      const admin = ['', '/invites', '/health'].map((path) => `${alice.url}/admin${path}`);
      const welcome = ['notes', 'connect', 'checks'].map((step) => `${alice.url}/?welcome=${step}`);
      const pages = [...(await pagesOf(alice)).values(), alice.page(`/files/${id}`), ...admin, ...welcome];
      for (const url of pages) {
        await test.step(url.slice(alice.url.length), async () => {
          await open(page, url);
          await expect(page.locator('html')).toHaveAttribute('lang', locale);
          await expectAccessible(page);
        });
      }
    });

    test(`no state of a page has anything that axe objects to, in ${locale}`, async ({ page, alice }) => {
      test.setTimeout(300_000);
      const paths = [
        '',
        '/trash',
        '/tags',
        '/tags?tag=none',
        '/search?q=none',
        '/tasks',
        '/tasks?state=done',
        '/graph',
      ];
      const check = (path: string) =>
        test.step(path, async () => {
          await open(page, alice.page(path));
          await expectAccessible(page);
        });
      for (const path of paths) await check(path);
      const { id } = await alice.write('Beds (conflict Laptop 2026-11-22 14-05-09).md', 'Peas\n');
      await alice.write('Beds.md', 'Beans\n');
      await check(`/notes/${id}`);
      const lists = '**/api/{trash,search,vault/tasks}**';
      await page.route(lists, (route) => route.fulfill({ status: 403, json: { error: 'forbidden' } }));
      for (const path of ['/trash', '/search?q=peas', '/tasks']) await check(path);
      await page.unroute(lists);
      await page.route(lists, (route) => route.abort());
      for (const path of ['/trash', '/search?q=peas', '/tasks']) await check(path);
    });

    test(`no page for people who are not signed in has anything that axe objects to, in ${locale}`, async ({
      page,
      freshServer,
    }) => {
      test.setTimeout(120_000);
      const first = freshServer.url;
      await open(page, first);
      await expectAccessible(page);
      await signedIn(freshServer, page.context());
      await page.context().clearCookies();
      for (const path of ['/', '/#invite=unknown', '/#reset=unknown', '/link']) {
        await test.step(path, async () => {
          // Another fragment alone would not load the page again.
          await page.goto('about:blank');
          await open(page, `${first}${path}`);
          await expectAccessible(page);
        });
      }
    });
  });
}

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
