import { keptLists } from './kit/device.ts';
import { expect, signedIn, test } from './kit/test.ts';

/** What the browser keeps of the app, by path. */
const KEPT = `caches.open('notevault-shell').then((cache) => cache.keys())
  .then((all) => all.map(({ url }) => new URL(url).pathname))`;

const state = 'save-state';

test.use({ savesData: false });

test('the app opens with its notes while the server is away, and goes on by itself when it is back', async ({
  page,
  freshServer,
  context,
}) => {
  const alice = await signedIn(freshServer, context);
  await alice.write('Garden/Beans.md', 'text\n');
  const note = await alice.write('Note.md', 'text\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveText('Saved');
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
  // Another load, of which the worker keeps the page.
  await page.reload();
  await expect(page.getByTestId(state)).toHaveText('Saved');
  await page.getByRole('link', { name: 'Home' }).click();
  await expect(page.getByRole('main').getByRole('link', { name: 'Beans' })).toBeVisible();
  const kept = await page.evaluate<string[]>(KEPT);
  expect(kept).toContain('/index.html');
  expect(kept.filter((path) => path !== '/index.html' && !path.startsWith('/assets/'))).toEqual([]);
  await expect.poll(() => keptLists(page)).toEqual(['lists/recent', 'me', 'tree', 'vaults']);
  // Also what was never needed: the page of the first address, and the graph.
  await page.evaluate("navigator.serviceWorker.controller.postMessage('keep-all')");
  for (const part of ['home', 'graph-view']) {
    const files = () => page.evaluate<string[]>(KEPT);
    await expect.poll(async () => (await files()).some((path) => path.includes(part)), { timeout: 45_000 }).toBe(true);
  }
  await freshServer.kill();
  await page.goto(freshServer.url);
  await expect(page.getByRole('main').getByRole('link', { name: 'Beans' })).toBeVisible();
  await expect(page.getByRole('treeitem', { name: 'Garden' })).toBeVisible();
  await page.getByRole('treeitem', { name: 'Note' }).click();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('typed without a server');
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  await freshServer.run();
  await expect(page.getByTestId(state)).toHaveText('Saved', { timeout: 45_000 });
  // The session of the app is there again, and what it shows is what the server has.
  await page.getByRole('button', { name: /^Switch vault/ }).click();
  await page.getByRole('menuitem', { name: 'Trash' }).click();
  await expect(page.getByText('The trash is empty.')).toBeVisible();
});
