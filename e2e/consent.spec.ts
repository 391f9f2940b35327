import { createHash, randomBytes } from 'node:crypto';
import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { noToken } from '@notevault/client/tokens.ts';
import { Transport } from '@notevault/client/transport.ts';
import { expect, expectAccessible, PASSWORD, test } from './kit/test.ts';

test('a device is linked to a vault by its code, on pages without script', async ({ browser, alice }) => {
  const client = new NotevaultClient(new Transport(alice.url, noToken));
  const { device_code, user_code } = await client.startDeviceLink({ device_name: 'Desk', vault_name: 'Desk notes' });
  // The test of accessibility is a script itself, so only the flow runs without.
  await using context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${alice.url}/link?code=${user_code}`);
  await page.getByLabel('E-mail').fill(alice.email);
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByRole('alert')).toBeVisible();
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByRole('button', { name: 'Continue' }).click();
  await expect(page.getByText('It can read and change notes in the vault you choose')).toBeVisible();
  await page.getByLabel('Vault').selectOption({ label: 'Notes' });
  await page.getByRole('button', { name: 'Link', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Linked' })).toBeVisible();
  expect((await client.pollDeviceLink(device_code)).vault_id).toBe(alice.vault.id);
});

test('an assistant is let into chosen vaults, and the pages have nothing that axe objects to', async ({
  page,
  alice,
  context,
}) => {
  await context.clearCookies();
  const metadata = await (await context.request.get(`${alice.url}/.well-known/oauth-authorization-server`)).json();
  const redirect = 'http://127.0.0.1:1/callback';
  const registered = await context.request.post(metadata.registration_endpoint, {
    data: { client_name: 'Helper', redirect_uris: [redirect], token_endpoint_auth_method: 'none' },
  });
  const { client_id } = await registered.json();
  const verifier = randomBytes(32).toString('base64url');
  const authorize = new URL(metadata.authorization_endpoint);
  authorize.search = new URLSearchParams({
    client_id,
    redirect_uri: redirect,
    response_type: 'code',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: `${alice.url}/api/mcp`,
  }).toString();
  await page.goto(`${alice.url}/link`);
  await expectAccessible(page);
  await page.goto(authorize.href);
  await expectAccessible(page);
  await page.getByLabel('E-mail').fill(alice.email);
  await page.getByLabel('Password').fill(PASSWORD);
  await page.getByLabel('Password').press('Enter');
  await expect(page.getByRole('heading', { name: 'Helper wants to use your vaults' })).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('Notes', { exact: true }).selectOption('Read only');
  const leaving = page.waitForRequest((request) => request.url().startsWith(redirect));
  await page.getByRole('button', { name: 'Allow' }).click();
  expect(new URL((await leaving).url()).searchParams.get('code')).not.toBeNull();
});

test('a device is linked in the language of the browser, with nothing that axe objects to', async ({
  browser,
  alice,
}) => {
  for (const [locale, title] of [
    ['de-DE', 'Ein Gerät verbinden'],
    ['ja-JP', '端末をリンク'],
  ] as const) {
    await using context = await browser.newContext({ locale });
    const page = await context.newPage();
    await page.goto(`${alice.url}/link`);
    await expect(page.getByRole('heading', { name: title })).toBeVisible();
    await expectAccessible(page);
  }
});
