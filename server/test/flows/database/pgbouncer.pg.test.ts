/** The server behind a connection pooler in transaction mode, which gives every transaction another connection. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { FlakySocket } from '../../kit/clients/provider-clients.ts';
import { freshPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { Caller } from '../../kit/person.ts';
import { startPgbouncer, whyNoPgbouncer } from '../../kit/programs/pgbouncer.ts';
import { Folder, startServe } from '../../kit/programs/process.ts';
import { registerAt } from '../../kit/setup-tokens.ts';

const skip = whyNoPostgres() ?? whyNoPgbouncer() ?? false;
if (skip !== false) process.stderr.write(`NOT TESTED BEHIND A POOLER: ${skip}\n`);
const WRITERS = 20;
const WRITES = 10;

describe('two processes behind pgbouncer in transaction mode', { skip }, () => {
  test('two processes behind pgbouncer in transaction mode write, read, and relay edits to each other', async () => {
    await using database = await freshPostgres();
    await using pooler = await startPgbouncer(database.url);
    using folder = new Folder();
    const env = {
      NOTEVAULT_DATA_DIR: folder.path,
      NOTEVAULT_DATABASE_URL: pooler.url,
      NOTEVAULT_DATABASE_DIRECT_URL: database.url,
      NOTEVAULT_DATABASE_PREPARED: 'off',
    };
    await using first = await startServe({ env });
    await using second = await startServe({ env });
    const account = { email: 'alice@example.org', password: 'a long enough password' };
    const token: string = (await registerAt(first.url, account)).body.access_token;
    const callers = [first, second].map(
      ({ url }) => new Caller(url, async () => ({ authorization: `Bearer ${token}` })),
    );
    const [here, there] = callers as [Caller, Caller];
    await here.post('/vaults', { name: 'Notes' });

    const writer = async (name: number) => {
      const caller = name % 2 === 0 ? here : there;
      for (let count = 0; count < WRITES; count++) {
        const note = { path: `${name}/${count}.md`, content: `[[${count}]]`, mtime: 1 };
        const { status, body } = await caller.post('/notes', note);
        assert.equal(status, 200, JSON.stringify(body));
        assert.equal((await caller.get(`/notes/${name}/${count}.md`)).body.content, note.content);
      }
    };
    await Promise.all(Array.from({ length: WRITERS }, (_, name) => writer(name)));
    const { body } = await there.get('/sync/manifest');
    assert.equal(body.notes.length, WRITERS * WRITES);

    const { note } = (await here.post('/notes', { path: 'typed.md', content: '', mtime: 1 })).body;
    using line = new FlakySocket(first.url);
    using otherLine = new FlakySocket(second.url);
    using at = line.open(note.id, token);
    using other = otherLine.open(note.id, token);
    for (const editor of [at, other]) await editor.synced();
    for (const letter of 'abcdefghij') {
      at.type(letter);
      await other.shows(at.text);
    }
    await at.synced();
    assert.equal((await there.get('/notes/typed.md')).body.content, 'abcdefghij');
  });
});
