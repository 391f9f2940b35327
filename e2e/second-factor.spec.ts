import { readFile } from 'node:fs/promises';
import { codeAt } from '../server/test/kit/totp.ts';
import { expect, expectAccessible, PASSWORD, signedIn, test } from './kit/test.ts';

test('a person sets up an authenticator app, signs in with a code, and proves who they are to remove it', async ({
  page,
  alice,
}) => {
  await page.goto(`${alice.url}/settings`);
  const section = page.getByRole('region', { name: 'Second factor' });
  await section.getByRole('button', { name: 'Set up an app' }).click();
  await expect(section.getByRole('img', { name: 'QR code for an authenticator app' })).toBeVisible();
  await expectAccessible(page);
  const secret = await section.getByTestId('totp-secret').innerText();
  await section.getByLabel('Code of the app').fill(codeAt(secret, Date.now()));
  await section.getByRole('button', { name: 'Turn on' }).click();
  const codes = (await section.getByTestId('recovery-codes').innerText()).trim().split('\n');
  expect(codes).toHaveLength(10);
  const saving = page.waitForEvent('download');
  await section.getByRole('button', { name: 'Save as a file' }).click();
  expect((await readFile(await (await saving).path(), 'utf8')).trim().split('\n')).toEqual(codes);
  await page.evaluate('window.print = () => { window.isPrinted = true }');
  await section.getByRole('button', { name: 'Print' }).click();
  expect(await page.evaluate('window.isPrinted')).toBe(true);
  await section.getByRole('button', { name: 'I have kept them' }).click();
  await expect(section.getByText('10 recovery codes left')).toBeVisible();

  await page.context().clearCookies();
  await page.goto(alice.url);
  await page.getByLabel('E-mail').fill(alice.email);
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  const code = page.getByLabel('Code', { exact: true });
  await code.fill('wrong');
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByText('This code is wrong')).toBeVisible();
  await code.fill(codes[0] ?? '');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('button', { name: /^Account/ })).toBeVisible();
  await page.goto(`${alice.url}/settings/sessions`);
  await expect(page.getByText('by password and recovery code')).toBeVisible();

  // The server says that the proof of the sign-in is too old, and the dialog resumes the request once it is renewed.
  let isOld = true;
  await page.route('**/api/me/totp', (route) =>
    isOld
      ? route.fulfill({ status: 403, json: { error: 'step_up_required', methods: ['password', 'totp'] } })
      : route.continue(),
  );
  await page.goto(`${alice.url}/settings`);
  await section.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
  const dialog = page.getByRole('dialog', { name: 'Confirm that it is you' });
  await expectAccessible(page);
  await dialog.getByLabel('Code').fill(codes[1] ?? '');
  isOld = false;
  await dialog.getByRole('button', { name: 'Confirm' }).click();
  await expect(section.getByRole('button', { name: 'Set up an app' })).toBeVisible();
});

test('an admin sees who has a second factor, and resets it', async ({ page, freshServer, context }) => {
  const { email } = await signedIn(freshServer, context);
  const api = `${freshServer.url}/api`;
  const { access_token } = await (await context.request.post(`${api}/auth/refresh`)).json();
  const headers = { authorization: `Bearer ${access_token}` };
  const { secret } = await (await context.request.post(`${api}/me/totp`, { headers })).json();
  const data = { code: codeAt(secret, Date.now()) };
  expect((await context.request.post(`${api}/me/totp/confirm`, { headers, data })).ok()).toBe(true);
  await page.goto(`${freshServer.url}/admin`);
  const badge = page.getByRole('listitem').getByText('Second factor', { exact: true });
  await expect(badge).toBeVisible();
  await page.getByRole('button', { name: `Reset second factor ${email}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Reset second factor' }).click();
  await expect(badge).toBeHidden();
});
