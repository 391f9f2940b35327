import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from '@playwright/test';
import { buildProgram } from '../../tools/build.ts';
import { buildWeb } from '../../tools/build-web.ts';
import { chromiumPath, LETTERS } from '../../tools/chromium.ts';
import type { Account } from '../kit/account.ts';
import { otherBrowser } from '../kit/others.ts';
import { Server } from '../kit/server.ts';
import { signedIn } from '../kit/test.ts';
import { DRAFTS, GARDEN } from './garden.ts';
import { SCENES } from './scenes.ts';

/*
 * npm run pictures -- [names…] [--readme]
 *
 * Takes a picture of each main page, or of those named, in light, dark and on a phone, into the folder `pictures`, which
 * git ignores. With --readme it also replaces those that the README shows.
 */

const WANTED = process.argv.slice(2).filter((arg) => !arg.startsWith('--'));
const ROOT = join(import.meta.dirname, '../..');
const FOLDER = join(ROOT, process.env.PICTURES ?? 'pictures');
/** Pictures that the README shows, and their names there. */
const IN_README = { 'together-light': 'note-light', 'together-dark': 'note-dark' };

const DESK = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 360, height: 780 }, deviceScaleFactor: 2, hasTouch: true, isMobile: true };
const LOOKS = [
  { name: 'light', ...DESK, colorScheme: 'light' },
  { name: 'dark', ...DESK, colorScheme: 'dark' },
  { name: 'phone', ...PHONE, colorScheme: 'light' },
  { name: 'phone-dark', ...PHONE, colorScheme: 'dark' },
] as const;

await mkdir(FOLDER, { recursive: true });
await buildWeb();
process.env.TEST_PROGRAM ??= await buildProgram();
const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', ...LETTERS] });
try {
  for (const look of LOOKS) await takeAll(browser, look);
} finally {
  await browser.close();
}
if (process.argv.includes('--readme'))
  for (const [name, there] of Object.entries(IN_README))
    await copyFile(join(FOLDER, `${name}.png`), join(ROOT, 'docs/img', `${there}.png`));

async function takeAll(from: Browser, { name: look, ...options }: (typeof LOOKS)[number]): Promise<void> {
  // The first account of a server is its admin.
  await using server = await Server.start({ NOTEVAULT_REGISTRATION: 'open' });
  const context = await from.newContext({ ...options, locale: 'en', timezoneId: 'UTC', reducedMotion: 'reduce' });
  const headed = (page: Page) => page.getByRole('button').first().waitFor();
  await take(context, 'start', look, server.url, headed);
  const anna = await signedIn(server, context, { name: 'Anna', vault: 'Garden' });
  await take(context, 'empty', look, anna.page(), (page) => page.getByRole('heading').first().waitFor());
  const notes = await fill(anna);
  await anna.star(notes.get('Journal/This week.md') ?? '');
  for (const { name, path, isOutside = false, isTogether = false, writes = {}, before, ready, only } of SCENES) {
    if (only !== undefined && (only === 'phone') !== look.startsWith('phone')) continue;
    for (const [place, text] of Object.entries(writes)) notes.set(place, (await anna.write(place, text)).id);
    const at = path((note) => notes.get(note) ?? '');
    await using _mira = isTogether ? await writing(server, context, anna, anna.page(at)) : null;
    await take(context, name, look, isOutside ? server.url + at : anna.page(at), ready, before);
    for (const place of Object.keys(writes)) await anna.vault.deleteNote(notes.get(place) ?? '');
  }
  await context.clearCookies();
  await take(context, 'signin', look, server.url, headed);
  await context.close();
}

/** Opens a note as another user with the cursor in it, and closes it when disposed. */
async function writing(server: Server, context: BrowserContext, anna: Account, url: string): Promise<AsyncDisposable> {
  const other = await otherBrowser(context);
  await anna.shareWith(await signedIn(server, other, { name: 'Mira', vault: 'Kitchen' }), 'editor');
  const page = await other.newPage();
  await page.goto(url);
  await page.locator('.cm-content').getByText('so no lime').click();
  await page.keyboard.press('End');
  return { [Symbol.asyncDispose]: () => other.close() };
}

/** Writes the notes, one of them three times, and deletes another; resolves to their ids by path. */
async function fill(anna: Account): Promise<Map<string, string>> {
  const notes = new Map<string, string>();
  for (const [path, text] of [...DRAFTS, ...Object.entries(GARDEN)]) notes.set(path, (await anna.write(path, text)).id);
  const { id } = await anna.write('Shopping.md', 'Twine, a rake.\n');
  await anna.vault.deleteNote(id);
  return notes;
}

async function take(
  context: BrowserContext,
  name: string,
  look: string,
  url: string,
  ready: (page: Page) => Promise<unknown>,
  before?: (page: Page) => Promise<unknown>,
): Promise<void> {
  if (WANTED.length > 0 && !WANTED.includes(name)) return;
  const page = await context.newPage();
  await before?.(page);
  await page.goto(url);
  // A page that does not get there is shown as it is: that is worth a picture too.
  await ready(page).catch((error: unknown) => console.error(`${name}-${look}: ${String(error).split('\n')[0]}`));
  // One that waits for an answer never idles.
  await page.waitForLoadState('networkidle', { timeout: 5_000 }).catch(() => undefined);
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path: join(FOLDER, `${name}-${look}.png`) });
  await context.setOffline(false);
  await page.close();
}
