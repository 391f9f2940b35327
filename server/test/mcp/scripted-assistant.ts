import assert from 'node:assert/strict';
import { sectionsOf } from '@notevault/mcp/edits/sections.ts';
import { Assistant, type ToolResult } from '../kit/clients/mcp.ts';
import { YjsClient } from '../kit/clients/yjs-client.ts';
import { handWritten } from '../kit/content/test-vault.ts';
import type { Caller } from '../kit/person.ts';
import { Random } from '../kit/random.ts';
import { startServer, type TestServer, type TestServerOptions } from '../kit/server.ts';

/*
 * An assistant without a model: it does what good assistants do, with the mistakes that they make (stale hashes,
 * ambiguous headings), beside people who write in the same notes. After each task the vault must have exactly the
 * texts that follow from the answers: nothing is lost, and no answer claims a success that did not happen.
 */

export interface Report {
  /** Tasks done, by kind. */
  readonly done: Readonly<Record<string, number>>;
  /** Tokens of calls and answers. */
  readonly characters: number;
  /** Tokens of the largest answer. */
  readonly largest: number;
}

interface World {
  readonly server: TestServer;
  readonly vault: string;
  readonly rest: Caller;
  readonly assistant: Assistant;
  readonly random: Random;
  /** The texts that the vault must have. */
  readonly texts: Map<string, string>;
  characters: number;
  largest: number;
}

const LONG = Array.from({ length: 800 }, (_, line) => `Line ${line} of a long note that is read in pieces.`).join('\n');

/** Notes in three languages. */
const ownNotes = () => [...handWritten('en'), ...handWritten('de'), ...handWritten('ja')];

/** Does a number of tasks drawn from a seed over notes, by path. Throws at the first fault. */
export async function assistantRun(
  open: TestServerOptions['open'],
  seed: number,
  tasks: number,
  given: Iterable<readonly [path: string, text: string]> = ownNotes(),
): Promise<Report> {
  await using server = await startServer({ open, config: { mcpWritesPerMinute: 0 } });
  const vault = (await server.alice.post('/vaults', { name: 'Home' })).body.vault.id;
  const { key } = (await server.alice.post('/api-keys', { name: 'assistant' })).body;
  const rest = server.bearer(key);
  const texts = new Map([...given, ['Long.md', LONG] as const]);
  const notes = [...texts].map(([path, content]) => ({ path, content, mtime: 1 }));
  for (let at = 0; at < notes.length; at += 100) {
    await rest.post('/notes/batch', { notes: notes.slice(at, at + 100) }, { 'x-idempotency-key': `fill-${at}` });
  }
  await using assistant = await Assistant.connect(server, key);
  const world: World = { server, vault, rest, assistant, random: new Random(seed), texts, characters: 0, largest: 0 };
  const done: Record<string, number> = {};
  for (let task = 0; task < tasks; task++) {
    const kind = world.random.pick(Object.keys(KINDS));
    try {
      await KINDS[kind]?.(world, `task ${task}`);
      await checkAll(world, task % 50 === 49 || task === tasks - 1);
    } catch (error) {
      throw new Error(`seed ${seed}, task ${task} (${kind}) failed`, { cause: error });
    }
    done[kind] = (done[kind] ?? 0) + 1;
  }
  return { done, characters: world.characters, largest: world.largest };
}

const KINDS: Readonly<Record<string, (world: World, word: string) => Promise<void>>> = {
  find,
  readSection,
  readLong,
  replaceLine,
  appendToSection,
  rename,
  link,
  undo,
  trash,
  staleHash,
  ambiguousHeading,
  besideTyping,
};

async function call(world: World, name: string, input: Record<string, unknown>): Promise<ToolResult> {
  const result = await world.assistant.call(name, input);
  world.characters += result.text.length + JSON.stringify(input).length;
  world.largest = Math.max(world.largest, result.text.length);
  return result;
}

async function succeeds(world: World, name: string, input: Record<string, unknown>): Promise<ToolResult> {
  const result = await call(world, name, input);
  assert.equal(result.isError, false, result.text);
  return result;
}

async function textOf({ rest }: World, path: string): Promise<string | undefined> {
  return (await rest.get(`/notes/${path.split('/').map(encodeURIComponent).join('/')}`)).body.content;
}

/** Compares every text of the vault, or only those that were written last, with what it must be. */
async function checkAll(world: World, whole: boolean): Promise<void> {
  const recent = (await world.rest.get('/notes/recent?limit=5')).body.notes as { path: string }[];
  const paths = whole ? [...world.texts.keys()] : recent.map(({ path }) => path);
  for (const path of paths) assert.equal(await textOf(world, path), world.texts.get(path), path);
  if (whole) assert.equal((await world.rest.get('/vault/tree')).body.notes.length, world.texts.size);
}

function anyNote({ random, texts }: World, fits: (content: string, path: string) => boolean = () => true): string {
  const paths = [...texts].filter(([path, content]) => path !== 'Long.md' && fits(content, path)).map(([path]) => path);
  return random.pick(paths);
}

const sections = (content: string) => sectionsOf(content).filter(({ path }) => !/\[\d+\]$/.test(path));

async function hashOf(world: World, path: string): Promise<string> {
  return (await succeeds(world, 'get_notes', { paths: [path], view: 'frontmatter' })).data.notes[0].hash;
}

async function find(world: World): Promise<void> {
  const path = anyNote(world, (content) => /[A-Za-z]{7,}/.test(content));
  const words = (world.texts.get(path) ?? '').match(/[A-Za-z]{7,}/g) ?? [];
  const query = `${world.random.pick(words)} ${world.random.pick(words)} path:"${path.split('/').at(-1)}"`;
  const { results } = (await succeeds(world, 'search_notes', { query, mode: 'keyword' })).data;
  assert.ok(
    results.some((result: { path: string }) => result.path === path),
    `${query} does not find ${path}`,
  );
}

async function readSection(world: World): Promise<void> {
  const path = anyNote(world, (content) => sections(content).length > 1);
  const content = world.texts.get(path) ?? '';
  const { text } = await succeeds(world, 'get_notes', { paths: [path], view: 'outline' });
  const section = world.random.pick(sections(content));
  assert.ok(text.includes(section.heading), text);
  const [note] = (await succeeds(world, 'get_notes', { paths: [path], section: section.path })).data.notes;
  assert.deepEqual([note.section, note.complete], [content.slice(section.start, section.end), true]);
}

async function readLong(world: World): Promise<void> {
  let read = '';
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const input = { paths: ['Long.md'], ...(cursor === undefined ? {} : { cursor }) };
    const [note] = (await succeeds(world, 'get_notes', input)).data.notes;
    assert.equal(note.complete, false);
    read += note.content;
    cursor = note.cursor;
  }
  assert.equal(read, world.texts.get('Long.md'));
}

/** A line that occurs once in a note. */
function uniqueLine({ random }: World, content: string): string | undefined {
  const lines = content.split('\n').filter((line) => line.length > 12 && !line.includes('['));
  const unique = lines.filter((line) => content.split(line).length === 2);
  return unique.length === 0 ? undefined : random.pick(unique);
}

async function replaceLine(world: World, word: string): Promise<void> {
  const path = anyNote(world, (content) => uniqueLine(world, content) !== undefined);
  const content = world.texts.get(path) ?? '';
  const old = uniqueLine(world, content) ?? '';
  const dry = { path, edits: [{ op: 'replace_text', old_text: old, new_text: `${word} $& replaced` }], dry_run: true };
  assert.equal((await succeeds(world, 'edit_note', dry)).data.changed, false);
  assert.equal(await textOf(world, path), content);
  const { data } = await succeeds(world, 'edit_note', { ...dry, dry_run: false });
  world.texts.set(
    path,
    content.replace(old, () => `${word} $& replaced`),
  );
  assert.equal(data.size_after, Buffer.byteLength(world.texts.get(path) ?? ''));
}

async function appendToSection(world: World, word: string): Promise<void> {
  const path = anyNote(world, (content) => sections(content).length > 0);
  const content = world.texts.get(path) ?? '';
  const { path: heading, start, end } = world.random.pick(sections(content));
  await succeeds(world, 'append_to_note', { path, heading, text: `${word} appended` });
  const now = (await textOf(world, path)) ?? '';
  const at = now.indexOf(`${word} appended`);
  assert.ok(at > start && at <= end + 2, 'the text is in its section');
  assert.equal(now.replace(`${word} appended`, '').replace(/\n+/g, '\n').trim(), content.replace(/\n+/g, '\n').trim());
  world.texts.set(path, now);
}

async function rename(world: World, word: string): Promise<void> {
  const path = anyNote(world, (_, each) => !each.startsWith('Moved/'));
  const content = world.texts.get(path) ?? '';
  const before = (await succeeds(world, 'get_backlinks', { path })).data.backlinks as { path: string }[];
  const target = `Moved/${word} ${path.split('/').at(-1)}`;
  await succeeds(world, 'rename_note', { path, new_path: target });
  world.texts.delete(path);
  world.texts.set(target, content);
  const after = (await succeeds(world, 'get_backlinks', { path: target })).data.backlinks as unknown[];
  assert.equal(after.length, before.length);
  // Only their links may have changed, and those of the note itself, which lead from another folder now.
  for (const source of [...new Set(before.map((each) => each.path)), target]) {
    const at = source === path ? target : source;
    const [was, now] = [world.texts.get(at) ?? '', (await textOf(world, at)) ?? ''];
    assert.equal(withoutLinks(now), withoutLinks(was), at);
    world.texts.set(at, now);
  }
}

function withoutLinks(text: string): string {
  return text
    .replace(/\[\[[^\]|#]*/g, '[[')
    .replace(/\]\([^)]*\)/g, ']()')
    .replace(/\|[^\]]*\]\]/g, ']]');
}

async function link(world: World, word: string): Promise<void> {
  const [from, to] = [anyNote(world), anyNote(world)];
  await succeeds(world, 'append_to_note', { path: from, text: `${word} [[${to.replace(/\.md$/, '')}]]` });
  const links = (await succeeds(world, 'get_backlinks', { path: to })).data.backlinks as { path: string }[];
  assert.ok(from === to || links.some(({ path }) => path === from), `${from} links to ${to}`);
  world.texts.set(from, appended(world.texts.get(from) ?? '', `${word} [[${to.replace(/\.md$/, '')}]]`));
}

function appended(content: string, text: string): string {
  const newline = content.includes('\r\n') ? '\r\n' : '\n';
  return `${content.replace(/[\r\n]+$/, '')}${newline}${text}${newline}`;
}

async function undo(world: World, word: string): Promise<void> {
  const path = anyNote(world);
  const content = world.texts.get(path) ?? '';
  const base_hash = await hashOf(world, path);
  const edits = [{ op: 'set_property', key: 'touched', value: word }];
  const changed = await call(world, 'edit_note', { path, edits, base_hash });
  if (changed.isError) {
    // A frontmatter that is no mapping is left alone.
    assert.equal(await textOf(world, path), content);
    return;
  }
  assert.match((await textOf(world, path)) ?? '', new RegExp(`touched: "?${word}"?`));
  await succeeds(world, 'restore_note', { path, version: changed.data.version_before });
  assert.equal(await textOf(world, path), content);
}

async function trash(world: World): Promise<void> {
  const path = anyNote(world);
  const { id } = (await succeeds(world, 'delete_note', { path })).data;
  assert.equal(await textOf(world, path), undefined);
  assert.equal((await call(world, 'get_notes', { paths: [path] })).isError, true);
  await succeeds(world, 'restore_note', { id });
}

async function staleHash(world: World, word: string): Promise<void> {
  const path = anyNote(world, (content) => !content.includes('\r'));
  const base_hash = await hashOf(world, path);
  const theirs = appended(world.texts.get(path) ?? '', `${word} by a person`);
  await world.rest.post('/notes', { path, content: theirs, mtime: 2 });
  world.texts.set(path, theirs);
  const edits = [{ op: 'append', text: `${word} by the assistant` }];
  const refused = await call(world, 'edit_note', { path, edits, base_hash });
  assert.deepEqual([refused.isError, await textOf(world, path)], [true, theirs]);
  assert.ok(refused.text.includes(`+${word} by a person`), refused.text);
  const current = /Its hash is now ([0-9a-f]{64})/.exec(refused.text)?.[1];
  await succeeds(world, 'edit_note', { path, edits, base_hash: current });
  world.texts.set(path, appended(theirs, `${word} by the assistant`));
}

async function ambiguousHeading(world: World, word: string): Promise<void> {
  const path = `Logs/${word}.md`;
  const content = '# Log\n\n## Day\n\none\n\n## Day\n\ntwo\n';
  await succeeds(world, 'create_note', { path, content });
  world.texts.set(path, content);
  const refused = await call(world, 'append_to_note', { path, heading: '## Day', text: word });
  assert.deepEqual([refused.isError, await textOf(world, path)], [true, content]);
  const heading = /^(Log > Day \[2\]) \(line 7\)$/m.exec(refused.text)?.[1];
  await succeeds(world, 'append_to_note', { path, heading, text: word });
  world.texts.set(path, `${content}${word}\n`);
  assert.equal((await call(world, 'create_note', { path, content: 'other' })).isError, true);
}

async function besideTyping(world: World, word: string): Promise<void> {
  // Not the last line: two texts written at one place at once are both kept, but in either order.
  const lineOf = (content: string) => uniqueLine(world, content.trimEnd().split('\n').slice(0, -1).join('\n'));
  const once = (content: string) => content.split(lineOf(content) ?? '').length === 2;
  const path = anyNote(world, (content) => lineOf(content) !== undefined && once(content) && !content.includes('\r'));
  const content = world.texts.get(path) ?? '';
  let old = lineOf(content) ?? '';
  while (content.split(old).length !== 2) old = lineOf(content) ?? '';
  const { id } = (await world.rest.get(`/notes/${path.split('/').map(encodeURIComponent).join('/')}`)).body;
  using person = await new YjsClient('person').join(world.server.app, world.vault, id);
  // They share no letters with the edit: a text is written as its difference, which could take shared letters for kept.
  const letters = 'þæðßŋø';
  const typing = (async () => {
    for (const letter of letters) await person.type(letter);
  })();
  const edits = [{ op: 'replace_text', old_text: old, new_text: `${word} edited` }];
  const results = [await call(world, 'edit_note', { path, edits }), await call(world, 'edit_note', { path, edits })];
  await typing;
  // The second call must not find the text that the first has replaced, or nothing was replaced at all.
  const changes = results.filter(({ isError }) => !isError).length;
  assert.ok(changes <= 1);
  const expected = changes === 1 ? content.replace(old, () => `${word} edited`) : content;
  world.texts.set(path, expected + letters);
}
