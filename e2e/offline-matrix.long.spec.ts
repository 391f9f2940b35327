import type { BrowserContext, Page } from '@playwright/test';
import type { Account } from './kit/account.ts';
import { openNote, select, typeAtEnd } from './kit/notes.ts';
import type { Server } from './kit/server.ts';
import { expect, signedIn, test } from './kit/test.ts';

test.use({ serviceWorkers: 'allow' });

// What is done in the app × what goes wrong meanwhile. In the end the server has all of it, once.

interface World {
  page: Page;
  readonly context: BrowserContext;
  readonly server: Server;
  readonly alice: Account;
}

interface Action {
  readonly name: string;
  /** Whether it makes no request. */
  readonly isOverSocket?: boolean;
  /** Prepares the world before the fault. */
  prepare?(world: World): Promise<void>;
  /** Does it; with the tab, it may end at any point. */
  act(page: Page): Promise<void>;
  /** Checks the final state of the server. `isWhole` is false if the tab was killed before the action was complete. */
  check(alice: Account, isWhole: boolean): Promise<void>;
}

interface Condition {
  readonly name: string;
  /** Whether the tab is killed amid the action. */
  readonly killsTab?: boolean;
  /** @param isOverSocket whether what is done makes no request. */
  during(world: World, act: () => Promise<void>, isOverSocket: boolean): Promise<void>;
}

const paths = async ({ vault }: Account) => {
  const { notes, attachments } = await vault.tree();
  return [...notes, ...attachments].map(({ path }) => path).sort();
};
const content = async ({ vault }: Account, path: string) => (await vault.readNote(path))?.content;
const LATE = { timeout: 45_000 };

const ACTIONS: readonly Action[] = [
  {
    name: 'an edit',
    isOverSocket: true,
    async prepare({ page, alice }) {
      await alice.write('Edited.md', 'start\n');
      await openNote(page, 'Edited');
      await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
    },
    async act(page) {
      await openNote(page, 'Edited');
      await typeAtEnd(page, 'and an end');
      await expect(page.getByTestId('save-state')).toHaveAttribute(
        'data-word',
        /^(saved|offline-kept|offline-not-saved)$/,
        LATE,
      );
    },
    async check(alice) {
      await expect.poll(() => content(alice, 'Edited.md'), LATE).toBe('start\nand an end');
    },
  },
  {
    name: 'a new note',
    async act(page) {
      await page.getByRole('button', { name: 'New note' }).first().click();
      await expect(page.getByRole('heading', { level: 1, name: 'Untitled' })).toBeVisible(LATE);
      await expect(page.locator('[data-editor-ready]')).toBeVisible();
      await typeAtEnd(page, 'typed into a new note');
      await expect(page.getByTestId('save-state')).toHaveAttribute(
        'data-word',
        /^(saved|offline-kept|offline-not-saved)$/,
        LATE,
      );
    },
    async check(alice, isWhole) {
      await expect.poll(() => content(alice, 'Untitled.md'), LATE).toBe(isWhole ? 'typed into a new note' : '');
    },
  },
  {
    name: 'a rename',
    async prepare({ page, alice }) {
      await alice.write('Old.md', 'old\n');
      await expect(page.getByRole('treeitem', { name: 'Old' })).toBeVisible();
    },
    async act(page) {
      await select(page, 'Old');
      await page.keyboard.press('F2');
      await page.getByLabel('New name').fill('Renamed');
      await page.keyboard.press('Enter');
      await expect(page.getByRole('treeitem', { name: 'Renamed' })).toBeVisible();
    },
    async check(alice) {
      await expect.poll(() => content(alice, 'Renamed.md'), LATE).toBe('old\n');
      expect(await content(alice, 'Old.md')).toBeUndefined();
    },
  },
  {
    name: 'a deletion',
    async prepare({ page, alice }) {
      await alice.write('Gone.md', 'gone\n');
      await expect(page.getByRole('treeitem', { name: 'Gone' })).toBeVisible();
    },
    async act(page) {
      await select(page, 'Gone');
      await page.keyboard.press('Delete');
      await expect(page.getByRole('treeitem', { name: 'Gone' })).toHaveCount(0);
    },
    async check(alice) {
      await expect.poll(() => paths(alice), LATE).not.toContain('Gone.md');
    },
  },
  {
    name: 'a folder',
    async act(page) {
      await page.getByRole('button', { name: 'New folder' }).first().click();
      await expect(page.getByRole('tree').getByRole('textbox')).toBeVisible(LATE);
      await page.keyboard.press('Escape');
    },
    async check({ vault }) {
      const folders = async () => (await vault.folders()).map(({ name }) => name);
      await expect.poll(folders, LATE).toEqual(['', 'New folder']);
    },
  },
  {
    name: 'a pasted file',
    async prepare({ page, alice }) {
      await alice.write('Paste.md', 'file:\n');
      await openNote(page, 'Paste');
      await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
    },
    async act(page) {
      await openNote(page, 'Paste');
      await page.locator('.cm-content').click();
      await page.keyboard.press('Control+End');
      await page.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File(['the bytes'], 'list.txt', { type: 'text/plain' }));
        const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true });
        document.querySelector('.cm-content').dispatchEvent(paste);
      })()`);
      await expect(page.locator('.cm-content')).toContainText('list.txt', LATE);
      await expect(page.getByTestId('save-state')).toHaveAttribute(
        'data-word',
        /^(saved|offline-kept|offline-not-saved)$/,
        LATE,
      );
    },
    async check(alice, isWhole) {
      await expect.poll(() => bytesOf(alice), LATE).toBe('the bytes');
      if (isWhole) await expect.poll(() => content(alice, 'Paste.md'), LATE).toContain('[[Attachments/list.txt]]');
    },
  },
  {
    name: 'a restored note',
    async prepare({ page, alice }) {
      await alice.vault.deleteNote((await alice.write('Trashed.md', 'back\n')).id);
      await page.goto(alice.page('/trash'));
      await expect(page.getByRole('button', { name: 'Restore: Trashed' })).toBeVisible();
    },
    async act(page) {
      await page.getByRole('button', { name: 'Restore: Trashed' }).click();
      await expect(page.getByRole('button', { name: 'Restore: Trashed' })).toHaveCount(0);
    },
    async check(alice) {
      await expect.poll(() => content(alice, 'Trashed.md'), LATE).toBe('back\n');
    },
  },
];

async function bytesOf({ vault }: Account): Promise<string> {
  const files = (await vault.attachments()).filter(({ path }) => path.startsWith('Attachments/list'));
  expect(files.length).toBeLessThanOrEqual(1);
  const file = await vault.readAttachment('Attachments/list.txt');
  return file === null ? '' : new Response(file.bytes).text();
}

const WRITES = /\/api\/(notes|folders|attachments|trash|tickets)/;

/** Calls a function at the first request that changes something, in place of its answer; resolves when it was called. */
async function atFirstWrite(
  { context }: World,
  amid: () => Promise<void>,
  isAnswerLost: boolean,
): Promise<{ called: Promise<void> }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let isOver = false;
  await context.route(WRITES, async (route) => {
    if (isOver || route.request().method() === 'GET') return route.fallback();
    isOver = true;
    // The server does it, and nobody hears of that.
    if (isAnswerLost) await route.fetch().catch(() => undefined);
    else void route.continue().catch(() => undefined);
    await amid();
    if (isAnswerLost) await route.abort().catch(() => undefined);
    resolve();
  });
  return { called: promise };
}

const CONDITIONS: readonly Condition[] = [
  {
    name: 'without a connection',
    async during({ context }, act) {
      await context.setOffline(true);
      await act();
      await context.setOffline(false);
    },
  },
  {
    name: 'over slow 3G',
    async during({ page, context }, act) {
      const devtools = await context.newCDPSession(page);
      const slow = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
      await devtools.send('Network.emulateNetworkConditions', slow);
      await act();
      await devtools.detach();
    },
  },
  {
    name: 'while the server is killed',
    async during(world, act, isOverSocket) {
      const { context, server } = world;
      const { called } = await atFirstWrite(world, () => server.kill(), true);
      await act();
      await (isOverSocket ? server.kill() : called);
      await context.unroute(WRITES);
      await server.run();
    },
  },
  {
    name: 'while the tab is killed',
    killsTab: true,
    async during(world, act, isOverSocket) {
      const { context, alice, page } = world;
      const { called } = await atFirstWrite(world, () => page.close(), false);
      await act().catch((error: unknown) => {
        if (!page.isClosed()) throw error;
      });
      await (isOverSocket ? page.close() : called);
      await context.unroute(WRITES);
      world.page = await context.newPage();
      await world.page.goto(alice.page());
    },
  },
  {
    name: 'while the device is full',
    async during({ page, context }, act) {
      await page.evaluate('globalThis.isFull = true');
      await context.setOffline(true);
      await act();
      // What was not kept would be lost with the tab, which says so.
      await expect
        .poll(() => page.evaluate('navigator.locks.query()'))
        .toMatchObject({
          held: expect.arrayContaining([expect.objectContaining({ name: expect.stringMatching(/^notevault-unkept/) })]),
        });
      await context.setOffline(false);
      await expect(page.getByTestId('unsent')).toHaveCount(0, LATE);
      await page.evaluate('globalThis.isFull = false');
    },
  },
];

/** Storage that takes nothing once a page says so: the quota of a test's profile cannot be lowered. */
const FULL = `for (const name of ['put', 'add']) {
  const write = IDBObjectStore.prototype[name];
  IDBObjectStore.prototype[name] = function (...row) {
    if (globalThis.isFull === true) throw new DOMException('full', 'QuotaExceededError');
    return write.apply(this, row);
  };
}`;

for (const condition of CONDITIONS) {
  test(`nothing is lost or doubled ${condition.name}`, async ({ freshServer, context }) => {
    test.setTimeout(400_000);
    const alice = await signedIn(freshServer, context);
    await context.addInitScript(FULL);
    const world: World = { page: await context.newPage(), context, server: freshServer, alice };
    await world.page.goto(alice.page());
    for (const action of ACTIONS) {
      await test.step(action.name, async () => {
        await action.prepare?.(world);
        await condition.during(world, () => action.act(world.page), action.isOverSocket === true);
        await action.check(alice, condition.killsTab !== true);
      });
    }
    const made = ['Edited.md', 'Paste.md', 'Renamed.md', 'Trashed.md', 'Untitled.md'];
    await expect.poll(() => paths(alice), LATE).toEqual(['Attachments/list.txt', ...made]);
    await expect(world.page.getByTestId('unsent')).toHaveCount(0, LATE);
  });
}
