import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TaskLimitError } from '../../../concurrency/worker-pool.ts';
import { PublicPages } from './pages.ts';
import type { OpenLink } from './public-links.ts';

/** Pages over stand-ins of the domains: a folder with some notes, whose rendering ends with an error. */
function pagesOver(count: number, publicUrl = 'https://notes.example') {
  const sorted = Array.from({ length: count }, (_, at) => ({ id: `${at}`, path: `Site/${at}`, title: `Note ${at}` }));
  sorted.sort((a, b) => (a.path < b.path ? -1 : 1));
  const deps = {
    links: { used: async () => undefined, gate: { fileSigner: async () => () => 'signature' } },
    notes: { getById: async () => ({ id: '1', path: 'Site/1.md', title: 'canary', content: 'canary', links: [] }) },
    folders: { entry: async () => ({ path: 'Site' }) },
    cache: {
      snapshot: async (_vault: unknown, read: (snapshot: object) => unknown) =>
        read({ rows: async () => ({ sorted: async () => sorted }) }),
    },
    compute: {
      async run() {
        throw new TaskLimitError('time');
      },
    },
    publicUrl,
  };
  return new PublicPages(deps as unknown as ConstructorParameters<typeof PublicPages>[0]);
}

const FOLDER = { folder_id: 'folder', note_id: null, vault: {} } as unknown as OpenLink;
const NOTE = { folder_id: null, note_id: 'note', vault: {} } as unknown as OpenLink;

test('the public page of a folder lists 2,000 notes, and says so when there are more', async () => {
  const whole = await pagesOver(2_000).open(FOLDER, 'token', null, 'en');
  assert.doesNotMatch(whole.html, /Only the first/);
  const cut = await pagesOver(2_001).open(FOLDER, 'token', null, 'en');
  assert.match(cut.html, /<p class="soft" lang="en">Only the first 2,000 notes are listed\.<\/p>/);
  for (const { html } of [whole, cut]) assert.equal(html.split('/n/').length - 1, 2_000);
  assert.match((await pagesOver(2_001).open(FOLDER, 'token', null, 'de')).html, /Nur die ersten 2\.000 Notizen/);
});

test('the public page of a folder links below the path of the public URL', async () => {
  const { html } = await pagesOver(1, 'https://notes.example/notes').open(FOLDER, 'token', null, 'en');
  assert.match(html, /<a href="\/notes\/s\/token\/n\/0"/);
});

test('a public page says that its note takes too long to render, without anything of the note', async () => {
  const { html, status } = await pagesOver(0).open(NOTE, 'token', null, 'en');
  assert.equal(status, 422);
  assert.match(html, /<h1>This note cannot be shown<\/h1>/);
  assert.doesNotMatch(html, /canary/);
});
