import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import type { Account } from '../kit/account.ts';
import { chromiumPath } from '../kit/chromium.ts';
import { Server } from '../kit/server.ts';
import { signedIn } from '../kit/test.ts';
import { GARDEN } from './garden.ts';

/*
 * node e2e/pictures/main.ts [names…]
 *
 * Takes the pictures in docs/img, all or those named: each main page in light, dark, and on a phone. Run it after a
 * change of the look.
 */

const WANTED = process.argv.slice(2);
const FOLDER = join(import.meta.dirname, '../../docs/img');

const LOOKS = [
  { name: 'light', viewport: { width: 1200, height: 760 }, colorScheme: 'light' },
  { name: 'dark', viewport: { width: 1200, height: 760 }, colorScheme: 'dark' },
  { name: 'phone', viewport: { width: 390, height: 780 }, colorScheme: 'light', hasTouch: true },
] as const;

/** What is opened for a picture; `ready` resolves when the page shows it. */
interface Scene {
  readonly name: string;
  readonly path: (notes: ReadonlyMap<string, string>) => string;
  readonly ready: (page: Page) => Promise<unknown>;
}

const noteAt =
  (path: string, panel = '') =>
  (notes: ReadonlyMap<string, string>) =>
    `/notes/${notes.get(path)}${panel === '' ? '' : `?panel=${panel}`}`;
const editor = (page: Page) => page.locator('[data-editor-ready]').waitFor();

const SCENES: readonly Scene[] = [
  { name: 'note', path: noteAt('Garden/Beds.md'), ready: editor },
  {
    name: 'links',
    path: noteAt('Garden/Beds.md', 'links'),
    async ready(page) {
      await editor(page);
      await page.getByRole('button', { name: 'Read', exact: true }).click();
      await page.getByRole('table').waitFor();
    },
  },
  { name: 'history', path: noteAt('Garden/Soil.md', 'history'), ready: editor },
  { name: 'search', path: () => '/search?q=peas', ready: (page) => page.locator('mark').first().waitFor() },
  { name: 'tags', path: () => '/tags', ready: (page) => page.getByText('kitchen').first().waitFor() },
  { name: 'graph', path: () => '/graph', ready: (page) => page.locator('canvas').first().waitFor() },
  { name: 'import', path: () => '/import', ready: (page) => page.getByRole('heading').first().waitFor() },
  { name: 'trash', path: () => '/trash', ready: (page) => page.getByText('Shopping').first().waitFor() },
  {
    name: 'palette',
    path: noteAt('Garden/Beds.md'),
    async ready(page) {
      await editor(page);
      await page.keyboard.press('Control+Shift+p');
      await page.getByRole('dialog').waitFor();
    },
  },
];

await mkdir(FOLDER, { recursive: true });
const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] });
try {
  for (const look of LOOKS) await takeAll(browser, look);
} finally {
  await browser.close();
}

async function takeAll(from: Browser, { name: look, ...options }: (typeof LOOKS)[number]): Promise<void> {
  // The first account of a server is its admin.
  await using server = await Server.start();
  const context = await from.newContext({ ...options, locale: 'en', timezoneId: 'UTC', reducedMotion: 'reduce' });
  await take(context, 'start', look, server.url, (page) => page.getByRole('button').first().waitFor());
  const alice = await signedIn(server, context);
  const notes = await fill(alice);
  for (const { name, path, ready } of SCENES) await take(context, name, look, alice.page(path(notes)), ready);
  const headed = (page: Page) => page.getByRole('heading').first().waitFor();
  await take(context, 'connections', look, `${server.url}/settings/connections`, headed);
  await take(context, 'admin', look, `${server.url}/admin/health`, headed);
  await context.close();
}

/** Writes the notes, some of them twice, and deletes one; resolves to their ids by path. */
async function fill(alice: Account): Promise<Map<string, string>> {
  const notes = new Map<string, string>();
  const versions = { ...GARDEN, 'Garden/Soil.md': '# Soil\n\nClay below. The pH was 6.5 in autumn.\n' };
  for (const [path, text] of Object.entries(versions)) notes.set(path, (await alice.write(path, text)).id);
  await alice.write('Garden/Soil.md', GARDEN['Garden/Soil.md']);
  const { id } = await alice.write('Shopping.md', 'Twine, a rake.\n');
  await alice.vault.deleteNote(id);
  return notes;
}

async function take(
  context: BrowserContext,
  name: string,
  look: string,
  url: string,
  ready: Scene['ready'],
): Promise<void> {
  if (WANTED.length > 0 && !WANTED.includes(name)) return;
  const page = await context.newPage();
  await page.goto(url);
  await ready(page);
  await page.waitForLoadState('networkidle');
  await page.screenshot({ path: join(FOLDER, `${name}-${look}.png`) });
  await page.close();
}
