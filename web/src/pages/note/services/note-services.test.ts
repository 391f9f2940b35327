import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@notevault/client/transport.ts';
import type { LinkTarget } from '@notevault/note-html/links/destination.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import type { VaultTree } from '@notevault/protocol/sync.ts';
import { QueryClient } from '@tanstack/react-query';
import { keys } from '../../../data/keys.ts';
import type { UploadResult } from '../../../device/outbox/files.ts';
import type { EditorStrings } from '../../../editor/index.ts';
import { type NoteServer, NoteServices } from './note-services.ts';

const VAULT = 'v';
const at = '2026-01-01T00:00:00.000Z';
const contents: Readonly<Record<string, string>> = {
  'Garden/Beans.md': '---\ntags: [veg]\n---\n# Sowing\n\nIn May. ^when\n\n# Harvest\n\nIn August.\n',
  'Garden/Soil.md': 'See [[Beans]].',
  'A.md': '',
};

function treeOf(paths: readonly string[], files: readonly string[] = ['Garden/Attachments/bean.png']): VaultTree {
  return {
    change_seq: 1,
    folders: [],
    notes: paths.map((path) => ({ id: path, path, created_at: at, updated_at: at })),
    attachments: files.map((path) => {
      return { id: path, path, size_bytes: 1, mtime: 0, updated_at: at, mime_type: 'image/png' };
    }),
  };
}

function noteAt(path: string, content: string): Note {
  return {
    id: path,
    path,
    content,
    content_hash: '',
    title: path.replace(/^.*\/|\.md$/g, ''),
    folder: '',
    tags: [],
    mtime: 0,
    created_at: at,
    updated_at: at,
    version: 1,
    seq: 1,
    description: null,
    fm_created: null,
    fm_timestamp: null,
    resource: null,
    type: null,
    parse_status: 'ok',
    links: [],
  };
}

/** A vault in memory, and what the app was asked to do. */
class FakeApp implements NoteServer {
  readonly queries = new QueryClient();
  readonly opened: unknown[] = [];
  readonly errors: unknown[] = [];
  readonly made: string[] = [];
  readonly changed: unknown[] = [];
  onUpload = (): Promise<ApiError | null> => Promise.resolve(null);

  async tree(): Promise<VaultTree> {
    return this.queries.ensureQueryData({
      queryKey: keys.tree(VAULT),
      queryFn: () => treeOf(Object.keys(contents)),
      staleTime: Number.POSITIVE_INFINITY,
    });
  }
  tags = async () => ['veg', 'garden/veg', 'soil'].map((name) => ({ name, count: 1 }));
  note = async (id: string) => (contents[id] === undefined ? null : noteAt(id, contents[id]));
  change = async (id: string, edit: (text: string) => string | null): Promise<void> => {
    this.changed.push([id, edit(contents[id] ?? '')]);
  };
  attachmentUrl = async (path: string) => `/media/${path}`;
  async makeNote(path: string): Promise<string> {
    this.made.push(path);
    if (path === 'Garden/Refused.md') throw new Error('refused');
    return path;
  }
  async upload(_path: string, file: File, onProgress: (sent: number) => void): Promise<UploadResult> {
    onProgress(file.size);
    const delay = await this.onUpload();
    return { isStored: delay === null, delay };
  }

  services(noteId = 'Garden/Soil.md'): NoteServices {
    return new NoteServices({
      vault: VAULT,
      noteId,
      server: this,
      queries: this.queries,
      strings: {} as EditorStrings,
      openNote: (...what) => void this.opened.push(['note', ...what]),
      openFile: (...what) => void this.opened.push(['file', ...what]),
      reportError: (error) => void this.errors.push(error),
      reportDelay: (...what) => void this.errors.push(what),
      reasonOf: String,
      openTemplates: () => undefined,
    });
  }
}

function link(target: string, anchor: string | null = null): LinkTarget {
  return { target, anchor, form: 'wikilink' };
}

/** Waits until the services are idle: they wait for nothing but promises. */
async function runTasks(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const never = new AbortController().signal;
const ignore = () => {};

test('the status of a link is unknown before the tree is read, and then live or dangling', async () => {
  const app = new FakeApp();
  const { links } = app.services();
  assert.equal(links.status(link('Beans')), 'unknown');
  await app.tree();
  assert.deepEqual(
    ['Beans', 'Attachments/bean.png', 'Nothing'].map((target) => links.status(link(target))),
    ['live', 'live', 'dangling'],
  );
});

test('a link that the server resolves by an alias the tree does not have yet is live', async () => {
  const app = new FakeApp();
  await app.tree();
  const resolved = { link_type: 'wikilink', dangling: false, alias: null, anchor: null, target_attachment_id: null };
  app.queries.setQueryData(keys.note(VAULT, 'Garden/Soil.md'), {
    ...noteAt('Garden/Soil.md', ''),
    links: [{ ...resolved, target_text: 'Legumes', target_note_id: 'Garden/Beans.md', target_path: 'Garden/Beans.md' }],
  });
  const { links } = app.services();
  assert.equal(links.status(link('Legumes')), 'live');
  links.open(link('Legumes'), { newTab: false });
  assert.deepEqual(app.opened, [['note', 'Garden/Beans.md', null, false]]);
});

test('a link opens its note at its anchor, or the page of its attachment', async () => {
  const app = new FakeApp();
  await app.tree();
  const { links } = app.services();
  links.open(link('Beans', 'Harvest'), { newTab: true });
  links.open(link('bean.png'), { newTab: false });
  links.open(link('', 'Part'), { newTab: false });
  assert.deepEqual(app.opened, [
    ['note', 'Garden/Beans.md', 'Harvest', true],
    ['file', 'Garden/Attachments/bean.png', false],
    ['note', 'Garden/Soil.md', 'Part', false],
  ]);
});

test('a dangling link makes its note beside the note with the link, wherever that is by now, and opens it', async () => {
  const app = new FakeApp();
  const services = app.services('A.md');
  app.queries.setQueryData(keys.tree(VAULT), { ...treeOf([]), notes: [] });
  app.queries.setQueryData(keys.note(VAULT, 'A.md'), noteAt('Garden/A.md', ''));
  services.links.open(link('Peas'), { newTab: false });
  await runTasks();
  const moved = { id: 'A.md', path: 'Archive/A.md', created_at: at, updated_at: at };
  app.queries.setQueryData(keys.tree(VAULT), { ...treeOf([]), notes: [moved] });
  services.links.open(link('Leeks'), { newTab: false });
  await runTasks();
  assert.deepEqual(app.made, ['Garden/Peas.md', 'Archive/Leeks.md']);
  assert.deepEqual(
    app.opened.map((one) => (one as unknown[])[1]),
    app.made,
  );
});

test('a note that cannot be made is reported, and nothing is opened', async () => {
  const app = new FakeApp();
  await app.tree();
  app.services().links.open(link('Refused'), { newTab: false });
  await runTasks();
  assert.deepEqual([app.errors.length, app.opened], [1, []]);
});

test('the listener of links is called for the tree and the note alone, until it is removed', async () => {
  const app = new FakeApp();
  let calls = 0;
  const remove = app.services().links.onChange(() => {
    calls += 1;
  });
  app.queries.setQueryData(keys.tree(VAULT), treeOf([]));
  app.queries.setQueryData(keys.note(VAULT, 'Garden/Soil.md'), noteAt('Garden/Soil.md', ''));
  await runTasks();
  assert.equal(calls, 2);
  app.queries.setQueryData(keys.note(VAULT, 'A.md'), noteAt('A.md', ''));
  app.queries.setQueryData(keys.tags(VAULT), []);
  await runTasks();
  assert.equal(calls, 2);
  remove();
  app.queries.setQueryData(keys.tree(VAULT), treeOf(['A.md']));
  await runTasks();
  assert.equal(calls, 2);
});

test('completions: notes once the tree is known, the text of a target, tags with what was typed', async () => {
  const app = new FakeApp();
  const { completions } = app.services();
  assert.deepEqual(await completions.notes('bea', never), []);
  assert.deepEqual(await completions.note(' Beans ', never), { text: contents['Garden/Beans.md'], isThis: false });
  assert.equal((await completions.note('', never))?.isThis, true);
  assert.equal(await completions.note('Nothing', never), null);
  assert.deepEqual(
    (await completions.notes('bea', never)).map(({ insert }) => insert),
    ['Beans'],
  );
  assert.deepEqual(await completions.tags('VEG', never), ['veg', 'garden/veg']);
});

test('a change of another note is written, and one that fails is reported', async () => {
  const app = new FakeApp();
  const { completions } = app.services();
  assert.equal(await completions.change('Beans', (text) => `${text}more`), true);
  assert.deepEqual(app.changed, [['Garden/Beans.md', `${contents['Garden/Beans.md']}more`]]);
  assert.equal(await completions.change('Nothing', () => 'x'), false);
  app.change = () => Promise.reject(new Error('offline'));
  assert.equal(await completions.change('Beans', () => 'x'), false);
  assert.match(String(app.errors), /offline/);
});

test('an excerpt is the part that a link names; a file, a dangling link and a missing heading have none', async () => {
  const { content } = new FakeApp().services();
  assert.deepEqual(await content.excerpt(link('Beans', 'Harvest'), never), {
    title: 'Beans',
    text: '# Harvest\n\nIn August.',
  });
  for (const none of [link('Beans', 'Nothing'), link('bean.png'), link('Nothing')]) {
    assert.equal(await content.excerpt(none, never), null);
  }
});

test('media have an address if the path names an attachment', async () => {
  const app = new FakeApp();
  await app.tree();
  const { content } = app.services();
  assert.equal(await content.mediaUrl('Attachments/bean.png'), '/media/Garden/Attachments/bean.png');
  assert.equal(await content.mediaUrl('Beans.md'), null);
  assert.equal(await content.mediaUrl('none.png'), null);
});

test('an upload takes a free path beside the note, reports its progress and has the tree read again', async () => {
  const app = new FakeApp();
  await app.tree();
  const { content } = app.services();
  const progress: unknown[] = [];
  const path = await content.upload(new File(['123'], 'Bean.png'), (now) => progress.push(now), never);
  assert.equal(path, 'Garden/Attachments/Bean 2.png');
  assert.deepEqual(progress, [{ sent: 3, total: 3 }]);
  assert.equal(app.queries.getQueryState(keys.tree(VAULT))?.isInvalidated, true);
});

test('uploads of one name at the same time take different paths', async () => {
  const app = new FakeApp();
  await app.tree();
  const { content } = app.services();
  const paths = await Promise.all(
    ['image.png', 'Image.png'].map((name) => content.upload(new File(['1'], name), ignore, never)),
  );
  assert.deepEqual(paths, ['Garden/Attachments/image.png', 'Garden/Attachments/Image 2.png']);
});

test('an upload that the server has no room for is linked, and says why it waits', async () => {
  const app = new FakeApp();
  await app.tree();
  const { content } = app.services();
  const full = new ApiError(503, { error: 'storage_full' }, null);
  app.onUpload = async () => full;
  assert.equal(await content.upload(new File(['1'], 'new.png'), ignore, never), 'Garden/Attachments/new.png');
  assert.deepEqual(app.errors, [['new.png', full]]);
});

test('an upload that fails says so, and its path is free again', async () => {
  const app = new FakeApp();
  await app.tree();
  const { content } = app.services();
  app.onUpload = () => Promise.reject(new Error('refused'));
  await assert.rejects(content.upload(new File(['1'], 'new.png'), ignore, never), /refused/);
  assert.equal(app.queries.getQueryState(keys.tree(VAULT))?.isInvalidated, false);
  app.onUpload = () => Promise.resolve(null);
  assert.equal(await content.upload(new File(['1'], 'new.png'), ignore, never), 'Garden/Attachments/new.png');
});
