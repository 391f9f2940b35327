import { expect, test } from './kit/test.ts';

test('the connections page offers the plugin, and commands with the server’s own address', async ({ page, alice }) => {
  await page.goto(`${alice.url}/settings/connections`);
  const obsidian = page.getByRole('region', { name: 'Obsidian' });
  const plugin = obsidian.getByRole('link', { name: 'Download' });
  await expect(plugin).toHaveAttribute('href', '/download/notevault-obsidian.zip');
  const answer = await page.request.get(`${alice.url}/download/notevault-obsidian.zip`);
  expect([answer.status(), answer.headers()['content-type']]).toEqual([200, 'application/zip']);
  await expect(obsidian.getByRole('listitem')).toHaveCount(3);
  const folder = page.getByRole('region', { name: 'A folder on your computer' });
  await expect(folder).toContainText(`npm install -g --allow-remote=root ${alice.url}/download/notevault.tgz`);
  await expect(folder).toContainText(`notevault login ${alice.url}`);
  const assistant = page.getByRole('region', { name: 'An assistant' });
  await expect(assistant).toContainText(`claude mcp add --transport http notevault ${alice.url}/api/mcp`);
});
