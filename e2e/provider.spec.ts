import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { noToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import type { Page } from '@playwright/test';
import { CLIENT, startProvider, type TestProvider } from '../server/test/kit/clients/identity-provider.ts';
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

const providerButton = (page: Page) => page.getByRole('button', { name: 'Sign in with Home' });

/** Opens the app without anybody signed in, also at the provider. */
async function signOut(page: Page, { url }: Server): Promise<void> {
  await page.context().clearCookies();
  await page.goto(url);
  await expect(providerButton(page)).toBeVisible();
}

/** Signs bob in, who gets an account. */
async function enterBob(page: Page, server: Server, provider: TestProvider): Promise<void> {
  await signOut(page, server);
  provider.signsIn('bob', { email: 'bob@example.org', email_verified: true, name: 'Bob' });
  await providerButton(page).click();
  await expect(page.getByRole('heading', { name: 'Bring your notes' })).toBeVisible();
}

test('a person joins an identity, which signs in alone, and a page explains why another may not', async ({
  page,
  context,
}) => {
  const { provider, server } = await start();
  await using _provider = provider;
  await using _server = server;
  const alice = await signedIn(server, context);
  const section = page.getByRole('region', { name: 'Home' });
  provider.signsIn('alice', { email: 'alice@home.example' });
  await page.goto(`${server.url}/settings`);
  await section.getByRole('button', { name: 'Link Home' }).click();
  await expect(section.getByText('alice@home.example')).toBeVisible();
  expect(page.url()).toBe(`${server.url}/settings`);
  await signOut(page, server);
  await expect(page.getByLabel('Password', { exact: true })).toBeHidden();
  await providerButton(page).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Notes' })).toBeVisible();

  await signOut(page, server);
  provider.signsIn('mallory', { email: alice.email, email_verified: false });
  await providerButton(page).click();
  await expect(page.getByText('Home does not say that it has verified this address')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Back to Notevault' }).click();
  await expect(providerButton(page)).toBeVisible();
});

test('a person without a password gets an account by the provider and links a device', async ({ page, context }) => {
  const { provider, server } = await start();
  await using _provider = provider;
  await using _server = server;
  await signedIn(server, context);
  await enterBob(page, server, provider);
  const client = new NotevaultClient(new Transport(server.url, noToken));
  const { device_code, user_code } = await client.startDeviceLink({ device_name: 'Desk' });
  await page.goto(`${server.url}/link`);
  await page.getByLabel('Code').fill(user_code);
  await page.getByLabel('Code').press('Enter');
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Sign in with Home' }).click();
  await expect(page.getByText('Signed in as bob@example.org.')).toBeVisible();
  await page.getByRole('button', { name: 'Link', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Linked' })).toBeVisible();
  expect((await client.pollDeviceLink(device_code)).access_token).toBeTruthy();
});

test('a person without a password proves at the provider who deletes the account', async ({ page, context }) => {
  const { provider, server } = await start();
  await using _provider = provider;
  await using _server = server;
  await signedIn(server, context);
  await enterBob(page, server, provider);
  // The server says that the proof of the sign-in is too old, and the dialog resumes the request once it is renewed.
  let isOld = true;
  await page.route('**/api/me', (route) =>
    isOld && route.request().method() === 'DELETE'
      ? route.fulfill({ status: 403, json: { error: 'step_up_required', methods: ['oidc'] } })
      : route.continue(),
  );
  await page.goto(`${server.url}/settings`);
  await page.getByRole('button', { name: 'Delete the account' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the account' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  const [window] = await Promise.all([
    page.waitForEvent('popup'),
    dialog.getByRole('button', { name: 'Confirm with Home' }).click(),
  ]);
  await window.waitForURL(`${server.url}/`);
  isOld = false;
  await dialog.getByRole('button', { name: 'Continue' }).click();
  await expect(providerButton(page)).toBeVisible();
});

test('a link of the operator signs in on a server without passwords', async ({ page, context }) => {
  const { provider, server } = await start();
  await using _provider = provider;
  await using _server = server;
  const { email } = await signedIn(server, context);
  await context.clearCookies();
  await page.goto(await server.command('admin', 'login-link', email));
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Notes' })).toBeVisible();
  await page.goto(`${server.url}/settings/sessions`);
  await expect(page.getByText('by a link from the admin')).toBeVisible();
});
