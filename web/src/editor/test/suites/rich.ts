import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EditorBrowser } from '../browser.ts';

/** A PNG of one pixel. */
export const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** A PDF of one empty page. */
const PDF = Buffer.from(
  `%PDF-1.1
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 50]>>endobj
xref
0 4
0000000000 65535 f 
0000000009 00000 n 
0000000052 00000 n 
0000000101 00000 n 
trailer<</Size 4/Root 1 0 R>>
startxref
164
%%EOF`,
);

export function richTests(browser: () => EditorBrowser): void {
  test('lines keep their own direction in a page from right to left', async () => {
    await using opened = await browser().open();
    await opened.page.evaluate(() => {
      document.documentElement.dir = 'rtl';
    });
    await opened.start('---\ntags: [a]\n---\n\nLatin.\n\nעברית.');
    const directionOf = (selector: string, hasText = '') =>
      opened.page.locator(selector, { hasText }).evaluate((element) => getComputedStyle(element).direction);
    assert.equal(await directionOf('.cm-line', 'Latin'), 'ltr');
    assert.equal(await directionOf('.cm-line', 'עברית'), 'rtl');
    assert.equal(await directionOf('.nv-chips'), 'rtl');
  });

  test('screen readers find a note’s headings below its name, and its language from the frontmatter', async () => {
    await using opened = await browser().open();
    await opened.start('---\nlang: de\n---\n\n# Titel\n\n## Kapitel ##\n\nText');
    const content = opened.page.locator('.cm-content[lang=de]');
    await content.getByRole('heading', { level: 2, name: 'Titel', exact: true }).waitFor();
    await content.getByRole('heading', { level: 3, name: 'Kapitel', exact: true }).waitFor();
    // Without a heading of the first level there is none that is below it.
    await opened.run((harness) => harness.remote(harness.stored().indexOf('# Titel'), 2, ''));
    await content.getByRole('heading', { level: 2, name: 'Kapitel', exact: true }).waitFor();
    assert.equal(await content.getByRole('heading').count(), 1);
  });

  test('the heading that is the title of the note is no heading within it, and has the properties under it', async () => {
    await using opened = await browser().open();
    await opened.start('---\nstatus: new\n---\n\n# A note\n\n## Part\n\nText', 'preview');
    const chips = opened.page.locator('.nv-chips');
    await chips.waitFor();
    await opened.page.getByRole('heading', { level: 2, name: 'Part' }).waitFor();
    assert.equal(await opened.page.getByRole('heading').count(), 1);
    const [title, below, part] = [
      await opened.page.getByText('A note', { exact: true }).boundingBox(),
      await chips.boundingBox(),
      await opened.page.getByText('Part', { exact: true }).boundingBox(),
    ];
    assert.ok(title !== null && below !== null && part !== null);
    assert.ok(
      title.y + title.height <= below.y && below.y + below.height < part.y,
      JSON.stringify([title, below, part]),
    );
    // Where the text begins with another heading, its title is above the text, and they are at the beginning of that.
    await opened.run((harness) => harness.remote(harness.stored().indexOf('A note'), 1, 'No'));
    await opened.page.getByRole('heading', { name: 'No note' }).waitFor();
    const [other, above] = [await opened.page.getByText('No note').boundingBox(), await chips.boundingBox()];
    assert.ok(other !== null && above !== null && above.y + above.height <= other.y);
    assert.deepEqual(opened.complaints, []);
  });

  test('screen readers find a note’s lists with items, nested ones too, and its quotes and callouts', async () => {
    await using opened = await browser().open();
    await opened.start('- one\n- two\n  1. inner\n\n> said\n> > before\n\n> [!tip] Tip\n> so\n\nText');
    const content = opened.page.locator('.cm-content');
    const outer = content.getByRole('list').first();
    assert.equal(await outer.locator('> [role=listitem]').count(), 2);
    await outer.locator('> [role=listitem]', { hasText: 'two' }).locator('> [role=list] > [role=listitem]').waitFor();
    await content.getByRole('blockquote').getByRole('blockquote').getByText('before').waitFor();
    await content.getByRole('note').getByText('so').waitFor();
    // A list of one item is where its item is.
    await content.locator('[role=list] > [role=listitem] > .cm-line', { hasText: 'inner' }).waitFor();
    await opened.page.getByText('one').click();
    await opened.page.keyboard.press('End');
    await opened.page.keyboard.type('\nmore');
    await outer.locator('> [role=listitem]').nth(2).waitFor();
  });

  test('formulas, diagrams and images are drawn under the policy of the page', async () => {
    const { files } = browser();
    files.set('/media/a.png', PIXEL);
    await using opened = await browser().open();
    await opened.run((harness) => {
      harness.media = { 'a.png': '/media/a.png' };
    });
    await opened.start(
      '$x^2$\n\n$$\ny\n$$\n\n```mermaid\ngraph TD\nA-->B\n```\n\n![[a.png|40]]\n\nin line ![[a.png]] too',
    );
    await opened.page.waitForSelector('.nv-math .katex');
    await opened.page.waitForSelector('.nv-math-block .katex-display');
    const diagram = opened.page.frameLocator('.nv-mermaid iframe').locator('svg');
    await diagram.waitFor();
    await opened.page.waitForFunction(
      () => [...document.images].filter((image) => image.naturalWidth === 1).length === 2,
    );
    assert.equal(await opened.page.locator('.nv-media img').evaluate((image) => image.clientWidth), 40);
    assert.deepEqual(
      opened.complaints.filter((text) => !text.includes('404')),
      [],
    );
  });

  test('a diagram has the colours of the theme, also of one that is chosen while it is shown', async () => {
    await using opened = await browser().open({ colorScheme: 'light' });
    await opened.start('```mermaid\ngraph TD\nA-->B\n```\n');
    await opened.page.frameLocator('.nv-mermaid iframe').locator('.node rect').first().waitFor();
    const frame = opened.page.frames().find((one) => one.url().endsWith('mermaid.html'));
    const untilFilled = (color: string) =>
      frame?.waitForFunction((wanted) => {
        const box = document.querySelector('.node rect');
        return box !== null && getComputedStyle(box).fill === wanted;
      }, color);
    await untilFilled('rgb(226, 240, 236)');
    await opened.page.evaluate(() => {
      document.documentElement.dataset.theme = 'dark';
    });
    await untilFilled('rgb(29, 51, 48)');
    assert.deepEqual(opened.complaints, []);
  });

  test('a missing image, and one that is none, is a card with its name', async () => {
    browser().files.set('/media/broken.png', Buffer.from('no picture'));
    await using opened = await browser().open();
    await opened.run((harness) => {
      harness.media = { 'broken.png': '/media/broken.png' };
    });
    await opened.start('x\n\n![[Photos/gone.png]]\n\nin line ![[broken.png]] too');
    const cards = opened.page.locator('.nv-missing-card');
    await cards.nth(1).waitFor();
    assert.deepEqual(await cards.allTextContents(), [
      'gone.png Not found',
      'broken.png The image could not be loaded.',
    ]);
    assert.equal(await opened.page.locator('.nv-image').count(), 0);
    const look = await cards.first().evaluate((card) => {
      const { backgroundColor, borderRadius, display } = getComputedStyle(card);
      return [backgroundColor, borderRadius, display];
    });
    assert.deepEqual(look, ['rgb(243, 240, 234)', '10px', 'inline-flex']);
    // A press goes to its source.
    await cards.first().click();
    await opened.page.getByText('![[Photos/gone.png]]').waitFor();
  });

  test('a PDF is drawn by a worker', async () => {
    browser().files.set('/media/a.pdf', PDF);
    await using opened = await browser().open();
    await opened.run((harness) => {
      harness.media = { 'a.pdf': '/media/a.pdf' };
    });
    await opened.start('![[a.pdf]]');
    await opened.page.waitForSelector('.nv-pdf-page[aria-label]');
    const { width, height } = await opened.page.locator('canvas').evaluate((canvas) => {
      const { width, height } = canvas as HTMLCanvasElement;
      return { width, height };
    });
    assert.ok(width > 100 && Math.abs(width / height - 2) < 0.1, `${width} × ${height}`);
  });

  test('an embedded note is drawn as it is read, and notes that embed each other end', async () => {
    await using opened = await browser().open();
    await opened.run((harness) => {
      harness.notes = { Inner: 'inner **text**\n\n![[Outer]]', Outer: 'outer\n\n![[Inner]]' };
    });
    await opened.start('![[Inner]]');
    await opened.page.waitForSelector('.nv-embed .nv-strong');
    await opened.page.getByText('Embedded notes are nested too deeply.').waitFor();
    assert.equal(await opened.page.locator('.nv-embed').count(), 4);
  });

  test('a table is drawn while reading, with its links', async () => {
    await using opened = await browser().open();
    await opened.start('| a | b |\n|---|--:|\n| **x** | [[Target\\|y]]<br>`` ` ``<p/>z |', 'reading');
    await opened.page.locator('th').first().waitFor();
    assert.equal(await opened.page.locator('th').count(), 2);
    assert.equal(await opened.page.locator('td strong').textContent(), 'x');
    assert.deepEqual(await opened.page.locator('td').nth(1).locator('br').count(), 2);
    assert.equal(await opened.page.locator('td code').textContent(), '`');
    await opened.page.locator('td a').click();
    assert.deepEqual(
      (await opened.run((harness) => harness.opened)).map(({ target }) => target),
      ['Target'],
    );
  });

  test('an image of another server is loaded on a click only, in a frame', async () => {
    browser().files.set('/media/remote.png', PIXEL);
    await using opened = await browser().open();
    const requests: string[] = [];
    opened.page.on('request', (request) => requests.push(request.url()));
    const address = `${browser().url.replace('127.0.0.1', 'localhost')}/media/remote.png`;
    await opened.start(`an image ![alt](${address}) here`);
    const button = opened.page.getByRole('button', { name: /alt · Load image from localhost/ });
    await button.waitFor();
    assert.deepEqual(
      requests.filter((url) => url.includes('remote.png')),
      [],
    );
    await button.click();
    await opened.page.frameLocator('.nv-remote-image iframe').locator('img').waitFor();
    await opened.page.waitForFunction(
      () => document.querySelector<HTMLElement>('.nv-remote-image iframe')?.style.width === '1px',
    );
    assert.equal(requests.filter((url) => url.includes('remote.png')).length, 1);
  });

  test('code is highlighted in the language that its fence names', async () => {
    await using opened = await browser().open();
    await opened.start('```python\ndef f():\n    return 1\n```');
    await opened.page.waitForFunction(() => {
      const line = [...document.querySelectorAll('.nv-code-line')].find((one) => one.textContent?.includes('return'));
      return (line?.querySelectorAll('span').length ?? 0) > 1;
    });
  });
}
