import { expect, test } from './kit/test.ts';

test.describe('on a Mac', () => {
  test.use({
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
  });

  test('the menu of an entry names the keys of a Mac, and Command Backspace moves it to the trash', async ({
    page,
    alice,
  }) => {
    await alice.write('Old.md');
    await page.goto(alice.page());
    await page.getByRole('treeitem', { name: 'Old' }).click({ button: 'right' });
    await expect(page.getByRole('menuitem', { name: 'Move to trash' })).toContainText('⌘⌫');
    await expect(page.getByRole('menuitem', { name: 'Cut' })).toContainText('⌘X');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click();
    await expect(page.getByRole('dialog')).toContainText('⌘⌫ moves to the trash');
    await page.keyboard.press('Escape');
    await page.getByRole('treeitem', { name: 'Old' }).click();
    await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
    await page.keyboard.press('Meta+Backspace');
    await expect(page.getByText('Old moved to the trash')).toBeVisible();
  });
});

test('names are ordered and dates written in the language of the app, not in that of the browser', async ({
  page,
  alice,
}) => {
  // Swedish has "ä" behind "z", German beside "a".
  for (const name of ['Zebra', 'Äpfel', 'Birne']) await alice.write(`${name}.md`);
  const note = await alice.write('Birne.md', 'reif');
  await page.addInitScript(() => {
    const { Collator } = Intl;
    // The browser of somebody who reads Swedish.
    Intl.Collator = new Proxy(Collator, {
      construct: (target, [language = 'sv', options]) => new target(language, options),
    });
    localStorage.setItem('notevault-language', 'de');
  });
  await page.goto(alice.page(`/notes/${note.id}?panel=history`));
  await expect(page.getByRole('treeitem')).toHaveText(['Äpfel', 'Birne', 'Zebra']);
  await page.getByRole('complementary').getByRole('list').last().getByRole('button').last().click();
  await expect(page.getByRole('heading', { name: 'Heute' })).toBeVisible();
  await expect(page.getByRole('heading', { name: /^\d+\.\d+\.\d{4}, \d+:\d\d$/ })).toBeVisible();
});
