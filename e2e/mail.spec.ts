import { startMailServer } from '../server/test/kit/programs/mail-server.ts';
import { Server } from './kit/server.ts';
import { expect, expectAccessible, fillAccount, PASSWORD, test } from './kit/test.ts';

test('a person confirms the address by mail, and sets a new password by mail', async ({ page }) => {
  await using mail = await startMailServer();
  await using server = await Server.start({
    NOTEVAULT_SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
    NOTEVAULT_MAIL_FROM: 'Notevault <notes@example.org>',
  });
  const linkIn = async (name: string) => {
    const found = new RegExp(`#${name}=[\\w-]+`).exec(await mail.next(`#${name}=`))?.[0];
    return `${server.url}/${found}`;
  };
  await page.goto(server.setupUrl());
  await fillAccount(page, 'Alice', 'alice@example.org');
  await page.getByRole('button', { name: 'Create account' }).click();
  await expect(page.getByRole('heading', { name: 'Bring your notes' })).toBeVisible();
  await page.goto(`${server.url}/settings`);
  await expect(page.getByText('This address is not confirmed yet.')).toBeVisible();
  await page.goto('about:blank');
  await page.goto(await linkIn('confirm'));
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Confirm the address' }).click();
  await expect(page.getByText('Your e-mail is confirmed.')).toBeVisible();
  await page.goto(`${server.url}/settings`);
  await expect(page.getByLabel('E-mail')).toHaveValue('alice@example.org');
  await expect(page.getByText('This address is not confirmed yet.')).toBeHidden();

  await page.context().clearCookies();
  await page.goto(server.url);
  await page.getByRole('button', { name: 'Forgot your password?' }).click();
  await expectAccessible(page);
  await page.getByLabel('E-mail').fill('alice@example.org');
  await page.getByRole('button', { name: 'Send the link' }).click();
  await expect(page.getByText('a link is on its way')).toBeVisible();
  await page.goto('about:blank');
  await page.goto(await linkIn('reset'));
  await page.getByRole('textbox', { name: 'New password' }).fill(`another ${PASSWORD}`);
  await page.getByRole('button', { name: 'Set password' }).click();
  await page.getByLabel('E-mail').fill('alice@example.org');
  await page.getByLabel('Password', { exact: true }).fill(`another ${PASSWORD}`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('button', { name: /^Account/ }).or(page.getByText('Bring your notes'))).toBeVisible();
});
