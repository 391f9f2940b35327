import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileOf, fileUrl, readRaw, uploadRaw } from '../kit/content/files.ts';
import { assertConsistent } from '../kit/database/assert-consistent.ts';
import { onEachEngine } from '../kit/engines.ts';
import type { Answer, Caller } from '../kit/person.ts';
import { startServer, type TestServer } from '../kit/server.ts';

const ROUNDS = 8;
const DAYS_90 = { days: 90 };

/** A server and a second one over the same rows and blobs, which shares no locks with the first; both with alice's key. */
async function startPair(open: Parameters<typeof startServer>[0]['open']) {
  const opened = new AsyncDisposableStack();
  const trashLimits = { notes: 3, textBytes: 1000, attachmentBytes: () => 1000 };
  const server = opened.use(await startServer({ open, trashLimits }));
  const { db, blobs, clock, masterKey } = server;
  const twin = opened.use(await startServer({ open: async () => db, blobs, clock, masterKey, trashLimits }));
  await server.alice.post('/vaults', { name: 'Notes' });
  const { key } = (await server.alice.post('/api-keys', { name: 'pair', default_access: 'write' })).body;
  const callers: readonly [Caller, Caller] = [server.bearer(key), twin.bearer(key)];
  return { server, twin, callers, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

/** The two callers, in the order of the round. */
function inTurn([one, other]: readonly [Caller, Caller], round: number): readonly [Caller, Caller] {
  return round % 2 === 0 ? [one, other] : [other, one];
}

const restore = (who: Caller, id: string) => who.post(`/trash/${id}/restore`, {});
const purge = (who: Caller, id: string) => who.delete(`/trash/${id}`);
const upsert = (who: Caller, path: string, content: string, id?: string) =>
  who.post('/notes', { path, mtime: 1, content, ...(id === undefined ? {} : { id }) });

async function deletedNote(who: Caller, path: string, content: string): Promise<string> {
  const { id } = (await upsert(who, path, content)).body.note;
  await who.delete(`/notes/${path}`);
  return id;
}

const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
const one200 = (answers: readonly Answer[]) => assert.deepEqual(statuses(answers).sort(), [200, 404]);
const readable = async (who: Caller, path: string) => (await who.get(`/notes/${path}`)).status === 200;

onEachEngine('the trash on two servers at once', (open) => {
  test('restores a note once, and either restores it or purges it', async () => {
    await using pair = await startPair(open);
    for (let round = 0; round < ROUNDS; round++) {
      const [one, other] = inTurn(pair.callers, round);
      const twice = await deletedNote(one, `twice ${round}.md`, 'text');
      one200(await Promise.all([restore(one, twice), restore(other, twice)]));
      const id = await deletedNote(one, `${round}.md`, 'text');
      const [restored, purged] = await Promise.all([restore(one, id), purge(other, id)]);
      one200([restored, purged]);
      assert.equal(await readable(one, `${round}.md`), restored.status === 200);
    }
    await assertConsistent(pair.server);
  });

  test('restores a note beside writes to its path or with its id: both texts are there, of one note or two', async () => {
    await using pair = await startPair(open);
    for (let round = 0; round < ROUNDS; round++) {
      const [one, other] = inTurn(pair.callers, round);
      const id = await deletedNote(one, 'a.md', 'old');
      const [restored, written] = await Promise.all([
        restore(one, id),
        upsert(other, 'a.md', 'new', round % 4 < 2 ? id : undefined),
      ]);
      assert.equal(written.status, 200);
      assert.ok([200, 404, 409].includes(restored.status), JSON.stringify(restored.body));
      const { note } = written.body;
      assert.equal((await one.get('/notes/a.md')).body.content, 'new');
      if (restored.status === 200) {
        assert.equal(note.id, id);
        const { versions } = (await one.get(`/notes/by-id/${id}/versions`)).body;
        assert.ok(versions.some(({ reason }: { reason: string }) => reason === 'restore'));
      }
      await one.delete('/notes/a.md');
    }
    await assertConsistent(pair.server);
  });

  test('restores or expires a note, never half of it', async () => {
    await using pair = await startPair(open);
    const { server, twin } = pair;
    for (let round = 0; round < ROUNDS; round++) {
      const [one, other] = inTurn(pair.callers, round);
      const path = `${round}.md`;
      const id = await deletedNote(one, path, 'text');
      server.clock.advance({ days: 89 });
      const [restored] = await Promise.all([
        restore(other, id),
        expireSoon(server, round),
        (round % 2 === 0 ? twin : server).app.entries.trash.trim(),
      ]);
      assert.ok([200, 404].includes(restored.status), JSON.stringify(restored.body));
      assert.equal(await readable(one, path), restored.status === 200);
      await assertConsistent(server);
    }
  });

  test('deletes, restores, purges, trims and expires the same few notes and files, and stays consistent', async () => {
    await using pair = await startPair(open);
    const { server, twin } = pair;
    const shared = [fileOf('png', 400), fileOf('png', 401)];
    for (let round = 0; round < ROUNDS; round++) {
      const items = (await pair.callers[0].get('/trash')).body.items as { id: string }[];
      const acts = Array.from({ length: 24 }, (_, at) => {
        const caller = pair.callers[at % 2 === 0 ? 0 : 1];
        const path = `${at % 3}`;
        const trashed = items[at % Math.max(1, items.length)];
        if (at % 8 === 0) return upsert(caller, `${path}.md`, `text ${round}`);
        if (at % 8 === 1) return uploadRaw(caller, `${path}.png`, shared[at % 2] ?? fileOf('png'));
        if (at % 8 === 2) return caller.delete(`/notes/${path}.md`);
        if (at % 8 === 3) return caller.delete(fileUrl(`${path}.png`));
        if (trashed === undefined) return caller.get('/trash');
        return at % 8 === 4 ? purge(caller, trashed.id) : restore(caller, trashed.id);
      });
      const [answers] = await Promise.all([
        Promise.all(acts),
        server.app.entries.trash.trim(),
        twin.app.entries.trash.trim(),
        round % 3 === 2 ? expireSoon(server, round) : twin.app.attachments.collect(),
      ]);
      for (const { status, body } of answers) {
        assert.ok([200, 404, 409].includes(status), `${status} ${JSON.stringify(body)}`);
      }
      await assertConsistent(server);
      server.clock.advance({ minutes: 11 });
      await server.app.attachments.collect();
      for (const { path } of (await pair.callers[0].get('/attachments')).body.attachments) {
        assert.equal((await readRaw(pair.callers[0], path)).status, 200, path);
      }
    }
    await server.app.entries.trash.trim();
    const left = (await pair.callers[0].get('/trash')).body.items as { type: string; size_bytes: number }[];
    assert.ok(left.filter(({ type }) => type === 'note').length <= 3);
  });
});

/** Lets everything in the trash expire while other requests are under way. */
async function expireSoon(server: TestServer, turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve));
  server.clock.advance(DAYS_90);
  await server.app.sync.dropExpired();
}
