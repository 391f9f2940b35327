import { expect, test } from './kit/test.ts';

/** React reports its commits to developer tools, also where it is built for production. */
const COUNT_COMMITS = `
  window.commits = 0;
  window.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: () => window.commits++,
    onCommitFiberUnmount: () => undefined,
  };`;

/**
 * Types 30 letters. React renders what a store says in a microtask. No timer runs between two keys, as with somebody
 * who types fast.
 */
const TYPE = `(async () => {
  const before = window.commits;
  for (let key = 0; key < 30; key++) {
    document.execCommand('insertText', false, 'x');
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
  return window.commits - before;
})()`;

test('a key in the editor causes no rendering of React', async ({ page, alice }) => {
  await page.addInitScript(COUNT_COMMITS);
  const note = await alice.write('Counted.md', '# Heading\n\nwords\n');
  await page.goto(alice.page(`/notes/${note.id}?panel=outline`));
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
  await page.getByTestId('editor').getByText('words').click();
  await page.keyboard.type('x');
  expect(await page.evaluate('window.commits')).toBeGreaterThan(0);
  // The first key after a pause renders the line of the state, and what else the page does, such as reading lists, may
  // render in between; keys that render do it 30 times.
  const rounds: number[] = [];
  for (let round = 0; round < 3; round++) rounds.push(await page.evaluate<number>(TYPE));
  expect(Math.min(...rounds)).toBeLessThan(3);
  await expect(page.getByText('x'.repeat(91))).toBeVisible();
});

/** Scrolls the tree by some pages; how often a size was looked up, which is kept for each row. */
const SCROLL = `(async () => {
  let scroller = document.querySelector('[role=tree]');
  while (scroller.scrollHeight <= scroller.clientHeight + 1) scroller = scroller.parentElement;
  const { get } = Map.prototype;
  let asked = 0;
  Map.prototype.get = function (key) {
    asked++;
    return get.call(this, key);
  };
  for (let step = 0; step < 5; step++) {
    scroller.scrollTop -= 400;
    await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
  }
  Map.prototype.get = get;
  return asked;
})()`;

test('the tree of 10,000 notes mounts the rows that are seen, and computes the places of all of them once', async ({
  page,
  alice,
}) => {
  const tree = await alice.vault.tree();
  const at = new Date(0).toISOString();
  const notes = Array.from({ length: 10_000 }, (_, index) => {
    const id = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
    return { id, path: `Note ${String(index).padStart(5, '0')}.md`, created_at: at, updated_at: at };
  });
  await page.route('**/vault/tree*', (route) => route.fulfill({ json: { ...tree, notes } }));
  await page.goto(alice.page());
  const rows = page.getByRole('treeitem');
  await expect(rows.first()).toBeVisible();
  const mounted = async () => {
    const count = await rows.count();
    expect(count).toBeGreaterThan(5);
    expect(count).toBeLessThan(60);
  };
  await mounted();
  await page.getByRole('tree').focus();
  await page.keyboard.press('End');
  await expect(page.getByRole('treeitem', { name: 'Note 09999' })).toBeVisible();
  await expect(page.getByRole('treeitem', { name: 'Note 09999' })).toHaveAttribute('aria-setsize', '10000');
  await mounted();
  expect(await page.evaluate(SCROLL)).toBeLessThan(10_000);
  await mounted();
});
