import { expect, test } from './kit/test.ts';

test('the page of connections hands out the plugin, and what is to be typed with the address of the server', async ({
  page,
  alice,
}) => {
  await page.goto(`${alice.url}/settings/connections`);
  const obsidian = page.getByRole('region', { name: 'Obsidian' });
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    obsidian.getByRole('link', { name: 'Download' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('notevault-obsidian.zip');
  await expect(obsidian.getByRole('listitem')).toHaveCount(3);
  const folder = page.getByRole('region', { name: 'A folder on your computer' });
  await expect(folder).toContainText(`npm install -g --allow-remote=root ${alice.url}/download/notevault.tgz`);
  await expect(folder).toContainText(`notevault login ${alice.url}`);
  const assistant = page.getByRole('region', { name: 'An assistant' });
  await expect(assistant).toContainText(`claude mcp add --transport http notevault ${alice.url}/api/mcp`);
});
