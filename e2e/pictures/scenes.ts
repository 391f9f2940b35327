import type { Page } from '@playwright/test';
import { COPY } from './garden.ts';

/** Scene to open for a picture. */
export interface Scene {
  readonly name: string;
  /** Path of the scene, relative to the vault; relative to the server if `isOutside`. */
  readonly path: (idOf: (note: string) => string) => string;
  readonly isOutside?: boolean;
  /** Notes that are there only for it: path to text. */
  readonly writes?: Readonly<Record<string, string>>;
  /** Whether somebody else writes in the note, too. */
  readonly isTogether?: boolean;
  /** Prepares the page before it is opened. */
  readonly before?: (page: Page) => Promise<unknown>;
  /** Resolves when the page shows it. */
  readonly ready: (page: Page) => Promise<unknown>;
  /** Device that shows the scene; both if absent. */
  readonly only?: 'phone' | 'desk';
}

const NOTE = 'Beds/Spring planting.md';
const [CONFLICT = ''] = Object.keys(COPY);
const noteAt =
  (note: string, panel = '') =>
  (idOf: (note: string) => string) =>
    `/notes/${idOf(note)}${panel === '' ? '' : `?panel=${panel}`}`;
const editor = (page: Page) => page.locator('[data-editor-ready]').waitFor();
const inMain = (page: Page, text: string) => page.getByRole('main').getByText(text).first().waitFor();
const headed = (page: Page) => page.getByRole('heading').first().waitFor();

/** Waits until the note's text and backlinks are shown. */
async function drawn(page: Page): Promise<void> {
  await page.locator('.cm-content').getByText('Frost dates').waitFor();
  await page.getByText('Linked from').waitFor();
}

async function typing(page: Page): Promise<void> {
  await editor(page);
  await page.locator('.cm-content').getByText('so no lime').click();
}

async function tabs(page: Page): Promise<void> {
  await editor(page);
  for (const name of ['Soil', 'Reading list'])
    await page.getByRole('treeitem', { name, exact: true }).click({ button: 'middle' });
  await page.getByRole('tab').nth(2).waitFor();
}

/** Prepares a typical workspace: several open notes, one of them starred, and another person present. */
async function together(page: Page): Promise<void> {
  await drawn(page);
  for (const name of ['Compost', 'Reading list'])
    await page.getByRole('treeitem', { name, exact: true }).click({ button: 'middle' });
  await page.getByRole('tab').nth(2).waitFor();
  await page.getByText('Starred').waitFor();
  await page.locator('.cm-ySelectionInfo').waitFor();
  await page.mouse.move(0, 0);
}

async function split(page: Page): Promise<void> {
  await tabs(page);
  await page.getByRole('treeitem', { name: 'Soil', exact: true }).click({ button: 'right' });
  await page.getByRole('menuitem', { name: 'Open beside' }).click();
  await page.locator('[data-editor-ready]').nth(1).waitFor();
}

async function search(page: Page, words: string): Promise<void> {
  await editor(page);
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').getByRole('combobox').fill(words);
  await page.getByRole('option').first().waitFor();
}

const refuse = (page: Page, address: string) =>
  page.route(address, (route) => route.fulfill({ status: 403, json: { error: 'forbidden' } }));
const cut = (page: Page, address: string) => page.route(address, (route) => route.abort());
const hang = (page: Page, address: string) => page.route(address, () => new Promise(() => undefined));
const failed = (page: Page) => page.getByText('This cannot be shown now').waitFor();
const waiting = (page: Page) => page.getByRole('status', { name: 'Loading…' }).waitFor();

export const SCENES: readonly Scene[] = [
  { name: 'note', path: noteAt(NOTE, 'links'), ready: drawn, only: 'desk' },
  { name: 'note-plain', path: noteAt(NOTE), ready: editor },
  { name: 'note-end', path: noteAt(NOTE), ready: scrolledNote },
  { name: 'note-typing', path: noteAt(NOTE), ready: typing },
  { name: 'outline', path: noteAt(NOTE, 'outline'), ready: editor },
  { name: 'history', path: noteAt('Soil.md', 'history'), ready: editor },
  {
    name: 'version',
    path: (idOf) => `${noteAt('Soil.md', 'history')(idOf)}&version=3`,
    ready: (page) => page.locator('ins').first().waitFor(),
  },
  { name: 'home', path: () => '', ready: (page) => page.getByText('Week 47').last().waitFor() },
  { name: 'palette', path: noteAt(NOTE), ready: (page) => search(page, 'spr') },
  { name: 'search', path: () => '/search?q=compost heap', ready: (page) => page.locator('mark').first().waitFor() },
  { name: 'tasks', path: () => '/tasks', ready: (page) => page.getByRole('checkbox').first().waitFor() },
  { name: 'tags-all', path: () => '/tags', ready: (page) => inMain(page, '#garden') },
  {
    name: 'replace',
    path: () => '/replace?q=compost',
    ready: async (page) => {
      await page.getByLabel('New text').fill('mulch');
      await page.keyboard.press('Enter');
      await page.locator('ins').first().waitFor();
    },
  },
  { name: 'tags', path: () => '/tags?tag=garden', ready: (page) => inMain(page, 'Crop rotation') },
  { name: 'graph', path: () => '/graph', ready: (page) => page.locator('canvas').first().waitFor() },
  { name: 'import', path: () => '/import', ready: headed },
  { name: 'trash', path: () => '/trash', ready: (page) => page.getByText('Shopping').first().waitFor() },
  { name: 'settings', path: () => '/settings', isOutside: true, ready: headed },
  { name: 'vaults', path: () => '/settings/vaults', isOutside: true, ready: headed },
  { name: 'connections', path: () => '/settings/connections', isOutside: true, ready: headed },
  { name: 'admin', path: () => '/admin/health', isOutside: true, ready: headed },
  { name: 'users', path: () => '/admin', isOutside: true, ready: headed },
  { name: 'missing', path: () => '/notes/0197aaaa-0000-7000-8000-000000000000', ready: headed },
  { name: 'none', path: () => '/search?q=xylophone', ready: (page) => page.getByText('No results').waitFor() },
  { name: 'failed', path: () => '/trash', before: (page) => refuse(page, '**/api/trash**'), ready: failed },
  { name: 'away', path: () => '/tasks', before: (page) => cut(page, '**/api/vault/tasks**'), ready: failed },
  { name: 'waiting', path: () => '/tasks', before: (page) => hang(page, '**/api/vault/tasks**'), ready: waiting },
  {
    name: 'conflict',
    writes: COPY,
    path: noteAt(CONFLICT),
    ready: (page) => page.getByText('Folder sync kept').waitFor(),
  },
  { name: 'merge', writes: COPY, path: noteAt(CONFLICT), ready: merge },
  { name: 'share', path: noteAt(NOTE), ready: share },
  { name: 'menu', path: noteAt(NOTE), ready: menu },
  { name: 'unsent', path: noteAt('Reading list.md'), ready: unsent, only: 'desk' },
  // Last: tabs are kept for the pages after them.
  { name: 'together', path: noteAt(NOTE, 'links'), isTogether: true, ready: together, only: 'desk' },
  { name: 'tabs', path: noteAt(NOTE), ready: tabs, only: 'desk' },
  { name: 'split', path: noteAt(NOTE, 'outline'), ready: split, only: 'desk' },
];

async function merge(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('group', { name: 'This copy' }).waitFor();
}

async function share(page: Page): Promise<void> {
  await editor(page);
  if (await page.getByRole('button', { name: /^Switch vault/ }).isHidden())
    await page.getByRole('button', { name: 'Notes' }).click();
  await page.getByRole('button', { name: /^Switch vault/ }).click();
  await page.getByRole('menuitem', { name: 'Share the vault…' }).click();
  await page.getByRole('dialog').getByText('Anna (you)').waitFor();
}

async function menu(page: Page): Promise<void> {
  await editor(page);
  await page.getByRole('button', { name: 'More about the note' }).click();
  await page.getByRole('menu').waitFor();
}

/** Creates changes that only this offline device has. */
async function unsent(page: Page): Promise<void> {
  await editor(page);
  await page.locator('.cm-content').click();
  await page.context().setOffline(true);
  await page.keyboard.press('Control+End');
  await page.keyboard.type('The Compost Book.');
  await page.getByTestId('unsent').click();
  await page.getByRole('dialog').waitFor();
}

async function scrolledNote(page: Page): Promise<void> {
  await editor(page);
  await page.locator('.cm-scroller').evaluate((scroller) => {
    scroller.scrollTop = 700;
  });
}
