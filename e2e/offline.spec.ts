import { expect, signedIn, test } from './kit/test.ts';

/** What the browser keeps of the app, by path. */
const KEPT = `caches.open('notevault-shell').then((cache) => cache.keys())
  .then((all) => all.map(({ url }) => new URL(url).pathname))`;

test('the app opens while the server is away, says so, and goes on when it is back', async ({
  page,
  freshServer,
  context,
}) => {
  const alice = await signedIn(freshServer, context);
  const note = await alice.write('Note.md', 'text\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId('save-state')).toHaveText('Saved');
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
  // Another load, of which the worker keeps the page.
  await page.reload();
  await expect(page.getByTestId('save-state')).toHaveText('Saved');
  const kept = await page.evaluate<string[]>(KEPT);
  expect(kept).toContain('/index.html');
  expect(kept.filter((path) => path !== '/index.html' && !path.startsWith('/assets/'))).toEqual([]);
  await freshServer.kill();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'The server cannot be reached.' })).toBeVisible();
  await freshServer.run();
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByTestId('save-state')).toHaveText('Saved');
});
