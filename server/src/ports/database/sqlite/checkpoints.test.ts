import assert from 'node:assert/strict';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { Folder } from '../../../../test/kit/programs/process.ts';
import { Checkpoints } from './checkpoints.ts';

test('the thread of checkpoints ends when nothing is written, and another one starts for the next commit', async () => {
  using folder = new Folder();
  const file = folder.at('notes.sqlite');
  const db = new DatabaseSync(file);
  db.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table note (text)');
  const failures: Error[] = [];
  const checkpoints = new Checkpoints(
    file,
    (work) => work(),
    (cause) => failures.push(cause),
    { pollMs: 5, idleMs: 5 },
  );
  try {
    for (let round = 0; round < 2; round++) {
      const started = once(process, 'worker') as Promise<[Worker]>;
      db.exec("insert into note values ('a')");
      checkpoints.noticeCommit();
      const [worker] = await started;
      await once(worker, 'exit');
      assert.equal((await stat(`${file}-wal`)).size, 0);
    }
    assert.deepEqual(failures, []);
  } finally {
    await checkpoints.close();
    db.close();
  }
});
