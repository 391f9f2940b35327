import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { noToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import type { Page } from '@playwright/test';
import { Server } from './kit/server.ts';
import { expect, expectAccessible, PASSWORD, signedIn, test } from './kit/test.ts';

/** An authenticator of the browser, whose user agrees to what happens in `use`. */
async function addAuthenticator(page: Page, isSynced: boolean) {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      ctap2Version: 'ctap2_1',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      // Otherwise it would answer suggestions by itself.
      automaticPresenceSimulation: false,
      defaultBackupEligibility: isSynced,
      defaultBackupState: isSynced,
    },
  });
  const agree = (enabled: boolean) =>
    devTools.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled });
  return {
    async use(action: () => Promise<unknown>): Promise<void> {
      const used = new Promise<void>((resolve) => {
        devTools.once('WebAuthn.credentialAdded', () => resolve());
        devTools.once('WebAuthn.credentialAsserted', () => resolve());
      });
      await agree(true);
      await action();
      await used;
      await agree(false);
    },
    /** Sets the counter of the only passkey back, as that of an old copy would be. */
    async setBack(): Promise<void> {
      const { credentials } = await devTools.send('WebAuthn.getCredentials', { authenticatorId });
      const [credential] = credentials;
      if (credential === undefined) throw new Error('the authenticator has no passkey');
      const { credentialId } = credential;
      await devTools.send('WebAuthn.removeCredential', { authenticatorId, credentialId });
      await devTools.send('WebAuthn.addCredential', { authenticatorId, credential: { ...credential, signCount: 0 } });
    },
  };
}

const passkeyButton = (page: Page) => page.getByRole('button', { name: 'Use a passkey' });
const passkeysOf = (page: Page) => page.getByRole('region', { name: 'Passkeys' });

async function signOut(page: Page, { url }: Server): Promise<void> {
  await page.context().clearCookies();
  await page.goto(url);
  await expect(passkeyButton(page)).toBeVisible();
}

/** Signs alice in and adds a passkey that is bound to the device. */
async function addDevicePasskey(page: Page, server: Server) {
  const alice = await signedIn(server, page.context());
  // Otherwise the authenticator would take a suggestion before the button is pressed.
  await page.addInitScript('PublicKeyCredential.isConditionalMediationAvailable = async () => false');
  const authenticator = await addAuthenticator(page, false);
  await page.goto(`${server.url}/settings`);
  await authenticator.use(() => passkeysOf(page).getByRole('button', { name: 'Add a passkey' }).click());
  await expect(passkeysOf(page).getByText('Never used')).toBeVisible();
  return { alice, authenticator };
}

const expectSignedIn = (page: Page) => expect(page.getByRole('button', { name: /^Account/ })).toBeVisible();

test('a passkey of a device is made, and signs in', async ({ page }) => {
  await using server = await Server.start({}, { host: 'localhost' });
  const { authenticator } = await addDevicePasskey(page, server);
  await expectAccessible(page);
  await signOut(page, server);
  await authenticator.use(() => passkeyButton(page).click());
  await expectSignedIn(page);
});

test('a passkey links a device, on pages without script', async ({ page, context }) => {
  await using server = await Server.start({}, { host: 'localhost' });
  const { alice, authenticator } = await addDevicePasskey(page, server);
  await context.clearCookies();
  const client = new NotevaultClient(new Transport(server.url, noToken));
  const { device_code, user_code } = await client.startDeviceLink({ device_name: 'Desk' });
  await page.goto(`${server.url}/link?code=${user_code}`);
  await page.getByRole('link', { name: 'Use a passkey' }).click();
  await expect(page.getByRole('heading', { name: 'Continue with a passkey' })).toBeVisible();
  await expectAccessible(page);
  await authenticator.use(() => passkeyButton(page).click());
  await page.getByLabel('Vault').selectOption({ label: 'Notes' });
  await page.getByRole('button', { name: 'Link', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Linked' })).toBeVisible();
  expect((await client.pollDeviceLink(device_code)).vault_id).toBe(alice.vault.id);
});

test('a copied passkey of a device is refused, and a deleted one is not known', async ({ page }) => {
  await using server = await Server.start({}, { host: 'localhost' });
  const { alice, authenticator } = await addDevicePasskey(page, server);
  const section = passkeysOf(page);
  await authenticator.setBack();
  await signOut(page, server);
  await authenticator.use(() => passkeyButton(page).click());
  await expect(page.getByText('This passkey may have been copied')).toBeVisible();
  await page.getByLabel('E-mail').fill(alice.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expectSignedIn(page);
  await page.goto(`${server.url}/settings`);
  await expect(section.getByText('A use of this passkey was refused')).toBeVisible();
  await section.getByRole('button', { name: /^Delete/ }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(section.getByText('Chrome, Linux')).toBeHidden();
  await signOut(page, server);
  await authenticator.use(() => passkeyButton(page).click());
  await expect(page.getByText('This passkey is not known here')).toBeVisible();
});

test('a synced passkey is made, and signs in as suggested, also by an old counter', async ({ page, context }) => {
  await using server = await Server.start({}, { host: 'localhost' });
  await signedIn(server, context);
  const authenticator = await addAuthenticator(page, true);
  const section = passkeysOf(page);
  await page.goto(`${server.url}/settings`);
  await authenticator.use(() => section.getByRole('button', { name: 'Add a passkey' }).click());
  await expect(section.getByText('Synced')).toBeVisible();
  for (let uses = 0; uses < 2; uses++) {
    await context.clearCookies();
    // The browser suggests it in the field for the e-mail, and the person takes it.
    await authenticator.use(() => page.goto(server.url));
    await expectSignedIn(page);
    await authenticator.setBack();
  }
});

test('a passkey is renamed, and proves who deletes it', async ({ page }) => {
  await using server = await Server.start({}, { host: 'localhost' });
  const { authenticator } = await addDevicePasskey(page, server);
  const section = passkeysOf(page);
  await section.getByRole('button', { name: /^Rename/ }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Phone');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(section.getByText('Phone')).toBeVisible();
  // The server says that the proof of the sign-in is too old, and the dialog resumes the request once it is renewed.
  let isOld = true;
  await page.route('**/api/me/passkeys/*', (route) =>
    isOld
      ? route.fulfill({ status: 403, json: { error: 'step_up_required', methods: ['password', 'passkey'] } })
      : route.continue(),
  );
  await section.getByRole('button', { name: 'Delete: Phone' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await expectAccessible(page);
  isOld = false;
  await authenticator.use(() => dialog.getByRole('button', { name: 'Use a passkey' }).click());
  await expect(section.getByText('Phone')).toBeHidden();
});
