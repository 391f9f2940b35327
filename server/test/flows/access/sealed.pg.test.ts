import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { databaseFile } from '../../../src/data/data-folder.ts';
import { RESERVE_FILE } from '../../../src/data/disk-reserve.ts';
import { readRaw, sha256, uploadJson, uploadRaw } from '../../kit/content/files.ts';
import { freshPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { openRaw } from '../../kit/database/raw-sql.ts';
import { Caller, type Headed } from '../../kit/person.ts';
import { cli, Folder, startServe } from '../../kit/programs/process.ts';
import { form, formToken } from '../../kit/public-pages.ts';
import { registerAt } from '../../kit/setup-tokens.ts';

/** A word for each kind of text that people write; each occurs nowhere else. */
const WORDS = {
  file: 'Quibblefile',
  folder: 'Quibblefolder',
  deep: 'Quibbledeep',
  heading: 'Quibbleheading',
  title: 'Quibbletitle',
  tag: 'quibbletag',
  inlineTag: 'quibbleinline',
  alias: 'Quibblealias',
  target: 'Quibbletarget',
  anchor: 'Quibbleanchor',
  shown: 'Quibbleshown',
  url: 'Quibbleurl',
  key: 'quibblekey',
  value: 'Quibblevalue',
  description: 'Quibbledescription',
  type: 'quibbletype',
  body: 'Quibblebody',
  edited: 'Quibbleedited',
  merged: 'Quibblemerged',
  deleted: 'Quibbledeleted',
  vault: 'Quibblevault',
  about: 'Quibbleabout',
  renamed: 'Quibblerenamed',
  client: 'quibbleclient',
  fileFolder: 'Quibblefilefolder',
  fileName: 'Quibblefilename',
  fileBytes: 'Quibblefilebytes',
  replaced: 'Quibblereplaced',
  renamedBytes: 'Quibblerenamedbytes',
  deletedFile: 'Quibblegonefile',
  oldFile: 'Quibbleoldfile',
  newFile: 'Quibblenewfile',
  linked: 'Quibblelinked',
  software: 'quibblesoftware',
  suggested: 'Quibblesuggested',
  keyName: 'Quibbleapikey',
  tokenName: 'Quibbleaccesstoken',
  device: 'quibbledevice',
  unread: 'Quibbleunread',
  umlaut: 'Quübbleumlaut',
  reason: 'Quibblereason',
};
const PASSWORD = 'quibble-password-of-alice';
const EMAIL = 'alice@example.org';
const BY_OPERATOR = { email: 'bob@example.org', password: 'quibble-password-of-bob' };

/** The data in which the words are searched after a run. */
interface Searched {
  /** Every stored byte, by location. */
  readonly stored: ReadonlyMap<string, Buffer>;
  readonly log: string;
  readonly hashes: ReadonlySet<string>;
  readonly tokens: readonly string[];
}

function sealedOn(database: () => Promise<({ url: string } & AsyncDisposable) | null>): void {
  it('database, blobs and the most verbose log contain no clear text of what people write', async () => {
    const { stored, log, hashes, tokens } = await run(database);
    assert.ok(stored.size > 5);
    // Checks the search itself: it finds what is stored in clear by design.
    assert.ok(occurs(stored, EMAIL).length > 0, 'the e-mail is stored, in clear');
    assert.ok((stored.get('search_segments.data')?.length ?? 0) > 1000, 'the search index is stored too');
    for (const [place, word] of Object.entries(WORDS)) {
      assert.deepEqual(occurs(stored, word), [], `${place} (${word}) is stored in clear`);
      assert.ok(!log.toLowerCase().includes(word.toLowerCase()), `${place} (${word}) is in the log`);
    }
    assert.ok(hashes.size >= 4);
    for (const hash of hashes) {
      const forms = [
        Buffer.from(hash),
        Buffer.from(hash, 'hex'),
        Buffer.from(hash.toUpperCase()),
        Buffer.from(base64Of(hash)),
      ];
      for (const form of forms) assert.deepEqual(placesOf(stored, form), [], `the content hash ${hash} is stored`);
    }
    assert.ok(log.split('\n').length > 20, 'the log says something');
    for (const secret of [...tokens, PASSWORD, EMAIL, BY_OPERATOR.email, BY_OPERATOR.password]) {
      assert.ok(secret.length > 8);
      assert.ok(!log.includes(secret), `the log has ${secret}`);
    }
    for (const secret of [...tokens, PASSWORD, BY_OPERATOR.password]) {
      assert.deepEqual(occurs(stored, secret), [], 'a token or password is stored');
    }
  });
}

async function run(database: () => Promise<({ url: string } & AsyncDisposable) | null>): Promise<Searched> {
  using folder = new Folder();
  await using opened = new AsyncDisposableStack();
  const postgres = await database();
  if (postgres !== null) opened.use(postgres);
  const data = folder.at('data');
  const env = {
    NOTEVAULT_DATA_DIR: data,
    NOTEVAULT_LOG_LEVEL: 'trace',
    ...(postgres === null ? {} : { NOTEVAULT_DATABASE_URL: postgres.url }),
  };
  const server = opened.use(await startServe({ env }));
  const signed = await registerAt(server.url, { email: EMAIL, password: PASSWORD });
  const tokens = [signed.body.access_token as string, signed.cookie('refresh_token') ?? ''];
  const alice = new Caller(server.url, async () => ({ authorization: `Bearer ${tokens[0]}` }));
  const hashes = await write(alice);
  tokens.push(...(await connect(server.url, alice)));
  await provoke(alice);
  tokens.push(...(await publish(server.url, alice)));
  tokens.push(...(await administer(env)));
  // Searched while the log still holds the writes, and again after the log was folded into the database.
  const stored = stores(data, 'running');
  const { code, stdout, stderr } = await server.stop();
  assert.equal(code, 0);
  for (const [place, bytes] of stores(data, 'stopped')) stored.set(place, bytes);
  await using raw = await openRaw(postgres ?? { file: databaseFile(data) });
  for (const table of await raw.tables()) {
    for (const row of await raw.all(`select * from ${table}`)) {
      for (const [column, value] of Object.entries(row)) {
        if (value === null) continue;
        const place = `${table}.${column}`;
        const bytes = Buffer.isBuffer(value) ? value : Buffer.from(String(value));
        stored.set(place, Buffer.concat([stored.get(place) ?? Buffer.alloc(0), bytes, Buffer.from('\n')]));
      }
    }
  }
  return { stored, log: stdout + stderr, hashes, tokens };
}

/** Makes every kind of write, with every word in its place; returns the hash of each text that was ever stored. */
async function write(alice: Caller): Promise<Set<string>> {
  const w = WORDS;
  const hashes = new Set<string>();
  const made = await alice.post('/vaults', { name: w.vault, description: w.about });
  assert.equal(made.status, 201);
  const registered = await alice.post('/vaults/register', { client_id: w.client, name: `${w.vault} two` });
  assert.equal(registered.status, 201);
  const id: string = made.body.vault.id;
  const headers: Headed = { 'x-vault-id': id, 'x-device-id': w.device };
  const put = async (path: string, content: string, version?: number) => {
    const body = { path, content, mtime: 1, ...(version === undefined ? {} : { version }) };
    const answer = await alice.post('/notes', body, headers);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    hashes.add(answer.body.note.content_hash);
    hashes.add(createHash('sha256').update(content).digest('hex'));
    return answer.body.note;
  };
  const path = `${w.folder}/${w.deep}/${w.file}.md`;
  const first = [
    ...['---', `title: ${w.title}`, `tags: [${w.tag}]`, `aliases: [${w.alias}]`, `description: ${w.description}`],
    ...[
      `type: ${w.type}`,
      `resource: https://example.org/${w.url}`,
      `${w.key}: ${w.value}`,
      '---',
      `# ${w.heading}`,
      '',
    ],
    ...[`${w.body} #${w.inlineTag} [[${w.target}#${w.anchor}|${w.shown}]] [${w.shown}](${w.folder}/${w.url}.md)`, ''],
    ...[`${w.umlaut} `.repeat(200), ''],
  ].join('\n');
  const { version } = await put(path, first);
  await put(path, `${first}\n${w.edited}\n`);
  await put(path, `${w.merged}\n${first}`, version);
  await put(`${w.target}.md`, `---\n"${w.key}: [\n---\n${w.reason} ${w.body}`);
  const gone = await put(`${w.deleted}.md`, `${w.deleted} [[${w.file}]]`);
  assert.equal((await alice.delete(`/notes/by-id/${gone.id}`, undefined, headers)).status, 200);
  assert.equal((await alice.delete(`/notes/${w.target}.md`, undefined, headers)).status, 200);
  for (const hash of await attach(alice, headers)) hashes.add(hash);
  assert.equal((await alice.patch(`/vaults/${id}`, { name: w.renamed, description: w.about })).status, 200);
  assert.equal((await alice.get(`/notes/${path}`, headers)).status, 200);
  for (const query of [w.body, `"${w.edited}" tag:${w.inlineTag}`, `${w.umlaut}x folder:${w.folder}`]) {
    const found = await alice.post('/search', { query }, headers);
    assert.equal(found.body.results[0]?.path, path, query);
  }
  return hashes;
}

/** Links a device and creates keys, each of which writes a note; returns the secrets. */
async function connect(url: string, alice: Caller): Promise<string[]> {
  const w = WORDS;
  const names = { client_id: w.software, vault_name: w.suggested, device_name: w.linked };
  const asked = await new Caller(url).post('/auth/device', names);
  const code = { user_code: asked.body.user_code };
  assert.equal((await alice.post('/auth/device/authorize', { ...code, vault_id: 'new' })).status, 200);
  const linked = await new Caller(url).post('/auth/device/token', { device_code: asked.body.device_code });
  const key = await alice.post('/api-keys', { name: w.keyName });
  const pat = await alice.post('/connections/pat', { name: w.tokenName });
  const secrets: string[] = [linked.body.access_token, key.body.key, pat.body.key];
  for (const [at, secret] of secrets.entries()) {
    const caller = new Caller(url, async () => ({ authorization: `Bearer ${secret}` }));
    const written = await caller.post('/notes', { path: `by-${at}.md`, content: 'written', mtime: 1 });
    assert.equal(written.status, 200, JSON.stringify(written.body));
    const { versions } = (await caller.get(`/notes/by-id/${written.body.note.id}/versions`)).body;
    assert.equal(versions[0].actor.name, [w.linked, w.keyName, w.tokenName][at]);
  }
  const listed = await alice.get('/connections');
  const shown = listed.body.map((connection: { name: string }) => connection.name);
  assert.deepEqual(new Set(shown), new Set([w.linked, w.keyName, w.tokenName]));
  return [...secrets, linked.body.refresh_token];
}

/** Puts, replaces, renames, links and deletes files with words in their names and bytes; returns their hashes. */
async function attach(alice: Caller, headers: Headed): Promise<string[]> {
  const w = WORDS;
  const bytes = [w.fileBytes, w.replaced, w.renamedBytes].map((word) => Buffer.from(`${word} `.repeat(12_000)));
  const [first = Buffer.alloc(0), second = Buffer.alloc(0), third = Buffer.alloc(0)] = bytes;
  const answers = [
    await uploadJson(alice, `${w.fileFolder}/${w.fileName}.txt`, first, {}, headers),
    await uploadRaw(alice, `${w.fileFolder}/${w.fileName}.txt`, second, headers),
    await uploadRaw(alice, `${w.oldFile}.pdf`, third, headers),
    await alice.post('/notes', { path: 'embeds.md', content: `![[${w.oldFile}.pdf]]`, mtime: 1 }, headers),
    await alice.post('/attachments/rename', { old_path: `${w.oldFile}.pdf`, new_path: `${w.newFile}.pdf` }, headers),
    await uploadRaw(alice, `${w.deletedFile}.png`, first, headers),
    await alice.delete(`/attachments/${w.deletedFile}.png`, undefined, headers),
    await readRaw(alice, `${w.newFile}.pdf`, headers),
  ];
  for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body));
  return bytes.map(sha256);
}

/** Opens public links, also with wrong passwords; returns their tokens and a password. */
async function publish(url: string, alice: Caller): Promise<string[]> {
  const { note } = (await alice.post('/notes', { path: 'public.md', content: 'public', mtime: 1 })).body;
  const password = 'a quibble password';
  const secrets = [password];
  for (const more of [{}, { password }]) {
    const made = await alice.post('/vault/links', { note_id: note.id, ...more });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const [, token = ''] = made.body.url.split('/s/');
    secrets.push(token);
    for (const path of ['', '/n/x', '/files/x', '/x']) await fetch(`${url}/s/${token}${path}`);
    const page = await (await fetch(`${url}/s/${token}`)).text();
    if (!('password' in more)) continue;
    const sent: RequestInit = { ...form({ password, token: formToken(page) }), redirect: 'manual' };
    assert.equal((await fetch(`${url}/s/${token}`, sent)).status, 303);
  }
  return secrets;
}

/** Makes requests that fail, each with words in it that an error message might repeat. */
async function provoke(alice: Caller): Promise<void> {
  const { unread } = WORDS;
  const json = { 'content-type': 'application/json' };
  const statuses = [
    (await alice.call('POST', '/notes', `{"path": "${unread}`, json)).status,
    (await alice.call('POST', '/notes', unread, { 'content-type': `text/${unread}` })).status,
    (await alice.post('/notes', { path: `../${unread}`, content: unread, mtime: 1 })).status,
    (await alice.post('/notes', { path: `${unread}.md`, content: [unread], mtime: unread })).status,
    (await alice.get(`/${unread}`)).status,
    (await alice.get(`/notes/${unread}.md`)).status,
    (await alice.get(`/vaults/${unread}`)).status,
    (await alice.put(`/notes/${unread}.md`, {})).status,
    (await uploadJson(alice, `${unread}.exe`, Buffer.from(unread))).status,
    (await uploadRaw(alice, `${unread}.png`, Buffer.from(`#!/bin/sh ${unread}`))).status,
    (await alice.post('/attachments', { path: `${unread}.png`, content_base64: `${unread}!` })).status,
    (await alice.get(`/attachments/${unread}.png`)).status,
    (await alice.post('/auth/login', { email: EMAIL, password: `${PASSWORD}-wrong` })).status,
    (await alice.get('/me', { authorization: `Bearer ${unread}` })).status,
  ];
  for (const status of statuses) assert.ok(status >= 400, `${status}`);
}

/** Runs the operator's commands beside the server; returns the tokens that they print. */
async function administer(env: Record<string, string>): Promise<string[]> {
  const { email, password } = BY_OPERATOR;
  const made = await cli(['admin', 'create-user', email, '--password-stdin'], { env, input: `${password}\n` });
  assert.equal(made.code, 0, made.stderr);
  const indexed = await cli(['reindex', '--user', EMAIL], { env });
  assert.equal(indexed.code, 0, indexed.stderr);
  const reset = await cli(['admin', 'reset-password', email], { env });
  assert.equal(reset.code, 0, reset.stderr);
  return [new URL(reset.stdout.trim()).hash.replace('#reset=', '')];
}

function stores(folder: string, when: string): Map<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    // Two thirds of all bytes, written before there is any data.
    .filter((entry) => entry.isFile() && entry.name !== RESERVE_FILE);
  return new Map(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [`${file} (${when})`, readFileSync(file)];
    }),
  );
}

/** The places where a word occurs, as written or in a form that a program may have converted it to. */
function occurs(stored: ReadonlyMap<string, Buffer>, word: string): string[] {
  const cases = new Set([word, word.toLowerCase(), word.toUpperCase()]);
  const encodings = ['utf8', 'utf16le', 'latin1'] as const;
  const plain = [...cases].flatMap((text) => encodings.map((encoding) => Buffer.from(text, encoding)));
  const forms = plain.flatMap((bytes) => {
    const hex = bytes.toString('hex');
    return [bytes, Buffer.from(hex), Buffer.from(hex.toUpperCase()), ...inBase64(bytes)];
  });
  return [...new Set(forms.map((form) => form.toString('latin1')))].flatMap((form) =>
    placesOf(stored, Buffer.from(form, 'latin1')),
  );
}

/**
 * Inside longer base64 a text has one of three forms, depending on its offset; the letters at its ends depend on their
 * neighbours.
 */
function inBase64(bytes: Buffer): Buffer[] {
  return [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const own = text.slice(before === 0 ? 0 : before + 1, -1);
    return [Buffer.from(own), Buffer.from(own.replaceAll('+', '-').replaceAll('/', '_'))];
  });
}

const base64Of = (hex: string) => Buffer.from(hex, 'hex').toString('base64').slice(0, 40);

function placesOf(stored: ReadonlyMap<string, Buffer>, form: Buffer): string[] {
  return [...stored].filter(([, bytes]) => bytes.includes(form)).map(([place]) => place);
}

const skip = whyNoPostgres() ?? false;
describe('stored data on sqlite', () => sealedOn(async () => null));
describe('stored data on postgres', { skip }, () => sealedOn(freshPostgres));
