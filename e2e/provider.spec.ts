import type { Page } from '@playwright/test';
import { CLIENT, startProvider } from '../server/test/kit/clients/identity-provider.ts';
import { freePort } from '../server/test/kit/programs/free-port.ts';
import { Server } from './kit/server.ts';
import { expect, expectAccessible, signedIn, test } from './kit/test.ts';

/** Starts a server without passwords, at which people sign in by a provider. */
async function start() {
  const port = await freePort();
  const provider = await startProvider(`http://127.0.0.1:${port}/api/auth/oidc/callback`);
  const environment = {
    NOTEVAULT_OIDC_ISSUER: provider.issuer,
    NOTEVAULT_OIDC_CLIENT_ID: CLIENT.id,
    NOTEVAULT_OIDC_CLIENT_SECRET: CLIENT.secret,
    NOTEVAULT_OIDC_NAME: 'Home',
    NOTEVAULT_OIDC_REGISTER: 'on',
    NOTEVAULT_PASSWORD_LOGIN: 'off',
  };
  return { provider, server: await Server.start(environment, { port }) };
}

async function signOut(page: Page, { url }: Server): Promise<void> {
  // Also those of the provider, which would let the same person in again.
  await page.context().clearCookies();
  await page.goto(url);
  await expect(providerButton(page)).toBeVisible();
}

const providerButton = (page: Page) => page.getByRole('button', { name: 'Sign in with Home' });

test('the provider joins an account, makes one, proves who uses it, and explains why it refuses', async ({
  page,
  context,
}) => {
  const { provider, server } = await start();
  await using _provider = provider;
  await using _server = server;
  const alice = await signedIn(server, context);
  const section = page.getByRole('region', { name: 'Home' });
  const expectAccount = async (email: string) => {
    await page.goto(`${server.url}/settings`);
    await expect(page.getByLabel('E-mail')).toHaveValue(email);
  };

  provider.signsIn('alice', { email: 'alice@home.example' });
  await page.goto(`${server.url}/settings`);
  await section.getByRole('button', { name: 'Join Home' }).click();
  await expect(section.getByText('alice@home.example')).toBeVisible();
  expect(page.url()).toBe(`${server.url}/settings`);
  await signOut(page, server);
  await expect(page.getByLabel('Password', { exact: true })).toBeHidden();
  await expectAccessible(page);
  await providerButton(page).click();
  await expectAccount(alice.email);

  await signOut(page, server);
  provider.signsIn('mallory', { email: alice.email, email_verified: false });
  await providerButton(page).click();
  await expect(page.getByText('Home does not say that it has verified that address')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Back to Notevault' }).click();
  await expect(providerButton(page)).toBeVisible();

  await context.clearCookies();
  provider.signsIn('bob', { email: 'bob@example.org', email_verified: true, name: 'Bob' });
  await providerButton(page).click();
  await expectAccount('bob@example.org');
  await expect(page.getByText('This address is not confirmed yet.')).toBeHidden();
  // The server says that the proof of the sign-in is too old, and the dialog resumes the request once it is renewed.
  let isOld = true;
  await page.route('**/api/me', (route) =>
    isOld && route.request().method() === 'DELETE'
      ? route.fulfill({ status: 403, json: { error: 'step_up_required', methods: ['oidc'] } })
      : route.continue(),
  );
  await page.getByRole('button', { name: 'Delete the account' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Is it you?' });
  await expectAccessible(page);
  const [window] = await Promise.all([
    page.waitForEvent('popup'),
    dialog.getByRole('button', { name: 'Confirm with Home' }).click(),
  ]);
  await window.waitForURL(`${server.url}/`);
  isOld = false;
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(providerButton(page)).toBeVisible();
});
