import { contentOf } from './kit/notes.ts';
import { expect, expectAccessible, test } from './kit/test.ts';

test('a day is chosen in the calendar by keys, starts from its template, and leads to the days beside it', async ({
  page,
  alice,
}) => {
  await page.clock.setFixedTime(new Date('2026-11-25T10:00:00Z'));
  await alice.write('Vorlagen/日記.md', '# {{date:dddd}}\n\n- {{cursor}}\n\nend\n');
  // The folders are found though another language calls them so.
  await alice.write('日記/2026-11-20.md', 'before\n');
  const { id } = await alice.write('Beds/Peas.md', '');
  await page.goto(alice.page(`/notes/${id}`));
  await page.locator('[data-editor-ready]').waitFor();
  await page.keyboard.press('Alt+c');
  const grid = page.getByRole('grid', { name: 'November 2026' });
  await expect(grid.getByRole('button', { name: 'Wednesday, November 25, 2026' })).toBeFocused();
  await expect(grid.getByRole('button', { name: 'Friday, November 20, 2026, has a note' })).toBeVisible();
  await expectAccessible(page);
  for (const key of ['PageDown', 'PageUp', 'ArrowUp', 'ArrowRight', 'Enter']) await page.keyboard.press(key);
  await expect(page).toHaveTitle(/^2026-11-19/);
  await expect(page.locator('.cm-content')).toBeFocused();
  await page.keyboard.type('frost');
  await expect.poll(() => contentOf(alice, '日記/2026-11-19.md')).toBe('# Thursday\n\n- frost\n\nend\n');
  await page.getByRole('button', { name: 'Next daily note: Fri, Nov 20, 2026' }).click();
  await expect(page).toHaveTitle(/^2026-11-20/);
  await expect(page.getByRole('button', { name: 'There is no later daily note.' })).toBeVisible();
  await page.keyboard.press('Control+Shift+P');
  await page.keyboard.type('previous daily note');
  await page.keyboard.press('Enter');
  await expect(page).toHaveTitle(/^2026-11-19/);
  await expectAccessible(page);
});

test('a new note comes beside the open one', async ({ page, alice }) => {
  const { id } = await alice.write('Beds/Peas.md', '');
  await page.goto(alice.page(`/notes/${id}`));
  await page.locator('[data-editor-ready]').waitFor();
  await page.keyboard.press('Alt+n');
  await expect.poll(() => contentOf(alice, 'Beds/Untitled.md')).toBe('');
});

test('the folder of daily notes is chosen for all devices of the account', async ({ page, alice, context }) => {
  await alice.write('Peas.md', '');
  // What is typed before they are there must not be lost when they come.
  await page.route('**/api/me/preferences', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await route.continue();
  });
  const read = page.waitForResponse('**/api/me/preferences');
  await page.goto(`${alice.url}/settings`);
  const field = page.getByLabel('Daily notes folder');
  await field.fill('Log');
  await read;
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
  await field.blur();
  await saved;
  const other = await context.newPage();
  await other.goto(alice.page());
  await expect(other.getByRole('button', { name: /^Today/ })).toContainText('Log / ');
});

test('on a phone the days beside a daily note are named above it, in targets of 44 px', async ({ page, alice }) => {
  await page.setViewportSize({ width: 360, height: 700 });
  const { id } = await alice.write('Daily/2026-11-20.md', 'frost\n');
  await alice.write('Daily/2026-11-18.md', 'rain\n');
  await page.goto(alice.page(`/notes/${id}`));
  const before = page.getByRole('button', { name: 'Previous daily note: Wed, Nov 18, 2026' });
  await expect(before).toHaveText('Wed, Nov 18, 2026');
  const box = await before.boundingBox();
  expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  await expectAccessible(page);
  await before.click();
  await expect(page).toHaveTitle(/^2026-11-18/);
  await page.getByRole('button', { name: 'Next daily note: Fri, Nov 20, 2026' }).click();
  await expect(page).toHaveTitle(/^2026-11-20/);
});
