import { randomUUID } from 'node:crypto';
import { expect, expectAccessible, test } from './kit/test.ts';

test('the first page of a vault names what is damaged, until it can be read again', async ({ page, alice, server }) => {
  await alice.write('Sound.md');
  const note = await alice.write('Damaged.md');
  const file = await alice.vault.putAttachment('a.txt', { bytes: () => 'text', mtime: 1 });
  await using raw = await server.rows();
  const [stored] = await raw.all('select meta from entries where id = $1', note.id);
  const store = (id: string, meta: Buffer) => raw.run('update entries set meta = $2 where id = $1', id, meta);
  for (const { id } of [note, file]) expect(await store(id, Buffer.alloc(64))).toBe(1);

  await page.goto(alice.page());
  const damaged = page.getByRole('region', { name: 'Damaged on the server' });
  await expect(damaged.getByRole('alert')).toContainText('1 note cannot be read');
  await expect(damaged.getByRole('alert')).toContainText('1 file cannot be read');
  await expect(damaged.getByRole('alert')).toContainText('notevault doctor');
  await expect(damaged.getByRole('listitem')).toHaveText([`Note ${note.id}`, `File ${file.id}`]);
  await expect(page.getByRole('treeitem', { name: 'Sound' })).toBeVisible();
  await expect(page.getByText('This list cannot be shown')).toBeVisible();
  await expectAccessible(page);

  await store(note.id, stored?.meta as Buffer);
  await alice.write('Damaged.md', 'written again');
  await expect(damaged.getByRole('listitem')).toHaveText([`File ${file.id}`]);
  await expect(page.getByRole('treeitem', { name: 'Damaged' })).toBeVisible();
  await expect(page.getByRole('main').getByRole('link', { name: /^Damaged/ })).toBeVisible();
});

test('of many damaged rows the first page lists twenty, and counts the others', async ({ page, alice }) => {
  const tree = await alice.vault.tree();
  const unreadable = Array.from({ length: 25 }, (_, seq) => ({ id: randomUUID(), seq, type: 'note' }));
  await page.route('**/vault/tree*', (route) => route.fulfill({ json: { ...tree, unreadable } }));
  await page.goto(alice.page());
  const rows = page.getByRole('region', { name: 'Damaged on the server' }).getByRole('listitem');
  await expect(rows).toHaveCount(21);
  await expect(rows.last()).toHaveText('and 5 more');
});
