import { pdfText } from './kit/pdf-text.ts';
import { expect, test } from './kit/test.ts';

const SECTIONS = 125;

/** A note of more than 100 KB, in which every section has a word of its own. */
function longNote(): string {
  const filler = 'Leaves fall on the bed beside the wall, and the rake stands where it stood. '.repeat(10);
  const sections = Array.from({ length: SECTIONS }, (_, at) =>
    [`## Section ${at}`, `${filler}begin${at}end`, '- one', `- [ ] task`, '> a quote', ''].join('\n\n'),
  );
  return sections.join('\n');
}

for (const mode of ['Edit', 'Source', 'Read']) {
  test(`a long note is printed whole: ${mode}`, async ({ page, alice }) => {
    const note = await alice.write('Long.md', longNote());
    await page.goto(alice.page(`/notes/${note.id}`));
    await expect(page.getByTestId('save-state')).toHaveAttribute('data-word', 'saved');
    if (mode === 'Source') await page.keyboard.press('Alt+s');
    if (mode === 'Read') await page.getByRole('button', { name: mode, exact: true }).click();
    const text = await pdfText(await page.pdf());
    const missing = Array.from({ length: SECTIONS }, (_, at) => at).filter((at) => !text.includes(`begin${at}end`));
    expect(missing).toEqual([]);
  });
}
