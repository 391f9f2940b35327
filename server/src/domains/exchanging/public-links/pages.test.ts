import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import { TaskLimitError } from '../../../concurrency/worker-pool.ts';
import { PUBLIC_FILES } from '../../../config/limits.ts';
import type { RawRequest } from '../../../http/pages/raw-routes.ts';
import { publicPagesRoutes } from './pages.routes.ts';
import { PublicPages } from './pages.ts';
import type { OpenLink, PublicLinks } from './public-links.ts';

/** Pages over stand-ins of the domains: a folder with some notes, whose rendering ends with an error by default. */
function pagesOver(count: number, other: object = {}) {
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
    publicUrl: 'https://notes.example',
    ...other,
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
  const { html } = await pagesOver(1, { publicUrl: 'https://notes.example/notes' }).open(FOLDER, 'token', null, 'en');
  assert.match(html, /<a href="\/notes\/s\/token\/n\/0"/);
});

test('a public page says that its note takes too long to render, without anything of the note', async () => {
  const { html, status } = await pagesOver(0).open(NOTE, 'token', null, 'en');
  assert.equal(status, 422);
  assert.match(html, /<h1>This note cannot be shown<\/h1>/);
  assert.doesNotMatch(html, /canary/);
});

test('requests that wait for the same public page share it, and see what was written before them', async () => {
  let content = 'first';
  let runs = 0;
  const pages = pagesOver(0, {
    notes: { getById: async () => ({ id: '1', path: 'Site/1.md', title: '', content, links: [] }) },
    compute: {
      run: async (_: string, __: string, { source }: { source: string }) => ({
        output: { html: source, words: `${runs++}` },
      }),
    },
  });
  const open = () => pages.open(NOTE, 'token', null, 'en');
  const first = open();
  content = 'second';
  const later = await Promise.all([open(), open(), open()]);
  assert.match((await first).html, /first/);
  for (const { html } of later) assert.match(html, /second/);
  assert.equal(runs, 2);
});

test('a network that leaves public files unread is refused more of them, and others are served', async () => {
  const attachment = { content_hash: '', size_bytes: 1, mime_type: 'image/png', path: 'a.png' };
  const pages = { file: async () => ({ attachment, bytes: async () => [Buffer.alloc(1)] }) } as unknown as PublicPages;
  const route = publicPagesRoutes({} as PublicLinks, pages).find(({ path }) => path === '/s/:token/files/:file');
  /** Begins to send a file; resolves to a function that ends the answer. */
  const begin = async (ip: string) => {
    const response = Object.assign(new EventEmitter(), { destroyed: false });
    const request = { ip, params: {}, query: {}, header: () => null, browser: { response } };
    const answer = await route?.handle(request as unknown as RawRequest);
    assert.ok(answer !== undefined && 'reply' in answer);
    await answer.reply.bytes?.open();
    return () => response.emit('close');
  };
  const begun = await Promise.all(Array.from({ length: PUBLIC_FILES.unitsPerTenant }, () => begin('192.0.2.1')));
  await assert.rejects(begin('192.0.2.1'), { code: 'unavailable' });
  await begin('192.0.2.2');
  begun[0]?.();
  await begin('192.0.2.1');
});
