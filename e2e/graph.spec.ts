import { expect, expectAccessible, test } from './kit/test.ts';

/** Script that returns whether any pixel of a link is drawn. */
const HAS_LINKS = `(() => {
  const canvas = document.querySelector('.sigma-links');
  return canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((value) => value > 0);
})()`;

/** Whether a picture has pixels of a colour. */
const hasColor = (picture: Buffer, rgb: readonly number[]) => `(async () => {
  const bytes = Uint8Array.from(atob('${picture.toString('base64')}'), (letter) => letter.charCodeAt(0));
  const drawn = await createImageBitmap(new Blob([bytes]));
  const context = new OffscreenCanvas(drawn.width, drawn.height).getContext('2d');
  context.drawImage(drawn, 0, 0);
  const { data } = context.getImageData(0, 0, drawn.width, drawn.height);
  for (let at = 0; at < data.length; at += 4) if (String(data.slice(at, at + 3)) === '${rgb}') return true;
  return false;
})()`;

test('the graph of a vault is drawn, is used by keys through its lists, and stays current', async ({ page, alice }) => {
  await alice.write('Garden/Beans.md', '# Beans\n\n[[Soil]] and [[Peas]] #beds/north\n');
  const soil = await alice.write('Garden/Soil.md', '# Soil\n');
  await alice.write('Garden/Peas.md', '# Peas\n\n[[Soil]] #Beds #spring\n');
  await alice.write('Alone.md', '# Alone\n');
  await page.goto(alice.page());
  await page.getByRole('link', { name: 'Graph', exact: true }).click();
  const picture = page.getByRole('img', { name: /^Graph. Notes: 4, links: 3/ });
  await expect(picture).toHaveAttribute('data-state', 'settled');
  await expectAccessible(page);

  await page.getByRole('searchbox', { name: 'Find notes by name or folder' }).fill('garden be');
  await expect(page.getByRole('heading', { name: '1 note found' })).toBeVisible();
  // Past what the colours mean.
  for (let step = 0; step < 5; step++) await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: /^Beans/ })).toBeFocused();
  await page.keyboard.press('Enter');
  const chosen = page.getByRole('region', { name: 'Beans' });
  await expect(chosen.getByRole('heading', { name: 'Links to 2 notes' })).toBeVisible();
  await expect(page).toHaveURL(/note=/);
  await chosen.getByRole('button', { name: /^Soil/ }).click();
  await expect(page.getByRole('region', { name: 'Soil' }).getByText('Linked from 2 notes')).toBeVisible();
  await expectAccessible(page);

  const garden = page.getByRole('button', { name: /^Garden 3/ });
  await garden.press('Enter');
  await expect(garden).toHaveAttribute('aria-pressed', 'true');
  await expect(page.getByRole('img', { name: /^Graph. Notes: 3, / })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('combobox', { name: 'Meaning of the colours' }).selectOption('Colours by tag');
  await expect(page.getByRole('img', { name: /^Graph. Notes: 4, / })).toBeVisible();
  await expect(page.getByRole('button', { name: '#beds 2' })).toBeVisible();
  await page.getByLabel('Only notes with links').check();
  await expect(page.getByRole('img', { name: /^Graph. Notes: 3, / })).toBeVisible();
  await alice.write('Garden/Compost.md', '# Compost\n\n[[Soil]]\n');
  await expect(page.getByRole('region', { name: 'Soil' }).getByText('Linked from 3 notes')).toBeVisible();
  await page.getByRole('link', { name: 'Open note' }).click();
  await expect(page).toHaveURL(new RegExp(soil.id));
});

test('the graph beside a note shows its neighbours, and a click in the graph opens the note drawn there', async ({
  page,
  alice,
}) => {
  const one = await alice.write('One.md', 'to [[Two]]\n');
  const two = await alice.write('Two.md', 'to [[Three]]\n');
  await alice.write('Three.md', 'end\n');
  await page.goto(alice.page(`/notes/${one.id}?panel=graph`));
  const panel = page.getByRole('complementary', { name: 'Graph' });
  await expect(panel.getByRole('img', { name: /^Graph. Notes: 2, links: 1/ })).toBeVisible();
  await panel.getByRole('button', { name: '2 steps' }).click();
  const picture = panel.getByRole('img', { name: /^Graph. Notes: 3, links: 2/ });
  await expect(picture).toHaveAttribute('data-state', 'settled');
  // The first colour of groups, as in the graph of the vault.
  await expect.poll(async () => page.evaluate(hasColor(await picture.screenshot(), [193, 65, 33]))).toBe(true);
  await expectAccessible(page);
  await panel.getByRole('link', { name: 'Two' }).click();
  await expect(page).toHaveURL(new RegExp(`${two.id}.*panel=graph`));

  // The chosen note is drawn in the middle.
  await page.goto(alice.page(`/graph?note=${two.id}`));
  const whole = page.getByRole('img', { name: /^Graph. Notes: 3, / });
  await expect(whole).toHaveAttribute('data-state', 'settled');
  // Without a graphics card, as here, links are drawn by themselves.
  await expect.poll(() => page.evaluate(HAS_LINKS)).toBe(true);
  await whole.click();
  await expect(page).toHaveURL(new RegExp(`/notes/${two.id}`));
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true });

  test('the graph has half of the page, below its colours in one row and above its lists', async ({ page, alice }) => {
    for (const folder of ['Beds', 'Journal', 'People', 'Recipes', 'Seeds', 'Weather'])
      await alice.write(`${folder}/Note of ${folder}.md`, '[[Note of Beds]]\n');
    await page.goto(alice.page('/graph'));
    const picture = page.getByRole('img', { name: /^Graph. Notes: 6, / });
    await expect(picture).toHaveAttribute('data-state', 'settled');
    const box = await picture.boundingBox();
    expect(box?.height).toBeGreaterThan(390);
    const colors = page.getByRole('list', { name: 'Meaning of the colours' }).getByRole('button');
    await expect(colors).toHaveCount(6);
    const tops = await Promise.all((await colors.all()).map(async (one) => (await one.boundingBox())?.y));
    expect(new Set(tops).size).toBe(1);
    expect(tops[0]).toBeLessThan(box?.y ?? 0);
    const list = await page.getByRole('heading', { name: 'Most linked' }).boundingBox();
    expect(list?.y).toBeGreaterThan((box?.y ?? 0) + (box?.height ?? 0));
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
    await expectAccessible(page);
  });
});
