import type { Page } from '@playwright/test';
import type { Account } from './account.ts';

/** The pages of the app, each with what it has when it is there. */
export async function pagesOf(alice: Account): Promise<ReadonlyMap<string, string>> {
  const { id } = await alice.write(
    'Garden/Beds.md',
    '---\ntags: [kitchen]\ndescription: A rather long description of all that grows there\n---\n# Beds\n\n- Peas in [[Soil]], `code`\n- [ ] Sow them 📅 2020-03-01\n\n| a | b |\n|---|---|\n| c | d |\n',
  );
  await alice.write('Garden/Soil.md', '# Soil\n\n[[Beds]]\n');
  const vault = ['', '/search?q=peas', '/tasks', '/replace', '/tags', '/trash', '/import', '/graph'].map((path) =>
    alice.page(path),
  );
  const panels = ['', '?panel=links', '?panel=outline', '?panel=history'].map((panel) =>
    alice.page(`/notes/${id}${panel}`),
  );
  const settings = ['', '/vaults', '/connections', '/sessions'].map((path) => `${alice.url}/settings${path}`);
  return new Map([...vault, ...panels, ...settings].map((url) => [url.slice(alice.url.length), url]));
}

/** Opens a page of them; resolves when it is there. */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.getByRole('heading').first().waitFor();
  if (url.includes('/notes/')) await page.locator('[data-editor-ready]').waitFor();
}

/** Goes to a page as a link does: the app, which is open, is not loaded again. */
export async function goTo(page: Page, url: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', ${JSON.stringify(url)})`);
}
