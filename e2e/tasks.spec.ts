import { expect, expectAccessible, test } from './kit/test.ts';

const NOTE = 'Garden/Spring.md';
const LINES = [
  '- [ ] Order seeds 📅 2020-01-20',
  '- [ ] Mend the [[Frame|cold frame]] #garden',
  '- [x] Turn the compost',
];

test('tasks of all notes are ticked by mouse, which writes the note and can be undone', async ({ page, alice }) => {
  const { id } = await alice.write(NOTE, LINES.join('\n'));
  const text = async () => (await alice.vault.readNoteById(id))?.content;
  await page.goto(alice.page('/tasks'));
  await expect(page.getByRole('region', { name: 'Overdue' }).getByRole('checkbox')).toHaveAccessibleName('Order seeds');
  await expect(page.getByText('Overdue: January 20, 2020')).toBeVisible();
  await expectAccessible(page);
  const frame = page.getByRole('checkbox', { name: 'Mend the cold frame #garden' });
  await frame.check();
  await expect(page.getByText('“Mend the cold frame #garden” is done')).toBeVisible();
  await expect.poll(text).toContain('- [x] Mend');
  // It stays where it was, so that a wrong one is found again.
  await expect(frame).toBeChecked();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(frame).not.toBeChecked();
  await expect.poll(text).toContain('- [ ] Mend');
  await page.getByRole('link', { name: 'Done' }).click();
  await expect(page.getByRole('checkbox', { name: 'Turn the compost' })).toBeChecked();
  await expect(page).toHaveURL(/state=done/);
  await page.getByRole('link', { name: 'Spring', exact: true }).click();
  await expect(page).toHaveTitle(/Spring/);
});

test('tasks are grouped, filtered and ticked by keys', async ({ page, alice }) => {
  const { id } = await alice.write(NOTE, LINES.join('\n'));
  await alice.write('Kitchen.md', '- [ ] Buy salt #kitchen/dry');
  await page.goto(alice.page('/tasks'));
  await page.getByRole('checkbox', { name: 'Order seeds' }).focus();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Space');
  await expect.poll(async () => (await alice.vault.readNoteById(id))?.content).toContain('- [x] Order');
  await page.keyboard.press('Space');
  await expect.poll(async () => (await alice.vault.readNoteById(id))?.content).toContain('- [ ] Order');
  await page.getByLabel('Order', { exact: true }).selectOption('By note');
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText([/Spring 2/, /Kitchen 1/]);
  await page.getByLabel('Order', { exact: true }).selectOption('By tag');
  await expect(page.getByRole('main').getByRole('heading', { level: 2 })).toHaveText([
    /#garden 1/,
    /#kitchen\/dry 1/,
    /Without a tag 1/,
  ]);
  await page.getByLabel('Tag', { exact: true }).selectOption('#garden');
  await expect(page.getByRole('checkbox')).toHaveCount(1);
  await expectAccessible(page);
  await page.getByRole('checkbox').focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveTitle(/Spring/);
});

test('a task whose line was changed meanwhile is not ticked, and the line is shown as it is', async ({
  page,
  alice,
}) => {
  const { id } = await alice.write(NOTE, '- [ ] one\n- [ ] two');
  await page.route('**/api/vault/tasks?**', async (route) => {
    const answer = await route.fetch();
    const { tasks, ...more } = await answer.json();
    // As another device has it by then.
    for (const task of tasks) if (task.text === 'one, or three') task.text = 'one';
    await route.fulfill({ response: answer, json: { tasks, ...more } });
  });
  await alice.write(NOTE, '- [ ] one, or three\n- [ ] two');
  await page.goto(alice.page('/tasks'));
  await page.getByRole('checkbox', { name: 'one' }).click();
  await expect(page.getByRole('alert')).toContainText('- [ ] one, or three');
  await expect(page.getByRole('checkbox', { name: 'one' })).not.toBeChecked();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'All right' }).click();
  await expect(page.getByRole('alert')).toHaveCount(0);
  expect((await alice.vault.readNoteById(id))?.content).toBe('- [ ] one, or three\n- [ ] two');
});

test('a vault without tasks says how to write one, and a server that is away what to do', async ({ page, alice }) => {
  await alice.write('Soil.md', 'Clay.');
  await page.goto(alice.page('/tasks'));
  await expect(page.getByText('Nothing is open')).toBeVisible();
  await expect(page.getByText('- [ ] ')).toBeVisible();
  await expectAccessible(page);
  await alice.write(NOTE, LINES.join('\n'));
  await expect(page.getByRole('checkbox')).toHaveCount(2);
  await page.route('**/api/vault/tasks**', (route) => route.abort());
  await page.getByRole('link', { name: 'Done' }).click();
  await expect(page.getByText('This needs the server, which cannot be reached.')).toBeVisible();
  await expectAccessible(page);
  await page.unroute('**/api/vault/tasks**');
  await page.getByRole('button', { name: 'Try again' }).click();
  await expect(page.getByRole('checkbox')).toHaveCount(1);
});

test('more tasks than a page has follow by a button', async ({ page, alice }) => {
  await alice.write(NOTE, Array.from({ length: 120 }, (_, at) => `- [ ] t${at}`).join('\n'));
  await page.goto(alice.page('/tasks'));
  await expect(page.getByRole('link', { name: 'Open 100+' })).toBeVisible();
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect(page.getByRole('checkbox')).toHaveCount(120);
});

test('home says how many tasks are due, and leads to them', async ({ page, alice }) => {
  await alice.write(NOTE, `${LINES.join('\n')}\n- [ ] Rest 📅 2999-01-01\n`);
  await page.goto(alice.page());
  await expect(page.getByRole('link', { name: '1 task due' })).toBeVisible();
  await alice.write('More.md', '- [ ] Late 📅 2021-01-01\n');
  const due = page.getByRole('link', { name: '2 tasks due' });
  await expect(due).toBeVisible();
  await expectAccessible(page);
  await due.click();
  await expect(page.getByRole('region', { name: 'Overdue' }).getByRole('checkbox')).toHaveCount(2);
});
