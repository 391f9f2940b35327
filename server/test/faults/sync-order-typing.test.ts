import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { databaseFile } from '../../src/data/data-folder.ts';
import { AcknowledgingClient } from '../kit/clients/acknowledging-client.ts';
import { commitsIn, firstCommitsOf, keepLog } from '../kit/database/wal.ts';
import { Caller } from '../kit/person.ts';
import { Folder, startServe } from '../kit/programs/process.ts';
import { type Call, callsOf, isSyncedBefore, logCallsOf, traced, wholeTrace } from '../kit/programs/trace.ts';
import { registerAt } from '../kit/setup-tokens.ts';

/*
 * Like sync-order.test.ts, for edits typed over sockets: write to the log, sync of the log, and only then the
 * acknowledgement to the writer and the edit to the watcher.
 */

const NOTES = 6;
const WORDS = 25;

const folder = new Folder();
const trace = folder.at('trace');
const tracer = traced(trace);
const skip = 'why' in tracer ? tracer.why : false;
if (skip !== false) process.stderr.write(`NOT TESTED: whether acknowledgements wait for the disk: ${skip}\n`);

test('[7.3] no acknowledgement or relay of an edit is sent before a sync of the log that began after its commit', {
  skip,
}, async () => {
  using _removed = folder;
  const dataDir = folder.at('data');
  const under = 'under' in tracer ? tracer.under : [];
  await using server = await startServe({ env: { NOTEVAULT_DATA_DIR: dataDir }, under });
  using _log = keepLog(databaseFile(dataDir));
  const { vault, notes } = await load(server.url);
  const wal = await readFile(`${databaseFile(dataDir)}-wal`);
  assert.equal((await server.stop()).code, 0);

  const calls = callsOf(await wholeTrace(trace));
  const log = logCallsOf(calls);
  const commits = commitsIn(wal, { feedsPage: 0, vault });
  for (const note of notes) {
    const edits = firstCommitsOf(wal, commits, [vault, note]);
    assert.equal(edits.length, WORDS, `${note}: each word is an edit in the log`);
    // The first acknowledgement belongs to the handshake.
    const acknowledged = sentIn(calls, new RegExp(`\\$${note}\\\\10\\\\1"`)).slice(-WORDS);
    const relayed = sentIn(calls, new RegExp(`\\$${note}\\\\0{1,3}\\\\0{0,2}2`));
    assert.deepEqual([acknowledged.length, relayed.length], [WORDS, WORDS]);
    for (const [at, commit] of edits.entries()) {
      for (const [what, lines] of Object.entries({ acknowledged, relayed })) {
        const line = lines[at] ?? -1;
        assert.ok(
          isSyncedBefore(line, commit, log),
          `word ${at} of ${note} was ${what} at line ${line}, and not synced before`,
        );
      }
    }
  }
});

/** One client types into each note, a word whenever the last is acknowledged; another watches each note. */
async function load(url: string) {
  const credentials = { email: 'alice@example.org', password: 'long enough' };
  const { access_token: token } = (await registerAt(url, credentials)).body;
  const alice = new Caller(url, async () => ({ authorization: `Bearer ${token}` }));
  const vault: string = (await alice.post('/vaults', { name: 'notes' })).body.vault.id;
  const notes: string[] = [];
  for (let at = 0; at < NOTES; at++) {
    notes.push((await alice.post('/notes', { path: `${at}.md`, content: '', mtime: 1 })).body.note.id);
  }
  await Promise.all(
    notes.map(async (note, at) => {
      const [typist, watcher] = [new AcknowledgingClient(`p${at}`, note), new AcknowledgingClient(`w${at}`, note)];
      await watcher.join(url, token);
      await typist.join(url, token);
      while (typist.ahead > 0) await typist.acknowledgedOnce();
      for (let word = 0; word < WORDS; word++) {
        typist.type(0);
        while (typist.ahead > 0) await typist.acknowledgedOnce();
      }
      while (watcher.doc.getText('content').length < typist.doc.getText('content').length) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (const person of [typist, watcher]) person.leave();
    }),
  );
  return { vault, notes };
}

/** The trace lines at which frames that contain some bytes began to be sent; one call may send several frames. */
function sentIn(calls: readonly Call[], bytes: RegExp): number[] {
  const all = new RegExp(bytes, 'g');
  return calls
    .filter(({ on }) => on.startsWith('socket'))
    .flatMap(({ rest, begin }) => [...rest.matchAll(all)].map(() => begin));
}
