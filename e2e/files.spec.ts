import type { Page } from '@playwright/test';
import type { Account } from './kit/account.ts';
import { expect, expectAccessible, signedIn, test } from './kit/test.ts';

test.use({ serviceWorkers: 'allow' });

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PDF = `%PDF-1.4
1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj
2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj
3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj
4 0 obj<</Length 44>>stream
BT /F 18 Tf 20 50 Td (Rows of beans) Tj ET
endstream endobj
5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj
trailer<</Root 1 0 R>>
`;

/** Half a minute of silence: 8,000 samples of one byte a second. */
function silence(): Buffer {
  const samples = Buffer.alloc(30 * 8_000, 128);
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + samples.length, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(8_000, 24);
  header.writeUInt32LE(8_000, 28);
  header.writeUInt16LE(1, 32);
  header.writeUInt16LE(8, 34);
  header.write('data', 36);
  header.writeUInt32LE(samples.length, 40);
  return Buffer.concat([header, samples]);
}

async function attach(account: Account, path: string, bytes: Buffer): Promise<string> {
  const sent = { bytes: () => new Uint8Array(bytes), mtime: Date.now() / 1000 };
  return (await account.vault.putAttachment(path, sent)).id;
}

/** Opens an attachment from the tree. */
async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('treeitem', { name }).click();
  await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
}

/** Drops files of these names and texts on an element. */
async function drop(page: Page, target: string, files: Readonly<Record<string, string | Buffer>>): Promise<void> {
  const bytes = Object.entries(files).map(([name, content]) => [name, [...Buffer.from(content)]]);
  const dataTransfer = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    for (const [name, content] of ${JSON.stringify(bytes)}) data.items.add(new File([new Uint8Array(content)], name));
    return data;
  })()`);
  const row = page.getByRole('treeitem', { name: target });
  const { x, y, height } = (await row.boundingBox()) ?? { x: 0, y: 0, height: 0 };
  const event = { dataTransfer, clientX: x + 8, clientY: y + height / 2 };
  await row.dispatchEvent('dragover', event);
  await row.dispatchEvent('drop', event);
}

test('attachments open from the tree: pictures, texts, PDFs, and sound that seeks', async ({ page, alice }) => {
  await attach(alice, 'bed.png', Buffer.from(PIXEL, 'base64'));
  await attach(alice, 'plan.txt', Buffer.from('rows of beans <b>'));
  await attach(alice, 'form.pdf', Buffer.from(PDF));
  await attach(alice, 'birds.wav', silence());
  await attach(alice, 'tools.zip', Buffer.from('PK'));
  await page.goto(alice.page());
  await open(page, 'bed.png');
  const picture = page.getByRole('img', { name: 'bed.png' });
  await expect(picture).toHaveAttribute('src', /^\/media\//);
  await expect.poll(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(1);
  await expectAccessible(page);
  await open(page, 'plan.txt');
  await expect(page.getByText('rows of beans <b>')).toBeVisible();
  await open(page, 'form.pdf');
  await expect(page.getByText('Page 1 / 1')).toBeVisible();
  await expectAccessible(page);
  // Its text is over the picture of it, to be selected.
  await page.getByText('Rows of beans').dblclick({ position: { x: 10, y: 10 } });
  await expect.poll(() => page.evaluate('getSelection().toString().trim()')).toBe('Rows');
  await open(page, 'tools.zip');
  await expect(page.getByText('No browser can show this kind of file.')).toBeVisible();
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  expect((await downloading).suggestedFilename()).toBe('tools.zip');
  await open(page, 'birds.wav');
  const sound = page.locator('audio');
  await expect.poll(() => sound.evaluate((audio: { duration: number }) => audio.duration)).toBe(30);
  await sound.evaluate((audio: { currentTime: number; seeking: boolean }) => {
    audio.currentTime = 25;
  });
  await expect
    .poll(() =>
      sound.evaluate((audio: { currentTime: number; seeking: boolean }) => [audio.seeking, audio.currentTime]),
    )
    .toEqual([false, 25]);
});

test('a worker answers parts of files, and is gone after signing out', async ({ page, alice }) => {
  await attach(alice, 'birds.wav', silence());
  await page.goto(alice.page());
  await open(page, 'birds.wav');
  const address = await page.locator('audio').getAttribute('src');
  const answer = await page.evaluate(async (url) => {
    const part = await fetch(url ?? '', { headers: { range: 'bytes=0-3' } });
    return [part.status, part.headers.get('content-range'), await part.text()];
  }, address);
  expect(answer).toEqual([206, 'bytes 0-3/240044', 'RIFF']);
  // Nothing that would run comes from there, nor a page.
  const elsewhere = await page.context().newPage();
  expect((await elsewhere.goto(new URL(address ?? '', alice.url).href))?.status()).toBe(404);

  await page.getByRole('button', { name: /^Account/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await expect(page.getByRole('heading', { name: 'Welcome back' })).toBeVisible();
  const left = () => page.evaluate('navigator.serviceWorker.getRegistrations().then((all) => all.length)');
  await expect.poll(left).toBe(0);
});

test('where there is no worker, attachments are loaded by tickets', async ({ browser, server }) => {
  await using context = await browser.newContext({ serviceWorkers: 'block' });
  const alice = await signedIn(server, context);
  await attach(alice, 'bed.png', Buffer.from(PIXEL, 'base64'));
  const page = await context.newPage();
  await page.goto(alice.page());
  await open(page, 'bed.png');
  const picture = page.getByRole('img', { name: 'bed.png' });
  await expect(picture).toHaveAttribute('src', /^\/api\/tickets\//);
  await expect.poll(() => picture.evaluate((image: { naturalWidth: number }) => image.naturalWidth)).toBe(1);
});

test('files that are dropped on a folder of the tree are added there, notes as notes', async ({ page, alice }) => {
  const note = await alice.write('Garden/Beans.md', '![[plan.txt]]\n');
  await alice.vault.createFolder('Garden');
  await page.goto(alice.page(`/notes/${note.id}?panel=files`));
  await expect(page.getByText('The note contains no files.')).toBeVisible();
  const utf16 = Buffer.from('\ufeff# Erbsen, süß\n', 'utf16le');
  await drop(page, 'Garden', { 'plan.txt': 'rows', 'Beans.md': '# More beans\n', 'Peas.md': utf16 });
  await expect(page.getByText('3 files added')).toBeVisible();
  expect((await alice.vault.readNote('Garden/Beans 2.md'))?.content).toBe('# More beans\n');
  expect((await alice.vault.readNote('Garden/Peas.md'))?.content).toBe('# Erbsen, süß\n');
  await drop(page, 'Garden', { 'Latin.md': Buffer.from('süß', 'latin1') });
  await expect(page.getByText(/Latin\.md.*A note must be in UTF-8/)).toBeVisible();
  await expect(
    page.getByRole('complementary', { name: 'Files' }).getByRole('link', { name: /^plan\.txt/ }),
  ).toBeVisible();
  await expectAccessible(page);
});
