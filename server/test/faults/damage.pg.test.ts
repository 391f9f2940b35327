import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { databaseFile } from '../../src/data/data-folder.ts';
import { freshPostgres, whyNoPostgres } from '../kit/database/postgres.ts';
import { openRaw, type Raw } from '../kit/database/raw-sql.ts';
import { type Answer, Caller, type Headed } from '../kit/person.ts';
import { Folder, startServe } from '../kit/programs/process.ts';
import { registerAt } from '../kit/setup-tokens.ts';

const NOTES = ['meta', 'content', 'doc', 'texts'] as const;
type Damaged = (typeof NOTES)[number];
/** The tables that hold what people wrote; a refused write must leave all of them unchanged. */
const KEPT = [
  ...['vaults', 'vault_feeds', 'entries', 'note_bodies', 'note_aliases', 'note_versions', 'links'],
  'link_texts',
];

/** A vault with one note for each part that can be damaged, a vault with a damaged name, and one with a damaged key. */
function damagedRows(database: () => Promise<{ url: string } | null>): void {
  const opened = new AsyncDisposableStack();
  const ids = new Map<string, string>();
  let raw: Raw;
  let alice: Caller;
  let bob: Caller;
  const vaults: Record<'sound' | 'unnamed' | 'keyless', Headed> = { sound: {}, unnamed: {}, keyless: {} };
  const idOf = (vault: keyof typeof vaults) => vaults[vault]['x-vault-id'] ?? '';
  const noteId = (name: Damaged) => ids.get(name) ?? '';

  before(async () => {
    const folder = opened.use(new Folder());
    const postgres = await database();
    if (postgres !== null) opened.use(postgres as typeof postgres & AsyncDisposable);
    const env = {
      NOTEVAULT_DATA_DIR: folder.path,
      NOTEVAULT_LOG_LEVEL: 'fatal',
      ...(postgres === null ? {} : { NOTEVAULT_DATABASE_URL: postgres.url }),
    };
    const first = opened.use(await startServe({ env }));
    // The first account takes the setup token, so the second waits for it.
    const tokens = [await register(first.url, 'alice'), await register(first.url, 'bob')];
    const callers = (url: string) =>
      tokens.map((token) => new Caller(url, async () => ({ authorization: `Bearer ${token}` })));
    const [writer, other] = callers(first.url);
    assert.ok(writer !== undefined && other !== undefined);
    for (const name of ['sound', 'unnamed', 'keyless'] as const) {
      const made = await writer.post('/vaults', { name });
      vaults[name] = { 'x-vault-id': made.body.vault.id };
      await writeNotes(writer, vaults[name], ids, name === 'sound');
    }
    await other.post('/vaults', { name: 'of bob' });
    await first.stop();

    raw = opened.use(await openRaw(postgres ?? { file: databaseFile(folder.path) }));
    await flip(raw, 'entries', 'meta', 'id', noteId('meta'));
    await flip(raw, 'note_bodies', 'content', 'note_id', noteId('content'));
    await flip(raw, 'note_bodies', 'doc', 'note_id', noteId('doc'));
    await flip(raw, 'link_texts', 'texts', 'source_id', noteId('texts'));
    await flip(raw, 'vaults', 'meta', 'id', idOf('unnamed'));
    await flip(raw, 'data_keys', 'wrapped', 'owner_id', idOf('keyless'));
    const second = opened.use(await startServe({ env }));
    [alice, bob] = callers(second.url) as [Caller, Caller];
  });
  after(() => opened.disposeAsync());

  for (const name of NOTES) {
    it(`reading a note with a damaged ${name} is an error, or does not need the damaged part`, async () => {
      const reads = [`/notes/${name}.md`, `/notes/by-id/${noteId(name)}`];
      for (const path of reads) {
        const answer = await alice.get(path, vaults.sound);
        if (name === 'doc') assert.equal(answer.status, 200);
        else assert.deepEqual([answer.status, answer.body], [500, { error: 'note_unreadable' }], path);
      }
    });

    it(`every write to a note with a damaged ${name} is refused and changes nothing`, async () => {
      const stored = await everything(raw);
      const body = { path: `${name}.md`, mtime: 2, content: 'written over' };
      const writes: [string, () => Promise<Answer>][] = [
        ['upsert', () => alice.post('/notes', body, vaults.sound)],
        ['upsert onto a version', () => alice.post('/notes', { ...body, version: 1 }, vaults.sound)],
        ['delete by path', () => alice.delete(`/notes/${name}.md`, undefined, vaults.sound)],
        ['delete by id', () => alice.delete(`/notes/by-id/${noteId(name)}`, undefined, vaults.sound)],
      ];
      for (const [what, write] of writes) {
        const answer = await write();
        assert.deepEqual([answer.status, answer.body], [500, { error: 'note_unreadable' }], what);
      }
      assert.deepEqual(await everything(raw), stored);
    });
  }

  it('notes with links to and from damaged notes keep working', async () => {
    const linker = await alice.get('/notes/linker.md', vaults.sound);
    assert.equal(linker.status, 200);
    assert.deepEqual(
      linker.body.links.map((link: { target_note_id: string }) => link.target_note_id),
      NOTES.map(noteId),
    );
    const target = await alice.get('/notes/target.md', vaults.sound);
    const backlinks = await alice.get(`/notes/by-id/${target.body.id}/backlinks`, vaults.sound);
    const sources = backlinks.body.backlinks.map((link: { source_note_id: string }) => link.source_note_id);
    assert.deepEqual(new Set(sources), new Set([...NOTES.map(noteId), ids.get('linker2')]));
    for (const [path, content] of [
      ['target.md', '---\naliases: [meta2]\n---\nedited'],
      ['linker.md', 'no links at all'],
      ['new.md', '[[meta]] [[content]] [[doc]] [[texts]]'],
      ['sub/meta.md', 'a second note of that name'],
    ] as const) {
      const answer = await alice.post('/notes', { path, content, mtime: 3 }, vaults.sound);
      assert.equal(answer.status, 200, `${path}: ${JSON.stringify(answer.body)}`);
    }
    assert.equal((await alice.delete('/notes/target.md', undefined, vaults.sound)).status, 200);
  });

  it('a vault with a damaged name reports it, and its notes are read and written', async () => {
    const stored = await everything(raw);
    for (const answer of [
      await alice.get(`/vaults/${idOf('unnamed')}`),
      await alice.patch(`/vaults/${idOf('unnamed')}`, { name: 'another' }),
    ]) {
      assert.deepEqual([answer.status, answer.body], [500, { error: 'vault_unreadable' }]);
    }
    assert.deepEqual(await everything(raw), stored);
    assert.equal((await alice.get('/notes/target.md', vaults.unnamed)).status, 200);
    const written = await alice.post('/notes', { path: 'target.md', content: 'edited', mtime: 2 }, vaults.unnamed);
    assert.equal(written.status, 200);
  });

  it('a vault with a damaged key reports it at every read and write, and is never taken for empty', async () => {
    const stored = await everything(raw);
    const body = { path: 'another.md', content: 'another', mtime: 2 };
    for (const answer of [
      await alice.get(`/vaults/${idOf('keyless')}`),
      await alice.get('/notes/target.md', vaults.keyless),
      await alice.post('/notes', body, vaults.keyless),
      await alice.delete('/notes/target.md', undefined, vaults.keyless),
    ]) {
      assert.deepEqual([answer.status, answer.body], [500, { error: 'vault_unreadable' }]);
    }
    assert.deepEqual(await everything(raw), stored);
  });

  it('a list that includes a damaged vault is an error, because a shorter list would look like a deletion', async () => {
    const answer = await alice.get('/vaults');
    assert.deepEqual([answer.status, answer.body], [500, { error: 'vault_unreadable' }]);
  });

  it('other accounts, and vaults created later, are not affected by damage', async () => {
    assert.deepEqual(
      (await bob.get('/vaults')).body.vaults.map((vault: { name: string }) => vault.name),
      ['of bob'],
    );
    const made = await alice.post('/vaults', { name: 'made later' });
    assert.equal(made.status, 201);
    assert.equal((await alice.get(`/vaults/${made.body.vault.id}`)).body.vault.name, 'made later');
  });
}

async function register(url: string, name: string): Promise<string> {
  const answer = await registerAt(url, {
    email: `${name}@example.org`,
    password: 'long enough',
  });
  return answer.body.access_token;
}

/**
 * Writes the notes: `linker` links to each damaged note, and each of them to `target`. Each is edited once, so that it
 * has a document.
 */
async function writeNotes(alice: Caller, vault: Headed, ids: Map<string, string>, remember: boolean): Promise<void> {
  const write = async (path: string, content: string) => {
    const answer = await alice.post('/notes', { path, content, mtime: 1 }, vault);
    assert.equal(answer.status, 200);
    return answer.body.note.id as string;
  };
  await write('target.md', 'the target');
  for (const name of NOTES) {
    const id = await write(`${name}.md`, 'first');
    if (remember) ids.set(name, id);
    await write(`${name}.md`, 'second [[target]]');
  }
  await write('linker.md', `${NOTES.map((name) => `[[${name}]]`).join(' ')} `);
  const other = await write('linker2.md', '[[target]]');
  if (remember) ids.set('linker2', other);
}

/** Flips one bit in the middle of the value. */
async function flip(raw: Raw, table: string, column: string, key: string, id: string): Promise<void> {
  const [row] = await raw.all(`select ${column} as value from ${table} where ${key} = $1`, id);
  const value = row?.value;
  assert.ok(Buffer.isBuffer(value), `${table}.${column} of ${id}`);
  const at = value.length >> 1;
  value.writeUInt8(value.readUInt8(at) ^ 0x10, at);
  assert.equal(await raw.run(`update ${table} set ${column} = $1 where ${key} = $2`, value, id), 1);
}

async function everything(raw: Raw): Promise<string[]> {
  const rows: string[] = [];
  for (const table of KEPT) {
    for (const row of await raw.all(`select * from ${table}`)) rows.push(`${table} ${JSON.stringify(row)}`);
  }
  return rows.sort();
}

const skip = whyNoPostgres() ?? false;
describe('damaged rows on sqlite', () => damagedRows(async () => null));
describe('damaged rows on postgres', { skip }, () => damagedRows(freshPostgres));
