import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import puppeteer, { type Browser, type Page } from 'puppeteer-core';
import { Account } from '../../e2e/kit/account.ts';
import { Server } from '../../e2e/kit/server.ts';
import { setupFor } from '../../server/test/kit/setup-tokens.ts';

/*
 * What people do most, in Firefox over WebDriver BiDi (https://w3c.github.io/webdriver-bidi/). All other flows run in
 * Chromium: these find what one engine does differently, such as carets, input methods, IndexedDB and workers.
 */

const FIREFOX = '/usr/bin/firefox-esr';
const skip = existsSync(FIREFOX) ? false : `there is no ${FIREFOX}: apt-get install firefox-esr`;
if (skip !== false) process.stderr.write(`NOT TESTED IN FIREFOX: ${skip}\n`);

const PASSWORD = 'correct horse battery';
const EDITOR = '[data-editor-ready] .cm-content';

describe('in Firefox', { skip }, () => {
  let server: Server;
  let browser: Browser;
  before(async () => {
    server = await Server.start({ NOTEVAULT_REGISTRATION: 'open' });
    browser = await puppeteer.launch({ browser: 'firefox', executablePath: FIREFOX, headless: true });
  });
  after(async () => {
    await browser?.close();
    await server?.[Symbol.asyncDispose]();
  });

  /** Returns an account with a vault. */
  async function newAccount(): Promise<Account> {
    const email = `alice-${randomUUID()}@example.org`;
    const answer = await fetch(`${server.url}/api/auth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: PASSWORD, display_name: 'Alice', ...setupFor(server.url) }),
    });
    assert.equal(answer.status, 201);
    const { access_token: token } = (await answer.json()) as { access_token: string };
    return Account.withVault(server.url, email, token);
  }

  /** Returns a page of a browser of its own, in which the account signed in on its own device. */
  async function signedIn(account: Account, address = account.page()): Promise<Page> {
    const page = await (await browser.createBrowserContext()).newPage();
    await page.setViewport({ width: 1200, height: 800 });
    await page.goto(address);
    await page.locator('input[type=email]').fill(account.email);
    await page.locator('input[type=password]').fill(PASSWORD);
    await button(page, 'Sign in').click();
    await page.locator('[role=tree]').wait();
    return page;
  }

  /** Returns the page of a new note, when it can be edited. */
  async function opened(account: Account, path: string, text: string): Promise<Page> {
    const { id } = await account.write(path, text);
    const page = await signedIn(account, account.page(`/notes/${id}`));
    await page.locator(EDITOR).wait();
    await stateIs(page, 'Saved');
    return page;
  }

  const textOf = async (account: Account, path: string) => (await account.vault.readNote(path))?.content;

  test('in Firefox a person signs in, and stays signed in after a reload', async () => {
    const account = await newAccount();
    await account.write('Note.md', 'text\n');
    const page = await signedIn(account);
    await page.reload();
    await page.locator('[role=tree]').wait();
  });

  test('in Firefox what is typed where one clicked is saved', async () => {
    const account = await newAccount();
    const page = await opened(account, 'Typed.md', '---\ntags: [a]\n---\nfirst line\n\nlast line\n');
    await clickText(page, 'last line');
    await page.keyboard.press('End');
    await page.keyboard.type(' and more');
    await stateIs(page, 'Saved');
    assert.equal(await textOf(account, 'Typed.md'), '---\ntags: [a]\n---\nfirst line\n\nlast line and more\n');
  });

  test('in Firefox two people write one note, and see each other', async () => {
    const account = await newAccount();
    const one = await opened(account, 'Together.md', 'first\n');
    const two = await signedIn(account, one.url());
    await two.locator(EDITOR).wait();
    await stateIs(two, 'Saved');
    await typeAtEnd(one, 'from one');
    await waitForText(two, 'from one');
    await typeAtEnd(two, ' and two');
    await waitForText(one, 'from one and two');
    // A window without the focus shows no caret to others.
    await one.bringToFront();
    await one.locator(EDITOR).click();
    await two.waitForSelector('.cm-ySelectionInfo');
    await stateIs(two, 'Saved');
    assert.equal(await textOf(account, 'Together.md'), 'first\nfrom one and two');
  });

  test('in Firefox a note is renamed in the tree, and the link to it follows', async () => {
    const account = await newAccount();
    await account.write('Old name.md', 'words\n');
    const page = await opened(account, 'Links.md', 'see [[Old name]]\n');
    await treeItem(page, 'Old name').click();
    await stateIs(page, 'Saved');
    await page.focus('[role=treeitem][aria-current=page]');
    await page.keyboard.press('F2');
    await page.waitForFunction(`document.activeElement.tagName === 'INPUT'`);
    await page.keyboard.type('New name');
    await page.keyboard.press('Enter');
    await treeItem(page, 'New name').wait();
    await eventually(async () => assert.equal(await textOf(account, 'Links.md'), 'see [[New name]]\n'));
  });

  test('in Firefox a search finds a note and opens it', async () => {
    const account = await newAccount();
    await account.write('Garden.md', 'the beans grow\n');
    const page = await signedIn(account, account.page('/search?q=beans'));
    await page.locator('main ::-p-text(Garden)').click();
    await page.locator(EDITOR).wait();
    await waitForText(page, 'the beans grow');
  });

  test('in Firefox a file is uploaded', async () => {
    const account = await newAccount();
    await account.write('Garden/Beans.md');
    const page = await signedIn(account);
    await treeItem(page, 'Garden').wait();
    await page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['bytes of a plan'], 'plan.txt'));
      const row = document.querySelector('[role=treeitem]');
      const { x, y, height } = row.getBoundingClientRect();
      const place = { clientX: x + 8, clientY: y + height / 2 };
      for (const type of ['dragover', 'drop']) {
        row.dispatchEvent(new DragEvent(type, { dataTransfer, ...place, bubbles: true, cancelable: true }));
      }
    })()`);
    await eventually(async () => {
      const files = await account.vault.attachments();
      assert.deepEqual(
        files.map(({ path, size_bytes }) => [path, size_bytes]),
        [['Garden/plan.txt', 15]],
      );
    });
  });

  test('in Firefox what is typed while the server is away outlives the tab, and is sent later', async () => {
    const account = await newAccount();
    const page = await opened(account, 'Offline.md', 'start\n');
    await server.kill();
    try {
      await typeAtEnd(page, 'offline words');
      await stateIs(page, 'Offline – kept on this device');
    } finally {
      await server.run();
    }
    await page.reload();
    await page.locator(EDITOR).wait();
    await waitForText(page, 'offline words');
    await stateIs(page, 'Saved');
    assert.equal(await textOf(account, 'Offline.md'), 'start\noffline words');
  });

  test('in Firefox a cell of a table is edited in place', async () => {
    const account = await newAccount();
    const page = await opened(account, 'Table.md', 'above\n\n| a | b |\n| --- | --- |\n| one | two |\n\nbelow\n');
    await clickText(page, 'one');
    await page.keyboard.press('End');
    await page.keyboard.type(' more');
    await page.keyboard.press('Tab');
    await page.keyboard.press('End');
    await page.keyboard.type(' too');
    await stateIs(page, 'Saved');
    const text = (await textOf(account, 'Table.md')) ?? '';
    assert.match(text, /^\| one more +\| two too +\|$/m);
    assert.match(text, /^above\n\n\| a/);
  });
});

function button(page: Page, name: string) {
  return page.locator(`::-p-aria([name="${name}"][role="button"])`);
}

function treeItem(page: Page, name: string) {
  return page.locator(`[role=treeitem] ::-p-text(${name})`);
}

/** Puts the caret into the text of the editor that has some words. */
async function clickText(page: Page, words: string): Promise<void> {
  await page.locator(`${EDITOR} ::-p-text(${words})`).click();
}

async function typeAtEnd(page: Page, text: string): Promise<void> {
  await page.locator(EDITOR).click();
  await page.keyboard.down('Control');
  await page.keyboard.press('End');
  await page.keyboard.up('Control');
  await page.keyboard.type(text);
}

async function waitForText(page: Page, words: string): Promise<void> {
  const has = `document.querySelector(${JSON.stringify(EDITOR)})?.innerText.includes(${JSON.stringify(words)})`;
  await page.waitForFunction(has, { timeout: 60_000 });
}

async function stateIs(page: Page, text: string): Promise<void> {
  const is = `document.querySelector('[data-testid=save-state]')?.innerText === ${JSON.stringify(text)}`;
  await page.waitForFunction(is, { timeout: 60_000 });
}

/** Tries until it passes, for at most a minute: what another program sees follows what a page shows. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (const until = performance.now() + 60_000; ; ) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > until) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
