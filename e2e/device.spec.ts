import type { BrowserContext, Page } from '@playwright/test';
import { Account } from './kit/account.ts';
import { rowsOf } from './kit/device.ts';
import { expect, expectAccessible, PASSWORD, test } from './kit/test.ts';

const state = 'save-state';

async function openNote(page: Page, name: string): Promise<void> {
  await page.getByRole('treeitem', { name }).click();
  await expect(page.locator('[data-editor-ready]')).toBeVisible();
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
}

async function signIn(page: Page, { email }: Account, isOwn = true): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByLabel('This is my device').setChecked(isOwn);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Returns the number of notes stored in the browser. */
const copies = async (page: Page) => (await rowsOf(page, 'notevault-notes', 'copies')).length;

/** Makes another account and signs the browser in. */
async function register(context: BrowserContext, url: string, email: string): Promise<Account> {
  const data = { email, password: PASSWORD, display_name: 'Bob' };
  const answer = await context.request.post(`${url}/api/auth/register`, { data });
  const { access_token: token } = await answer.json();
  return Account.withVault(url, email, token);
}

/** Ends every session of the account from elsewhere. */
async function revoke({ url, email }: Account): Promise<void> {
  const signedIn = await fetch(`${url}/api/auth/login`, {
    method: 'POST',
    body: JSON.stringify({ email, password: PASSWORD }),
    headers: { 'content-type': 'application/json' },
  });
  const { access_token: token } = (await signedIn.json()) as { access_token: string };
  await fetch(`${url}/api/me/sessions`, { method: 'DELETE', headers: { authorization: `Bearer ${token}` } });
}

test('on a device of others nothing outlives the tab, which may be reloaded', async ({ page, alice, context }) => {
  await alice.write('Secret.md', 'secret\n');
  await context.clearCookies();
  await page.goto(alice.page());
  await expect(page.getByLabel('This is my device')).toBeVisible();
  await expectAccessible(page);
  await signIn(page, alice, false);
  await openNote(page, 'Secret');
  const cookie = (await context.cookies()).find(({ name }) => name === 'refresh_token');
  expect(cookie?.expires).toBe(-1);
  await page.reload();
  await openNote(page, 'Secret');
  const second = await context.newPage();
  await second.goto(alice.page());
  await openNote(second, 'Secret');
  expect(await copies(page)).toBe(0);
  await second.close();
  await page.close();
  const later = await context.newPage();
  const ended = later.waitForResponse((answer) => answer.url().includes('/auth/logout'));
  await later.goto(alice.page());
  await ended;
  await expect(later.getByRole('button', { name: 'Sign in' })).toBeVisible();
  expect((await context.cookies()).filter(({ name }) => name === 'refresh_token')).toEqual([]);
});

test('a session ended from elsewhere ends in all tabs and takes the copies along, but not unsent edits', async ({
  page,
  alice,
  context,
}) => {
  for (const name of ['Read', 'Edited']) await alice.write(`${name}.md`, 'start\n');
  await page.goto(alice.page());
  for (const name of ['Read', 'Edited']) await openNote(page, name);
  await expect.poll(() => copies(page)).toBe(2);
  await context.setOffline(true);
  await page.locator('.cm-content').click();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('not sent');
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  await revoke(alice);
  const second = await context.newPage();
  await context.setOffline(false);
  await second.goto(alice.page());
  for (const one of [page, second]) {
    await expect(one.getByRole('button', { name: 'Sign in' })).toBeVisible({ timeout: 45_000 });
  }
  await expect(page.getByText('This session was ended')).toBeVisible();
  await expectAccessible(page);
  await expect.poll(() => copies(page)).toBe(1);
  // Another account sees nothing of it, and leaves it.
  const bob = await register(context, alice.url, `bob-${alice.email}`);
  await page.goto(bob.page());
  await expect(page.getByRole('heading', { level: 2, name: 'Notes' })).toBeVisible();
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await page.goto(alice.page());
  await signIn(page, alice);
  await openNote(page, 'Edited');
  await expect(page.locator('.cm-content')).toContainText('not sent');
  await expect(page.getByTestId('unsent')).toHaveCount(0);
});

test('pending work of an ended session resumes at the next sign-in, and goes after thirty days', async ({
  page,
  alice,
  context,
}) => {
  await alice.write('First.md');
  await page.goto(alice.page());
  await openNote(page, 'First');
  await context.setOffline(true);
  await page.getByRole('button', { name: 'New note' }).first().click();
  await expect(page.getByRole('main').getByText('Draft', { exact: true })).toBeVisible();
  await page.locator('.cm-content').click();
  await page.keyboard.type('not sent');
  await expect(page.getByTestId(state)).toHaveText('Offline – kept on this device');
  await revoke(alice);
  await context.setOffline(false);
  await page.reload();
  await expect(page.getByText('This session was ended')).toBeVisible();
  const entries = async () => {
    const rows = await rowsOf<{ id: string; lockedAt?: number }>(page, 'notevault-outbox', 'entries');
    return rows.filter(({ lockedAt }) => lockedAt !== undefined).map(({ id }) => id);
  };
  await expect.poll(entries).toHaveLength(1);
  const [fresh] = await entries();
  // Another one, which was locked long ago.
  await page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('notevault-outbox');
    opening.onsuccess = () => {
      const store = opening.result.transaction('entries', 'readwrite').objectStore('entries');
      store.getAll().onsuccess = ({ target }) => {
        const lockedAt = Date.now() - 31 * 24 * 60 * 60 * 1000;
        store.put({ ...target.result[0], id: 'old', lockedAt }).onsuccess = () => {
          opening.result.close();
          resolve();
        };
      };
    };
  })`);
  const bob = await register(context, alice.url, `bob-${alice.email}`);
  await page.goto(bob.page());
  await expect(page.getByRole('heading', { level: 2, name: 'Notes' })).toBeVisible();
  await expect.poll(entries).toEqual([fresh]);
  await expect(page.getByTestId('unsent')).toHaveCount(0);
  await context.clearCookies();
  await page.goto(alice.page());
  await signIn(page, alice);
  await openNote(page, 'Untitled');
  await expect(page.locator('.cm-content')).toHaveText('not sent');
  await expect(page.getByTestId('unsent')).toHaveCount(0);
});

test('a session that ran out locks all tabs, and the copies stay', async ({ page, alice, context }) => {
  for (const name of ['Kept', 'Other']) await alice.write(`${name}.md`, 'start\n');
  // Home reads the notes that it lists.
  await page.goto(alice.page('/tags'));
  await openNote(page, 'Kept');
  const second = await context.newPage();
  await second.goto(alice.page('/tags'));
  await expect(second.getByRole('tree')).toBeVisible();
  // As after thirty days: the browser has dropped the cookie, and the access token is refused.
  await context.clearCookies();
  await page.route('**/api/notes/**', (route) => route.fulfill({ status: 401, json: { error: 'unauthorized' } }));
  await page.getByRole('treeitem', { name: 'Other' }).click();
  for (const one of [page, second]) await expect(one.getByText('Your session has expired')).toBeVisible();
  expect(await copies(page)).toBe(1);
});

test('signing out has the browser clear everything of the account, and keeps what is the browser’s', async ({
  page,
  alice,
}) => {
  await alice.write('Note.md', 'text\n');
  await page.goto(alice.page());
  await openNote(page, 'Note');
  await page.evaluate(() => localStorage.setItem('notevault-theme', 'dark'));
  const logout = page.waitForResponse((answer) => answer.url().includes('/auth/logout'));
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  expect((await logout).url()).toMatch(/clear=true$/);
  expect(await (await logout).allHeaders()).toMatchObject({ 'clear-site-data': '"storage"' });
  await expect(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await expect.poll(() => copies(page)).toBe(0);
  await expect.poll(() => page.evaluate(() => localStorage.getItem('notevault-theme'))).toBe('dark');
  expect(await page.evaluate(() => localStorage.getItem('notevault-last-vault'))).toBeNull();
});

test('the page makes only the trusted types policies that its header names', async ({ page, alice }) => {
  const note = await alice.write(
    'Html.md',
    '<b>bold</b> <details><summary>more</summary>text</details>\n\n![[a.png]]\n',
  );
  const answer = await page.goto(alice.page(`/notes/${note.id}`));
  expect(answer?.headers()['content-security-policy']).toContain('trusted-types notevault-worker dompurify');
  const violations: string[] = [];
  page.on('console', (message) => {
    if (/Content Security Policy|TrustedTypePolicy/i.test(message.text())) violations.push(message.text());
  });
  await expect(page.locator('[data-editor-ready]')).toBeVisible();
  await page.getByRole('button', { name: 'Read', exact: true }).click();
  await expect(page.getByText('bold')).toBeVisible();
  await page.goto(alice.page('/graph'));
  await expect(page.locator('canvas').first()).toBeVisible();
  expect(violations).toEqual([]);
  const refused = await page.evaluate(() => {
    const { trustedTypes } = globalThis as unknown as {
      trustedTypes: { createPolicy(name: string, rules: object): void };
    };
    try {
      trustedTypes.createPolicy('another', {});
      return false;
    } catch {
      return true;
    }
  });
  expect(refused).toBe(true);
});

test('the copies of a vault go with it', async ({ page, alice }) => {
  const note = await alice.write('Note.md', 'text\n');
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await expect.poll(() => copies(page)).toBe(1);
  // Without another load, after which copies are looked through anyway.
  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Vaults' }).click();
  await page.getByRole('button', { name: 'Delete: Notes' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect.poll(() => copies(page)).toBe(0);
});

test('on a device of others, a tab asks before it closes only while something waits in it', async ({
  page,
  alice,
  context,
}) => {
  await context.clearCookies();
  await page.goto(alice.url);
  await signIn(page, alice, false);
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.getByRole('button', { name: 'New note', exact: true }).first().click();
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  await page.reload();
  await expect(page.getByTestId(state)).toHaveAttribute('data-word', 'saved');
  expect(asked).toEqual([]);
  await context.setOffline(true);
  await page.getByRole('button', { name: 'New folder' }).first().click();
  await expect(page.getByTestId('unsent')).toHaveText('1 change not sent yet');
  await page.close({ runBeforeUnload: true });
  await expect.poll(() => asked).toEqual(['beforeunload']);
});
