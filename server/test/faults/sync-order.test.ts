import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { databaseFile } from '../../src/data/data-folder.ts';
import { openRaw } from '../kit/database/raw-sql.ts';
import { commitsIn, keepLog } from '../kit/database/wal.ts';
import { Caller } from '../kit/person.ts';
import { Folder, startServe } from '../kit/programs/process.ts';
import { type Call, callsOf, isSyncedBefore, logCallsOf, traced, wholeTrace } from '../kit/programs/trace.ts';
import { Random, seedOfRun } from '../kit/random.ts';
import { registerAt } from '../kit/setup-tokens.ts';

/*
 * After a kill, written data survives in the system's cache, so a kill does not show what a power cut would lose. This
 * test therefore checks the order of system calls: write to the log, sync of the log, answer.
 */

const AT_ONCE = 16;
const WRITES = 160;

const folder = new Folder();
const trace = folder.at('trace');
const tracer = traced(trace);
const skip = 'why' in tracer ? tracer.why : false;
if (skip !== false) process.stderr.write(`NOT TESTED: whether answers wait for the disk: ${skip}\n`);

/** Acknowledged writes: request id to the vault's change_seq at that write. */
type Acknowledged = Map<string, number>;

test('no 2xx of a write is sent before a sync of the log that began after its commit has succeeded', {
  skip,
}, async (t) => {
  using _removed = folder;
  const dataDir = folder.at('data');
  const under = 'under' in tracer ? tracer.under : [];
  await using server = await startServe({ env: { NOTEVAULT_DATA_DIR: dataDir }, under });
  using _log = keepLog(databaseFile(dataDir));
  const seed = seedOfRun(t);
  const { vault, acknowledged, deleted } = await load(server.url, new Random(seed));
  const wal = await readFile(`${databaseFile(dataDir)}-wal`);
  const feedsPage = await findPage(databaseFile(dataDir), deleted, acknowledged);
  assert.equal((await server.stop()).code, 0);

  const calls = callsOf(await wholeTrace(trace));
  const commits = commitsIn(wal, { feedsPage, vault });
  const log = logCallsOf(calls);
  const answers = answersIn(calls);
  assert.ok(acknowledged.size >= WRITES && commits.length >= WRITES / AT_ONCE, `--seed ${seed}: too little to look at`);
  for (const [id, seq] of acknowledged) {
    const commit = commits.find(({ changeSeq }) => changeSeq >= seq);
    assert.ok(commit !== undefined, `${id}: its commit is not in the log`);
    const answer = answers.get(id);
    assert.ok(answer !== undefined, `${id}: its answer is not in the trace`);
    assert.ok(
      isSyncedBefore(answer, commit, log),
      `${id} (seq ${seq}, seed ${seed}) was acknowledged at line ${answer}, and its commit not synced before`,
    );
  }
});

/** Writes new notes, edits, no-ops and deletions from many clients at once; returns the final seq of each. */
async function load(url: string, random: Random) {
  const credentials = { email: 'alice@example.org', password: 'long enough' };
  const { access_token: token } = (await registerAt(url, credentials)).body;
  const alice = new Caller(url, async () => ({ authorization: `Bearer ${token}` }));
  const vault: string = (await alice.post('/vaults', { name: 'notes' })).body.vault.id;
  const acknowledged: Acknowledged = new Map();
  /** A deletion's answer has no seq; maps the request's id to the note. */
  const deleted = new Map<string, string>();
  let left = WRITES;
  const hand = async (_: unknown, number: number) => {
    const path = `folder-${number % 3}/note-${number}.md`;
    let [content, note] = ['', ''];
    while (left > 0) {
      const id = `w-${left--}`;
      const again = content !== '' && random.chance(0.2);
      content = again ? content : `${random.noise(50)} [[note-${random.below(AT_ONCE)}]]`;
      const answer = await alice.post('/notes', { path, content, mtime: 1 }, { 'x-request-id': id });
      assert.equal(answer.status, 200);
      acknowledged.set(id, answer.body.note.seq);
      note = answer.body.note.id;
    }
    const id = `w-${WRITES + 1 + number}`;
    deleted.set(id, note);
    const answer = await alice.delete(`/notes/by-id/${note}`, undefined, { 'x-request-id': id });
    assert.equal(answer.status, 200);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, hand));
  return { vault, acknowledged, deleted };
}

/** Finds the page of `vault_feeds` and, while the database is open, the seqs of the deletions. */
async function findPage(
  file: string,
  deleted: ReadonlyMap<string, string>,
  acknowledged: Acknowledged,
): Promise<number> {
  await using raw = await openRaw({ file });
  for (const [id, note] of deleted) {
    const [row] = await raw.all('select seq from entries where id = $1 and deleted_at is not null', note);
    acknowledged.set(id, Number(row?.seq));
  }
  const [row] = await raw.all("select rootpage from sqlite_schema where name = 'vault_feeds'");
  return Number(row?.rootpage);
}

/** The trace line at which each answer of a write began to be sent. */
function answersIn(calls: readonly Call[]): Map<string, number> {
  const answers = new Map<string, number>();
  for (const { on, rest, begin } of calls) {
    const id = on.startsWith('socket') ? /HTTP\/1\.1 2\d\d .*?x-request-id: (w-\d+)\\r/.exec(rest)?.[1] : undefined;
    if (id !== undefined) answers.set(id, begin);
  }
  return answers;
}
