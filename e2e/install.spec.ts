import { expect, test } from './kit/test.ts';

test.use({ serviceWorkers: 'allow' });

interface Manifest {
  readonly icons: readonly {
    readonly src: string;
    readonly sizes: string;
    readonly type: string;
    readonly purpose: string;
  }[];
  readonly shortcuts: readonly { readonly url: string }[];
}

test('the app can be installed: Chromium finds nothing missing, and each icon has the size that it says', async ({
  page,
  alice,
  context,
}) => {
  await page.goto(alice.page());
  const devTools = await context.newCDPSession(page);
  const { installabilityErrors } = await devTools.send('Page.getInstallabilityErrors');
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
  const manifest: Manifest = await (await context.request.get(`${alice.url}/app.webmanifest`)).json();
  expect(manifest.icons.map(({ purpose }) => purpose)).toContain('maskable');
  for (const { src, sizes, type } of manifest.icons) {
    const answer = await context.request.get(new URL(src, `${alice.url}/`).href);
    expect([answer.status(), answer.headers()['content-type']]).toEqual([200, type]);
    if (type !== 'image/png') continue;
    const bytes = await answer.body();
    expect(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`).toBe(sizes);
  }
});

test('the shortcuts of the installed app open what they say', async ({ page, alice }) => {
  await page.goto(`${alice.url}/?open=search`);
  await expect(page).toHaveURL(alice.page('/search'));
  await page.goto(`${alice.url}/settings`);
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
});
