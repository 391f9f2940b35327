import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SyncChange } from '@notevault/protocol/sync.ts';
import { freshPostgres, whyNoPostgres } from '../kit/database/postgres.ts';
import { Caller, type Headed } from '../kit/person.ts';
import { Folder, startServe } from '../kit/programs/process.ts';
import { registerAt } from '../kit/setup-tokens.ts';

/*
 * Many writers in two processes, and readers that follow the feed: if a seq became visible after a later one, some
 * reader would never see its row. Most rows are written only once, so that a missed row stays missing.
 */

const WRITERS = 12;
const ROUNDS = 14;
const READERS = 4;

type Row = Pick<SyncChange, 'id' | 'seq' | 'path' | 'deleted' | 'content_hash'>;

test('[1.2] [3.3] readers of the feed miss no row, with many writers in two processes', {
  skip: whyNoPostgres() ?? false,
}, async () => {
  await using opened = new AsyncDisposableStack();
  const folder = opened.use(new Folder());
  const database = opened.use(await freshPostgres());
  const env = {
    NOTEVAULT_DATA_DIR: folder.path,
    NOTEVAULT_LOG_LEVEL: 'fatal',
    NOTEVAULT_DATABASE_URL: database.url,
  };
  const first = opened.use(await startServe({ env }));
  const second = opened.use(await startServe({ env }));
  const account = { email: 'alice@example.org', password: 'correct horse battery' };
  const { access_token: token } = (await registerAt(first.url, account)).body;
  const callers = [first, second].map(
    ({ url }) => new Caller(url, async () => ({ authorization: `Bearer ${token}` })),
  ) as [Caller, Caller];
  const { vault } = (await callers[0].post('/vaults', { name: 'Busy' })).body;
  const headers = { 'x-vault-id': vault.id };

  const writing = { done: false };
  const readers = Array.from({ length: READERS }, (_, index) => follow(callers, headers, index, writing));
  await Promise.all(Array.from({ length: WRITERS }, (_, index) => write(callers, headers, index)));
  writing.done = true;
  const followed = await Promise.all(readers);

  const manifest = (await callers[0].get('/sync/manifest', headers)).body;
  assert.ok(manifest.total_notes >= WRITERS * ROUNDS);
  const entries = manifest.notes.map((note: Row) => `${note.seq} ${note.id} ${note.content_hash} ${note.path}`).sort();
  for (const { rows, pages } of followed) {
    const live = [...rows.values()].filter(({ deleted }) => !deleted);
    assert.deepEqual(live.map((row) => `${row.seq} ${row.id} ${row.content_hash} ${row.path}`).sort(), entries);
    assert.ok(pages > 20, `a reader that asked ${pages} times only did not race`);
  }
});

/** One writer's requests, alternating between the processes: new notes, edits, renames, deletions, batches. */
async function write(callers: readonly [Caller, Caller], headers: Headed, writer: number): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const caller = callers[(writer + round) % 2 === 0 ? 0 : 1];
    const path = `${writer % 3}/${writer}-${round}.md`;
    const note = { path, content: `round ${round}`, mtime: 1 };
    const answers = [await caller.post('/notes', note, headers)];
    if (round % 5 === 0) {
      const notes = [0, 1, 2].map((at) => ({ ...note, path: `batch/${writer}-${round}-${at}.md` }));
      const key = { 'x-idempotency-key': `${writer}-${round}` };
      answers.push(await caller.post('/notes/batch', { notes }, { ...headers, ...key }));
    }
    if (round % 6 === 1) answers.push(await caller.post('/notes', { ...note, content: 'edited' }, headers));
    if (round % 7 === 2) {
      const move = { old_path: path, new_path: `moved/${writer}-${round}.md` };
      answers.push(await caller.post('/notes/rename', move, headers));
    }
    if (round % 8 === 3)
      answers.push(await caller.delete(`/notes/batch/${writer}-0-${round % 3}.md`, undefined, headers));
    for (const { status, body } of answers) assert.equal(status, 200, JSON.stringify(body).slice(0, 200));
  }
}

/**
 * Follows the feed from the start, page by page, alternating between the processes, until the writers are done and no
 * row is left.
 */
async function follow(
  callers: readonly [Caller, Caller],
  headers: Headed,
  reader: number,
  writing: { readonly done: boolean },
): Promise<{ rows: ReadonlyMap<string, Row>; pages: number }> {
  const rows = new Map<string, Row>();
  let cursor = '';
  let last = 0;
  for (let pages = 1; ; pages++) {
    const { done } = writing;
    const caller = callers[(reader + pages) % 2 === 0 ? 0 : 1];
    const { status, body } = await caller.get(`/sync/changes?limit=${1 + reader * 20}&cursor=${cursor}`, headers);
    assert.equal(status, 200);
    for (const row of body.changes as Row[]) {
      assert.ok(row.seq > last, 'rows come in the order of their seqs, each once');
      last = row.seq;
      rows.set(row.id, row);
    }
    cursor = body.resume_cursor;
    if (done && !body.has_more) return { rows, pages };
  }
}
