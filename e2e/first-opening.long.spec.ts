import type { CDPSession, Page } from '@playwright/test';
import { expect, test } from './kit/test.ts';

const NOTES = 5_000;
const BATCH = 100;

interface Received {
  readonly path: string;
  readonly bytes: number;
  readonly encoding: string | undefined;
}

/** Returns the responses that a page receives, with their transferred sizes. */
async function received(page: Page): Promise<readonly Received[]> {
  const session: CDPSession = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  const answers = new Map<string, { readonly path: string; readonly encoding: string | undefined }>();
  const all: Received[] = [];
  session.on('Network.responseReceived', ({ requestId, response: { url, headers } }) => {
    const encoding = headers['content-encoding'] ?? headers['Content-Encoding'];
    answers.set(requestId, { path: new URL(url).pathname, encoding });
  });
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength: bytes }) => {
    const answer = answers.get(requestId);
    if (answer !== undefined) all.push({ ...answer, bytes });
  });
  return all;
}

test('the first opening of a vault of 5,000 notes reads the tree once, compressed, and nothing of the feed', async ({
  page,
  alice,
}) => {
  test.setTimeout(180_000);
  for (let at = 0; at < NOTES; at += BATCH) {
    const batch = Array.from({ length: BATCH }, (_, index) => ({
      path: `Folder ${(at + index) % 50}/Note ${at + index}.md`,
      content: `# Note ${at + index}\n`,
      mtime: 1_700_000_000,
    }));
    await alice.vault.upsertNotes(batch);
  }
  const all = await received(page);
  const changes: unknown[] = [];
  await page.route(/\/sync\/changes/, async (route) => {
    const response = await route.fetch();
    changes.push(...(await response.json()).changes);
    await route.fulfill({ response });
  });
  const feed = page.waitForResponse(/\/sync\/changes/);
  await page.goto(alice.page());
  await expect(page.getByRole('treeitem').first()).toBeVisible();
  // Where the tree ends, nothing follows.
  await feed;
  expect(changes).toEqual([]);
  await page.waitForLoadState('networkidle');
  const [tree, ...more] = all.filter(({ path }) => path.endsWith('/vault/tree'));
  expect(more).toEqual([]);
  expect(tree?.encoding).toMatch(/^(br|gzip)$/);
  const kib = (some: readonly Received[]) => some.reduce((sum, { bytes }) => sum + bytes, 0) / 1024;
  const api = all.filter(({ path }) => path.startsWith('/api/'));
  expect(kib(api)).toBeLessThan(300);
});
