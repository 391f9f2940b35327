import { contentOf, openNote } from './kit/notes.ts';
import { expect, expectAccessible, test } from './kit/test.ts';

test('a slash inserts by keys, and the bar over a selection formats by pointer', async ({ page, alice }) => {
  await alice.write('Plan.md', 'peas and beans\n');
  await page.goto(alice.page());
  await openNote(page, 'Plan');
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('/todo');
  await expect(page.getByRole('option', { name: 'Task' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('option', { name: 'Task' }).click();
  await page.keyboard.type('sow');
  await page.getByText('peas').dblclick({ position: { x: 8, y: 8 } });
  const bar = page.getByRole('toolbar', { name: 'Format the selection' });
  await bar.getByRole('button', { name: 'Bold' }).click();
  await expect(bar.getByRole('button', { name: 'Bold' })).toHaveAttribute('aria-pressed', 'true');
  await expectAccessible(page);
  await expect.poll(() => contentOf(alice, 'Plan.md')).toBe('**peas** and beans\n- [ ] sow');
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true });

  test('the tools above the keyboard open the menu of what can be inserted', async ({ page, alice }) => {
    const { id } = await alice.write('A folder with a long name/Another folder in it/Plan.md', 'peas\n');
    await page.goto(alice.page(`/notes/${id}`));
    await page.locator('[data-editor-ready]').waitFor();
    // However long the names of the folders are, the note is as wide as the phone.
    expect((await page.locator('.cm-editor').boundingBox())?.width).toBe(360);
    await page.locator('.cm-content').tap();
    await page.keyboard.press('Control+End');
    await page.getByRole('toolbar').getByRole('button', { name: 'Insert…' }).tap();
    const option = page.getByRole('option', { name: 'Numbered list' });
    expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await option.tap();
    await page.keyboard.type('one');
    await expect
      .poll(() => contentOf(alice, 'A folder with a long name/Another folder in it/Plan.md'))
      .toBe('peas\n1. one');
  });
});
