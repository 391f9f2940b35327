import assert from 'node:assert/strict';
import { allTools } from '@notevault/mcp/all-tools.ts';
import { tokensOf } from '@notevault/mcp/text/tokens.ts';
import { Assistant } from '../kit/clients/mcp.ts';
import { startServer, type TestServerOptions } from '../kit/server.ts';

const TOKENS_MAX = 8_000;
const NOTES = 50;
/** A file name of 255 bytes, of characters that are a token each. */
const nameOf = (word: string) => `${word} ${'長'.repeat(82 - Math.ceil(word.length / 3))}.md`.slice(-255);
/** A folder whose notes have paths of almost 4,096 bytes, each sign of which counts more than a letter. */
const DEEP = Array.from({ length: 15 }, (_, level) => `${level}${'(+)'.repeat(83)}`).join('/');
const HUB = 'hub.md';

function noteOf(folder: number, index: number) {
  const path = folder === 0 ? `${DEEP}/${index}.md` : `Folder ${folder}/${nameOf(`${folder} ${index}`)}`;
  const content = [
    `---\ntitle: ${JSON.stringify(`"Title" ${'<&>'.repeat(300)}`)}\nstatus: ${JSON.stringify('|{}'.repeat(330))}\n---`,
    `# ${'#!$'.repeat(200)}`,
    `- [ ] task ${index} ${'%&/'.repeat(330)}`,
    `[[hub|${'alias ()'.repeat(100)}]] [[absent ${folder} ${index} ${'[{}'.repeat(60)}]] #tag${folder}x${index}`,
  ].join('\n');
  return { path, content, mtime: 1 };
}

async function largeVault(open: TestServerOptions['open'], folders: number) {
  const server = await startServer({ open, config: { mcpWritesPerMinute: 0 } });
  const { alice } = server;
  const vault = (await alice.post('/vaults', { name: 'Large' })).body.vault.id;
  const batch = (notes: object[], key: string) => alice.post('/notes/batch', { notes }, { 'x-idempotency-key': key });
  const links = Array.from({ length: 300 }, (_, at) => `[[${nameOf(`1 ${at}`).slice(0, -3)}]]`).join(' ');
  const headings = Array.from({ length: 500 }, (_, at) => `## Same\n\n${'"\\'.repeat(40)} ${at}\n`).join('\n');
  await alice.post('/notes', { path: HUB, content: `${links}\n\n${headings}`, mtime: 1 });
  for (let folder = 0; folder < folders; folder++) {
    await batch(
      Array.from({ length: NOTES }, (_, index) => noteOf(folder, index)),
      `f${folder}`,
    );
  }
  const file = btoa('{"a":[1,2]}'.repeat(1_700));
  await alice.post('/attachments', { path: 'file.txt', content_base64: file, mtime: 1 });
  const listed = (await alice.get('/notes/recent?limit=100')).body.notes as { id: string; path: string }[];
  const { key } = (await alice.post('/api-keys', { name: 'k' })).body;
  return { server, vault, key, ids: listed.map(({ id }) => id) };
}

const deep = (count: number) => Array.from({ length: count }, (_, index) => `${DEEP}/${index}.md`);

/** Calls with the largest answers, by tool; a list is read for some pages. */
const CALLS: Readonly<Record<string, readonly Record<string, unknown>[]>> = {
  list_vaults: [{}],
  search_notes: [{ query: 'task', mode: 'keyword', limit: 50 }],
  query_notes: [
    { columns: ['status', 'file.tags', 'title'], limit: 500 },
    { where: [{ property: 'status', op: 'exists' }], sort: [{ by: 'status' }], folder: DEEP, limit: 500 },
  ],
  list_folder: [{ path: 'Folder 1' }, { path: DEEP }],
  recent_notes: [{ limit: 100 }],
  list_tags: [{}],
  get_notes: [
    { paths: deep(20), links: true, backlinks: true },
    { paths: [HUB], links: true, backlinks: true },
    { paths: [HUB], view: 'outline' },
    { paths: [HUB], section: 'Same' },
    { paths: deep(20).map((path) => `${path}x`) },
    { paths: [`${DEEP}/none.md`] },
  ],
  get_backlinks: [{ path: HUB }],
  list_links: [{ path: HUB }, { dangling: true }],
  recent_changes: [{ limit: 50 }, { path: HUB, limit: 50 }],
  undo_change: [],
  get_history: [{ path: HUB }, { path: HUB, version: 1 }],
  list_tasks: [{}, { state: 'all', folder: DEEP }],
  list_trash: [{}],
  create_note: [{ path: `${DEEP}/made.md`, content: 'x' }],
  append_to_note: [{ path: HUB, text: '(){}[]<>'.repeat(4_000) }],
  edit_note: [
    { path: HUB, edits: [{ op: 'replace_text', old_text: '"\\', new_text: '+', expected_replacements: 20_000 }] },
    { path: HUB, edits: [{ op: 'append', heading: 'Same', text: 'x' }] },
    { path: HUB, edits: [{ op: 'replace_text', old_text: '"\\', new_text: '+' }], [`${'x('.repeat(9_000)}`]: 1 },
  ],
  set_property: [{ paths: deep(40), key: 'status', value: 1, expected: 0, dry_run: true }],
  tag_notes: [{ paths: deep(40), add: ['new'] }],
  set_task: [{ path: `${DEEP}/5.md`, line: 1, text: 'no task', state: 'done' }],
  rename_note: [{ path: HUB, new_path: `${DEEP}/hub.md`, dry_run: true }],
  move_notes: [{ paths: deep(40), folder: 'Folder 1', dry_run: true }],
  delete_note: [{ path: `${DEEP}/49.md` }],
  restore_note: [{ path: `${DEEP}/49.md` }],
  create_folder: [{ path: `${DEEP}/made` }],
  rename_folder: [{ path: 'Folder 1', new_path: 'Folder one', dry_run: true }],
  get_attachment: [{ path: 'file.txt' }],
  get_attachment_upload_target: [{ path: `${DEEP}/new.png` }],
  search: [{ query: 'task' }],
  fetch: [],
};
const PAGES = 3;

/**
 * Calls every tool with input that gives large answers, in a vault of so many folders of 50 notes with long names, one of
 * them deep. Throws if an answer is too large, or the page of a list does not say how to go on.
 */
export async function checkAnswerSizes(open: TestServerOptions['open'], folders: number): Promise<void> {
  const { server, vault, key, ids } = await largeVault(open, folders);
  await using _ = server;
  await using assistant = await Assistant.connect(server, key);
  assert.deepEqual(Object.keys(CALLS).sort(), allTools.map(({ name }) => name).sort());
  const call = async (name: string, input: Record<string, unknown>) => {
    const result = await assistant.call(name, input);
    const tokens = tokensOf(result.text);
    assert.ok(tokens <= TOKENS_MAX, `${name} ${JSON.stringify(input).slice(0, 200)}: ${tokens} tokens`);
    return result;
  };
  for (const [name, inputs] of Object.entries(CALLS)) {
    for (const input of inputs) {
      const where = ['list_vaults', 'search', 'fetch'].includes(name) ? {} : { vault };
      let { data, text } = await call(name, { ...where, ...input });
      for (let page = 1; page < PAGES && /^(list|query|recent|search)_/.test(name) && data.cursor != null; page++) {
        assert.ok(text.trimEnd().endsWith(`cursor "${data.cursor}".`), `${name}: ${text.slice(-300)}`);
        ({ data, text } = await call(name, { ...where, ...input, cursor: data.cursor }));
        assert.doesNotMatch(text, /were left out/, name);
      }
    }
  }
  await call('get_notes', { vault, ids: ids.slice(0, 20), view: 'frontmatter', links: true });
  await call('tag_notes', { vault, ids, add: ['later'], dry_run: true });
  const { results } = JSON.parse((await call('search', { query: 'task' })).text) as { results: { id: string }[] };
  for (const { id } of results.slice(0, 3)) assert.equal((await call('fetch', { id })).isError, false, id);
  const { items } = (await call('recent_changes', { vault, limit: 1 })).data;
  await call('undo_change', { vault, item: items[0].id, dry_run: true });
  await call('fetch', { id: `notevault://${vault}/${HUB}` });
}
