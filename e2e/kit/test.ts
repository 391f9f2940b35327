import { randomUUID } from 'node:crypto';
import { type BrowserContext, test as base, expect, type Page } from '@playwright/test';
import axe from 'axe-core';
import { setupFor } from '../../server/test/kit/setup-tokens.ts';
import { Account } from './account.ts';
import { Server } from './server.ts';

interface TestFixtures {
  /** Whether the browser is asked to save data, so that the app's worker does not load all of the app in the background. */
  readonly savesData: boolean;
  /** An account of its own for each test, signed in in the browser, with a vault. */
  readonly alice: Account;
  /** A server without any account, for this test only. */
  readonly freshServer: Server;
}

interface WorkerFixtures {
  /** One server for the tests of a worker; accounts keep them apart. */
  readonly server: Server;
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of fixtures from a pattern
    async ({}, use) => {
      await using server = await Server.start({ NOTEVAULT_REGISTRATION: 'open' });
      await use(server);
    },
    { scope: 'worker' },
  ],
  // biome-ignore lint/correctness/noEmptyPattern: as above
  freshServer: async ({}, use) => {
    await using server = await Server.start();
    await use(server);
  },
  // Hundreds of files in the background slow down what is tested.
  savesData: [true, { option: true }],
  context: async ({ context, savesData }, use) => {
    if (savesData) {
      const script = `Object.defineProperty(NetworkInformation.prototype, 'saveData', { get: () => true })`;
      await context.addInitScript(script);
    }
    await use(context);
  },
  alice: async ({ server, context }, use) => {
    await use(await signedIn(server, context));
  },
});

/** Makes an account with a vault, and signs the browser in. */
export async function signedIn(
  server: Server,
  context: BrowserContext,
  { name = 'Alice', vault = 'Notes' }: { name?: string | null; vault?: string } = {},
): Promise<Account> {
  const email = `alice-${randomUUID()}@example.org`;
  const answer = await context.request.post(`${server.url}/api/auth/register`, {
    data: { email, password: PASSWORD, display_name: name, ...setupFor(server.url) },
  });
  expect(answer.status()).toBe(201);
  const { access_token: token } = await answer.json();
  return Account.withVault(server.url, email, token, vault);
}

/** Fills in the form for a new account. */
export async function fillAccount(page: Page, name: string, email: string): Promise<void> {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
}

export const PASSWORD = 'correct horse battery';

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules that a second theme could break, because it changes only colours. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Expects that the page has nothing that WCAG 2.2 AA forbids and a program can find, in both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const runOnly = colorScheme === 'light' ? TAGS : { type: 'rule', values: COLOR_RULES };
    expect(await violationsOf(page, { runOnly, resultTypes: ['violations'] }), `axe, ${colorScheme}`).toEqual([]);
  }
}

/**
 * Returns axe's violations. axe stays loaded in the page, because its Playwright wrapper would load it for each check.
 */
async function violationsOf(page: Page, options: object): Promise<string[]> {
  for (const frame of page.frames()) {
    if (!(await frame.evaluate<boolean>('typeof axe === "object"'))) await frame.evaluate(axe.source);
  }
  return page.evaluate<string[]>(`axe.run(${JSON.stringify(options)}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ': ' + nodes.map(({ html }) => html).join(' ')))`);
}

export { expect };
