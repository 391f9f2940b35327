import { expect, test } from './kit/test.ts';

test('a vault that is opened reads its tree and its people once, and the feed from where the tree ends', async ({
  page,
  alice,
}) => {
  await alice.write('Beds.md', 'Peas\n');
  const asked: URL[] = [];
  page.on('request', (request) => asked.push(new URL(request.url())));
  const of = (end: string) => asked.filter(({ pathname }) => pathname.endsWith(end));
  await page.goto(alice.page());
  // The second time is once the server announces what changes.
  await expect.poll(() => of('/sync/changes').length).toBe(2);
  await page.waitForLoadState('networkidle');
  expect(of('/vault/tree')).toHaveLength(1);
  expect(of('/sync/changes').every(({ searchParams }) => searchParams.has('cursor'))).toBe(true);
  // Once for the page, and once to know which copies on the device are of vaults that are gone.
  expect(of('/api/vaults')).toHaveLength(2);
  await alice.invite('editor');
  await expect.poll(() => of('/api/vaults').length).toBe(3);
});
