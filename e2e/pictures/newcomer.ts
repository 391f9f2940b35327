import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BrowserContext, chromium, expect, type Locator, type Page } from '@playwright/test';
import { chromiumPath, LETTERS } from '../../tools/chromium.ts';
import { Server } from '../kit/server.ts';
import { PASSWORD } from '../kit/test.ts';

/*
 * node e2e/pictures/newcomer.ts
 *
 * Does what docs/web/newcomer.md describes, from an empty server to a note that two browsers edit, takes a picture of
 * each step into docs/img, and prints how long each took.
 */

const FOLDER = join(import.meta.dirname, '../../docs/img');
const EMAIL = 'alice@example.org';

await mkdir(FOLDER, { recursive: true });
let begun = performance.now();
await using server = await Server.start();
passed('the server listens');
const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox', ...LETTERS] });
try {
  const one = await newBrowser();
  const page = await one.newPage();
  await firstRun(page);
  await page.getByRole('button', { name: 'New note', exact: true }).click();
  await editor(page).click();
  await page.keyboard.type('# Beans\n\nSow in May, when the nights are mild.\n');
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
  passed('a note is written');
  await take(page, 4);
  const other = await (await newBrowser()).newPage();
  await signIn(other, page.url());
  await editor(other).click();
  await other.keyboard.press('Control+End');
  await other.keyboard.type('From the other browser: Borlotti, two rows.');
  await expect(page.getByText('two rows.')).toBeVisible();
  passed('two browsers edit it');
  await take(page, 5);
} finally {
  await browser.close();
}

/** A browser of its own: nothing that another one keeps. */
function newBrowser(): Promise<BrowserContext> {
  return browser.newContext({
    viewport: { width: 1000, height: 640 },
    locale: 'en',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  });
}

async function firstRun(page: Page): Promise<void> {
  await page.goto(server.setupUrl());
  await page.getByRole('heading', { name: 'Create the first account' }).waitFor();
  await page.getByLabel('Your name').fill('Alice');
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await take(page, 1);
  await page.getByRole('button', { name: 'Create account' }).click();
  await page.getByRole('heading', { name: 'Bring your notes' }).waitFor();
  passed('there is an account');
  await page.getByLabel('Name').fill('Garden');
  await take(page, 2);
  await page.getByRole('button', { name: 'Begin with an empty vault' }).click();
  await page.getByRole('heading', { name: 'Connect what you use' }).waitFor();
  passed('there is a vault');
  await page.getByRole('region', { name: 'Obsidian' }).waitFor();
  await take(page, 3);
  await page.getByRole('link', { name: 'Next' }).click();
  await page.getByRole('link', { name: 'Go to the notes' }).click();
}

async function signIn(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor();
  await page.getByLabel('E-mail').fill(EMAIL);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

function editor(page: Page): Locator {
  return page.locator('[data-editor-ready] .cm-content').first();
}

async function take(page: Page, step: number): Promise<void> {
  await page.screenshot({ path: join(FOLDER, `newcomer-${step}.png`) });
}

function passed(what: string): void {
  console.log(`${((performance.now() - begun) / 1000).toFixed(1)} s: ${what}`);
  begun = performance.now();
}
