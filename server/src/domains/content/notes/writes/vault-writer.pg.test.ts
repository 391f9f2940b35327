import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEachEngine } from '../../../../../test/kit/engines.ts';
import type { Answer } from '../../../../../test/kit/person.ts';
import { startServer, type TestServer } from '../../../../../test/kit/server.ts';
import { turns, until } from '../../../../../test/kit/until.ts';
import type { Database, WriteHandle } from '../../../../ports/database/database.ts';
import * as store from '../notes.store.ts';

const NOTES = 12;
const path = (at: number) => `note ${at}.md`;

/** A database whose transactions that write notes can be held back before they begin, and one of whose notes cannot be written. */
function heldDatabase(db: Database) {
  let gate: PromiseWithResolvers<void> | undefined;
  const state = { transactions: 0, planned: 0, unwritable: '' };
  const guarded = (handle: WriteHandle): WriteHandle => ({
    get: (statement, params) => handle.get(statement, params),
    all: (statement, params) => handle.all(statement, params),
    allMany: (statement, params, items) => handle.allMany(statement, params, items),
    async run(statement, params) {
      const isUnwritable = state.unwritable !== '' && (params as { id?: unknown }).id === state.unwritable;
      if (isUnwritable) throw new Error('this note cannot be written');
      return await handle.run(statement, params);
    },
    runMany: (statement, params, items) => handle.runMany(statement, params, items),
    onCommit: (effect) => handle.onCommit(effect),
  });
  const held: Database = {
    engine: db.engine,
    get: (statement, params) => db.get(statement, params),
    all: (statement, params) => db.all(statement, params),
    async allMany(statement, params, items) {
      const rows = await db.allMany(statement, params, items);
      if ((statement as unknown) === store.findForWrites) state.planned++;
      return rows;
    },
    read: (body) => db.read(body),
    async transact(body, priority) {
      // Only writes of notes name their priority here; looking up an idempotency key is a transaction too.
      if (priority !== undefined) {
        await gate?.promise;
        state.transactions++;
      }
      return await db.transact((handle) => body(guarded(handle)), priority);
    },
    migrate: (migrations) => db.migrate(migrations),
    [Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
  };
  /** Sends calls that plan `count` writes, and lets no transaction begin before all of them are planned. */
  async function together<T>(count: number, send: () => Promise<T>, meanwhile?: () => Promise<unknown>): Promise<T> {
    gate = Promise.withResolvers();
    Object.assign(state, { transactions: 0, planned: 0 });
    const answers = send();
    await until(() => state.planned >= count, `${count} planned writes`);
    await turns();
    await meanwhile?.();
    gate.resolve();
    gate = undefined;
    return await answers;
  }
  return { db: held, state, together };
}

async function startWith(open: () => Promise<Database>) {
  const plain = await open();
  const held = heldDatabase(plain);
  const server = await startServer({ open: async () => held.db });
  const { alice } = server;
  await alice.post('/vaults', { name: 'Notes' });
  const notes = await Promise.all(
    Array.from({ length: NOTES }, async (_, at) => {
      const { status, body } = await alice.post('/notes', { path: path(at), content: `before ${at}`, mtime: 1 });
      assert.equal(status, 200);
      return body.note.id as string;
    }),
  );
  return { ...held, server, plain, notes };
}

const edit = ({ alice }: TestServer, at: number, more: object = {}, headers = {}) =>
  alice.post('/notes', { path: path(at), content: `after ${at}`, mtime: 2, ...more }, headers);
const edits = (server: TestServer) => Promise.all(Array.from({ length: NOTES }, (_, at) => edit(server, at)));
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
const seqs = (answers: readonly Answer[]) =>
  answers.flatMap(({ status, body }) => (status === 200 ? [body.note.seq as number] : [])).sort((a, b) => a - b);

onEachEngine('writes of one vault at once', (open) => {
  test('share a transaction, and each has a seq of its own in the feed', async () => {
    const { server, state, together } = await startWith(open);
    await using _ = server;
    const answers = await together(NOTES, () => edits(server));
    assert.deepEqual(new Set(statuses(answers)), new Set([200]));
    assert.ok(state.transactions <= NOTES / 2, `${state.transactions} transactions for ${NOTES} writes`);
    assert.deepEqual(
      seqs(answers),
      Array.from({ length: NOTES }, (_, at) => NOTES + 1 + at),
    );
    const { changes } = (await server.alice.get('/sync/changes')).body;
    assert.deepEqual(
      changes.map(({ seq }: { seq: number }) => seq),
      seqs(answers),
    );
    for (const { body } of answers) {
      assert.deepEqual((await server.alice.get(`/notes/by-id/${body.note.id}`)).body, body.note);
    }
  });

  test('answer each with its own links, among new and edited notes that link to each other', async () => {
    const { server, together } = await startWith(open);
    await using _ = server;
    const { alice } = server;
    const writes = Array.from({ length: NOTES }, (_, at) => ({
      path: at % 2 === 0 ? path(at) : `new ${at}.md`,
      content: `[[new ${(at + 1) % NOTES}]] [[new ${(at + 2) % NOTES}]] [[note ${at}]]`,
      mtime: 2,
    }));
    const answers = await together(NOTES, () => Promise.all(writes.map((write) => alice.post('/notes', write))));
    for (const [at, { status, body }] of answers.entries()) {
      assert.equal(status, 200);
      const stored = (await alice.get(`/notes/by-id/${body.note.id}`)).body;
      const expected = [1, 2].map((by) => (at + by) % NOTES).map((to) => (to % 2 === 1 ? `new ${to}.md` : null));
      const targets = stored.links.map(({ target_path }: { target_path: string | null }) => target_path);
      assert.deepEqual(targets, [...expected, path(at)]);
    }
  });

  test('find each other under names that more notes have than are sent together', async () => {
    const { server, together } = await startWith(open);
    await using _ = server;
    const { alice } = server;
    const name = (at: number) => `fresh ${at % NOTES}`;
    const write = (at: number) =>
      alice.post('/notes', { path: `${name(at)}.md`, content: `[[${name(at + 1)}]] [[${name(at + 9)}]]`, mtime: 2 });
    const answers = await together(NOTES, () => Promise.all(Array.from({ length: NOTES }, (_, at) => write(at))));
    for (const [at, { status, body }] of answers.entries()) {
      assert.equal(status, 200);
      const { links } = (await alice.get(`/notes/by-id/${body.note.id}`)).body;
      const targets = links.map(({ target_path }: { target_path: string | null }) => target_path);
      assert.deepEqual(targets, [`${name(at + 1)}.md`, `${name(at + 9)}.md`]);
    }
  });

  test('fail alone: a refused one, one whose row changed meanwhile, and one that cannot be stored', async () => {
    const { server, plain, notes, state, together } = await startWith(open);
    await using _ = server;
    await using twin = await startServer({
      open: async () => plain,
      clock: server.clock,
      masterKey: server.masterKey,
    });
    const elsewhere = twin.bearer((await server.alice.signed()).accessToken);
    state.unwritable = notes[3] ?? '';
    const send = () =>
      Promise.all(
        notes.map((_, at) => edit(server, at, at === 5 ? { base_hash: 'stale' } : at === 7 ? { version: 1 } : {})),
      );
    const answers = await together(NOTES, send, () =>
      elsewhere.post('/notes', { path: path(7), content: 'line\nbefore 7', mtime: 2 }),
    );
    const expected = notes.map((_, at) => (at === 3 ? 500 : at === 5 ? 409 : 200));
    assert.deepEqual(statuses(answers), expected);
    for (const [at, id] of notes.entries()) {
      const { content } = (await server.alice.get(`/notes/by-id/${id}`)).body;
      if (at === 7) assert.match(content, /line\n.*after 7/s);
      else assert.equal(content, at === 3 || at === 5 ? `before ${at}` : `after ${at}`);
    }
    const all = seqs(answers);
    assert.equal(new Set(all).size, NOTES - 2);
  });

  test('store the answer of each under its own idempotency key', async () => {
    const { server, together } = await startWith(open);
    await using _ = server;
    const key = (at: number) => ({ 'x-idempotency-key': `key-${at}` });
    const append = (at: number) => server.alice.post('/notes/append', { path: path(at), text: `line ${at}` }, key(at));
    const all = () => Promise.all(Array.from({ length: NOTES }, (_, at) => append(at)));
    const answers = await together(NOTES, all);
    const again = await all();
    for (const [at, { status, body }] of answers.entries()) {
      assert.deepEqual([status, body.note.content], [200, `before ${at}\nline ${at}`]);
      assert.deepEqual([again[at]?.status, again[at]?.body], [200, body]);
    }
  });
});
