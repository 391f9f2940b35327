import { open, pagesOf } from './kit/pages.ts';
import { expect, expectAccessible, signedIn, test } from './kit/test.ts';

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
