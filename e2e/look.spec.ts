import { expect, expectAccessible, test } from './kit/test.ts';

/** The rules of docs/web/look.md that can be measured. */
const NOTE = `---
status: growing
tags: [garden]
---
${'What goes where this year, after the notes of the last one. '.repeat(6)}

## Before the last frost

- [ ] Sow indoors

> [!info] Frost dates
> 21 April.

| Bed | Crop |
| --- | --- |
| North | Beans |

\`\`\`python
print(1)
\`\`\`
`;

/** Left edges of the boxes, and of a paragraph's and a heading's text inside them. */
const LEFT_EDGES = `[
  ...[...document.querySelectorAll('.cm-content .cm-line, .nv-chips, [aria-label="Title of the note"], .nv-grid')]
    .filter((one) => !one.matches('.nv-row') && one.getBoundingClientRect().height > 0),
  ...[...document.querySelectorAll('.cm-line')].filter((one) => /^(What goes|Before)/.test(one.textContent)).map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return range;
  }),
].map((one) => Math.round(one.getBoundingClientRect().left))`;

/** The colours of a picture of which a condition on `red`, `green` and `blue` holds. */
const colorsIn = (picture: string, condition: string) => `(async () => {
  const bytes = Uint8Array.from(atob('${picture}'), (letter) => letter.charCodeAt(0));
  const drawn = await createImageBitmap(new Blob([bytes]));
  const context = new OffscreenCanvas(drawn.width, drawn.height).getContext('2d');
  context.drawImage(drawn, 0, 0);
  const { data } = context.getImageData(0, 0, drawn.width, drawn.height);
  const found = new Map();
  for (let at = 0; at < data.length; at += 4) {
    const [red, green, blue] = data.slice(at, at + 3);
    if (${condition}) found.set([red, green, blue].join(), [red, green, blue]);
  }
  return [...found.values()];
})()`;

const LONGEST_ROW = `(() => {
  const line = [...document.querySelectorAll('.cm-line')].find((one) => one.textContent.startsWith('What goes'));
  const text = document.createTreeWalker(line, NodeFilter.SHOW_TEXT).nextNode();
  const rows = new Map();
  for (let at = 0; at < text.length; at++) {
    const range = document.createRange();
    range.setStart(text, at);
    range.setEnd(text, at + 1);
    const top = Math.round(range.getBoundingClientRect().top);
    rows.set(top, (rows.get(top) ?? 0) + 1);
  }
  return Math.max(...rows.values());
})()`;

test('a note has one left edge, and no line of its text is longer than 75 characters', async ({ page, alice }) => {
  const { id } = await alice.write('Spring planting.md', NOTE);
  await page.goto(alice.page(`/notes/${id}`));
  await expect(page.getByRole('button', { name: 'status growing' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: 'Title of the note' })).toHaveValue('Spring planting');
  await page.evaluate('document.fonts.ready');
  // The text may still be on its way from the page to the editor.
  await expect.poll(async () => new Set(await page.evaluate<number[]>(LEFT_EDGES)).size).toBe(1);
  const longest = await page.evaluate<number>(LONGEST_ROW);
  expect(longest).toBeGreaterThan(40);
  expect(longest).toBeLessThanOrEqual(75);
});

test('the title of a note renames it, and is not shown above a heading that is the same', async ({ page, alice }) => {
  const { id } = await alice.write('Beds/Old.md', 'Peas\n');
  const same = await alice.write('Beds/Same.md', '# Same\n\nPeas\n');
  await page.goto(alice.page(`/notes/${id}`));
  const title = page.getByRole('textbox', { name: 'Title of the note' });
  await title.fill('a/b');
  await title.press('Enter');
  await expect(page.getByText('A name cannot contain a slash.')).toBeVisible();
  await expect(title).toHaveValue('Old');
  await title.fill('New');
  await title.press('Enter');
  await expect(page.locator('.cm-content')).toBeFocused();
  await expect(page.getByRole('heading', { level: 1, name: 'Beds / New' })).toBeVisible();
  await expect.poll(async () => (await alice.vault.readNoteById(id))?.path).toBe('Beds/New.md');
  await page.goto(alice.page(`/notes/${same.id}`));
  await expect(page.locator('.cm-content')).toContainText('Same');
  await expect(title).toHaveCount(0);
});

test('a page of a note has one heading of the first level, whatever its text begins with', async ({ page, alice }) => {
  const notes = {
    same: await alice.write('Same.md', '---\nstatus: new\n---\n# Same\n\n## Part\n'),
    other: await alice.write('Other.md', '# One\n\nPeas\n\n# Two\n'),
  };
  for (const { id, path } of Object.values(notes)) {
    await page.goto(alice.page(`/notes/${id}`));
    await expect(page.locator('[data-editor-ready] .nv-h1').first()).toBeVisible();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText([path.replace('.md', '')]);
    await expectAccessible(page);
  }
  // Of two notes beside each other it is that of the one that has the focus.
  await page.getByRole('treeitem', { name: 'Same' }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Open beside' }).click();
  await expect(page.locator('[data-editor-ready]')).toHaveCount(2);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(['Same']);
});

test('every note of Home has its first line', async ({ page, alice }) => {
  for (let at = 0; at < 11; at++) await alice.write(`Note ${at}.md`, `Line of ${at}\n`);
  await page.goto(alice.page());
  for (const at of [10, 2, 1, 0]) {
    await page.getByRole('link', { name: new RegExp(`^Note ${at}\\b`) }).scrollIntoViewIfNeeded();
    await expect(page.getByRole('main').getByText(`Line of ${at}`, { exact: true })).toBeVisible();
  }
});

test('the buttons of the dialog of a new name stand apart from its field', async ({ page, alice }) => {
  const { id } = await alice.write('Same.md', '# Same\n');
  await page.goto(alice.page(`/notes/${id}`));
  await page.getByRole('button', { name: 'More about the note' }).click();
  await page.getByRole('menuitem', { name: 'Rename' }).click();
  const dialog = page.getByRole('dialog');
  const field = await dialog.getByRole('textbox').boundingBox();
  const button = await dialog.getByRole('button', { name: 'Cancel' }).boundingBox();
  expect((button?.y ?? 0) - (field?.y ?? 0) - (field?.height ?? 0)).toBeGreaterThanOrEqual(12);
});

test('what empties a field to search in is drawn in an ink of the theme', async ({ page, alice }) => {
  await page.goto(alice.page('/graph?q=peas'));
  const field = page.getByRole('searchbox');
  await expect(field).toHaveValue('peas');
  const picture = (await field.screenshot()).toString('base64');
  expect(await page.evaluate<number[][]>(colorsIn(picture, 'red + 40 < blue && green + 20 < blue'))).toEqual([]);
  await field.hover();
  const { x = 0, y = 0, width = 0, height = 0 } = (await field.boundingBox()) ?? {};
  await page.mouse.click(x + width - 22, y + height / 2);
  await expect(field).toHaveValue('');
});

const SIDE_COLOR = `getComputedStyle(document.querySelector('#skeleton > :first-child')).backgroundColor`;

test('before any script has run, the page is painted, in the colours of the system', async ({ page, server }) => {
  let run = () => {};
  const held = new Promise<void>((resolve) => {
    run = resolve;
  });
  await page.route('**/*.js', (route) => held.then(() => route.continue()));
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.goto(server.url, { waitUntil: 'commit' });
    const skeleton = page.locator('#skeleton');
    await expect(skeleton).toBeVisible();
    expect(await page.evaluate<string>(SIDE_COLOR)).toBe(
      colorScheme === 'light' ? 'rgb(246, 244, 239)' : 'rgb(22, 21, 19)',
    );
    await expect.poll(() => page.evaluate<number>(`performance.getEntriesByName('first-paint').length`)).toBe(1);
  }
  run();
  await expect(page.getByRole('heading').first()).toBeVisible();
  await expect(page.locator('#skeleton')).toBeHidden();
});

test('a star is kept by the account, and the note stands at the side', async ({ page, alice }) => {
  const { id } = await alice.write('Beds.md', 'Peas\n');
  await page.goto(alice.page(`/notes/${id}`));
  // It is shown before the server has it.
  const kept = page.waitForResponse((answer) => answer.request().method() === 'PATCH');
  await page.getByRole('button', { name: 'Star', exact: true }).click();
  const starred = page.getByRole('region', { name: 'Starred' });
  await expect(starred.getByRole('link', { name: 'Beds' })).toBeVisible();
  await kept;
  await page.reload();
  await expect(starred.getByRole('link', { name: 'Beds' })).toBeVisible();
  await page.getByRole('button', { name: 'Star', exact: true }).click();
  await expect(starred).toHaveCount(0);
});

test('the text stays where it is when the first list of a note is typed', async ({ page, alice }) => {
  const { id } = await alice.write('Plan.md', 'Peas\n');
  await page.goto(alice.page(`/notes/${id}`));
  await page.locator('[data-editor-ready]').waitFor();
  const left = async () => (await page.locator('.cm-line').first().boundingBox())?.x;
  const before = await left();
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('\n- one\n  - two\n');
  await expect(page.getByTitle('Fold line')).not.toHaveCount(0);
  expect(await left()).toBe(before);
});

test('nothing moves while the fonts and the editor come', async ({ page, alice }) => {
  const { id } = await alice.write(
    'Spring planting.md',
    `---\ntags: [beds]\n---\n\n${'Words of a note. '.repeat(40)}\n`,
  );
  // Longer than the editor needs, so that the properties come after it.
  await page.route('**/panel-*.js', async (route) => {
    await page.locator('[data-editor-ready]').waitFor();
    await route.continue();
  });
  await page.addInitScript(`
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) { window.shifts.push(value); }
    }).observe({ type: 'layout-shift', buffered: true });
    // The text of the page and that of the editor are two, of which none shifts.
    window.tops = [];
    const look = () => {
      const isText = ({ data }) => (data.startsWith('Words of a note') ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_SKIP);
      const text = document.createTreeWalker(document, NodeFilter.SHOW_TEXT, isText).nextNode();
      const range = document.createRange();
      if (text !== null) range.selectNode(text);
      if (text !== null) window.tops.push(range.getBoundingClientRect().top);
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
  `);
  await page.goto(alice.page(`/notes/${id}`));
  await expect(page.locator('[data-editor-ready] .nv-chip').first()).toBeVisible();
  await page.evaluate('document.fonts.ready');
  const sum = await page.evaluate<number>('window.shifts.reduce((all, one) => all + one, 0)');
  // A third of what people do not notice (web.dev/cls): 40 px of a whole page are more.
  expect(sum).toBeLessThan(0.03);
  const moved = await page.evaluate<number>('Math.max(...window.tops) - Math.min(...window.tops)');
  expect(moved).toBeLessThanOrEqual(1);
});

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true });

  test('whatever is pressed is 44 px high, and the tools are in place of the places while one types', async ({
    page,
    alice,
  }) => {
    const { id } = await alice.write('Beds.md', 'Peas\n');
    await page.goto(alice.page(`/notes/${id}`));
    await expect(page.locator('[data-editor-ready]')).toBeVisible();
    const places = page.getByRole('navigation', { name: 'Places' });
    await expect(places).toBeVisible();
    // Nor are there names of keys, which a phone has not.
    await places.getByRole('button', { name: 'Notes' }).tap();
    const side = page.getByRole('complementary', { name: 'Notes' });
    await expect(side.getByRole('button', { name: 'Search or go to…', exact: true })).toBeVisible();
    await side.getByRole('button', { name: 'Hide the notes' }).tap();
    await page.getByRole('button', { name: 'More about the note' }).tap();
    await expect(page.getByRole('menuitem', { name: 'Print the note', exact: true })).toBeVisible();
    await expect(page.getByRole('menu').locator('kbd').filter({ visible: true })).toHaveCount(0);
    await page.keyboard.press('Escape');
    const low = await page.evaluate<string[]>(`[...document.querySelectorAll('header button, nav button, nav a')]
      .filter((one) => one.checkVisibility({ visibilityProperty: true }))
      .map((one) => [one.getAttribute('aria-label') ?? one.textContent, Math.round(one.getBoundingClientRect().height)])
      .filter(([, height]) => height > 0 && height < 44).map(String)`);
    expect(low).toEqual([]);
    await page.locator('.cm-content').tap();
    await expect(page.getByRole('toolbar', { name: 'Tools' })).toBeVisible();
    await expect(places).toBeHidden();
    await page.getByRole('button', { name: 'Hide the keyboard' }).tap();
    await expect(places).toBeVisible();
  });

  test('a message covers neither the tools nor the places', async ({ page, alice }) => {
    const { id } = await alice.write('Beds.md', 'Peas\n');
    await page.goto(alice.page(`/notes/${id}`));
    await page.locator('[data-editor-ready]').waitFor();
    const title = page.getByRole('textbox', { name: 'Title of the note' });
    await title.fill('Rows');
    await title.press('Enter');
    const message = page.getByRole('status').filter({ hasText: 'Renamed to Rows.md' });
    const { y = 0, height = 780 } = (await message.boundingBox()) ?? {};
    const tools = await page.getByRole('toolbar', { name: 'Tools' }).boundingBox();
    expect(y + height).toBeLessThanOrEqual(tools?.y ?? 0);
    await page.getByRole('button', { name: 'Hide the keyboard' }).tap();
    const places = await page.getByRole('navigation', { name: 'Places' }).boundingBox();
    expect(y + height).toBeLessThanOrEqual(places?.y ?? 0);
  });
});
