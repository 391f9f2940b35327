import { pdfText } from './kit/pdf-text.ts';
import { expect, test } from './kit/test.ts';

const INNER = `# Inner\n\n${'inner words go on. '.repeat(200)}\n\nlastofinner\n`;
const EMBEDS = 12;

function noteWithEmbeds(): string {
  const parts = Array.from({ length: EMBEDS }, (_, at) => {
    const table = `| a | b |\n|---|---|\n| cell${at}x | y |\n`;
    return `before${at}part\n\n![[Inner]]\n\n${table}\n> [!note]- Folded\n> folded${at}line\n`;
  });
  return `---\ntags: [print]\n---\n# Top\n\n${'one long line '.repeat(3_000)}endofline\n\n${parts.join('\n')}\nthelastline\n`;
}

test('a note is printed with its embedded notes, tables and folded callouts', async ({ page, alice }) => {
  await alice.write('Inner.md', INNER);
  const note = await alice.write('Embeds.md', noteWithEmbeds());
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
  await page.getByRole('button', { name: 'Read', exact: true }).click();
  // The browser’s own dialog cannot be answered here; the PDF is printed when it would open.
  const asked = new Promise<void>((resolve) => void page.exposeFunction('askedToPrint', resolve));
  await page.evaluate('window.print = () => void window.askedToPrint()');
  await page.keyboard.press('Control+p');
  await asked;
  const text = await pdfText(await page.pdf());
  expect(text).toContain('endofline');
  expect(text.match(/lastofinner/g)).toHaveLength(EMBEDS);
  for (let at = 0; at < EMBEDS; at++) {
    for (const words of [`before${at}part`, `cell${at}x`, `folded${at}line`]) expect(text).toContain(words);
  }
  expect(text).toContain('thelastline');
  expect(text).not.toContain('werenotready');
  await expect(page.getByText('folded0line')).toBeHidden();
});

test('a print that cannot wait for embedded notes says that they are missing, and prints all else', async ({
  page,
  alice,
}) => {
  await alice.write('Inner.md', INNER);
  const note = await alice.write('Embeds.md', noteWithEmbeds());
  await page.goto(alice.page(`/notes/${note.id}`));
  await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
  await page.getByRole('button', { name: 'Read', exact: true }).click();
  const text = await pdfText(await page.pdf());
  for (let at = 0; at < EMBEDS; at++) expect(text).toContain(`before${at}part`);
  expect(text).toContain('thelastline');
  expect(text).toContain('werenotready');
});
