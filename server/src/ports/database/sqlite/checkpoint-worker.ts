import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckpointAnswer, CheckpointOrder } from './checkpoints.ts';

/* Copies the `-wal` file into the database on a worker thread, because copying and syncing block. */

const { file } = workerData as { file: string };
// The timeout applies to readers of an older snapshot, and only in the checkpoint modes that wait.
const db = new DatabaseSync(file, { timeout: 50 });
db.exec('pragma synchronous = normal');
db.exec('pragma mmap_size = 268435456');
db.exec('pragma wal_autocheckpoint = 0');

parentPort?.on('message', (order: CheckpointOrder | 'close') => {
  if (order === 'close') {
    db.close();
    parentPort?.close();
    return;
  }
  parentPort?.postMessage(answer(order));
});

function answer(order: CheckpointOrder): CheckpointAnswer {
  try {
    const before = checkpoint('noop');
    return 'pages' in before && before.pages < order.fromPages ? before : checkpoint(order.mode);
  } catch (error) {
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
    return { failure: error instanceof Error ? error.message : String(error), code };
  }
}

function checkpoint(mode: CheckpointOrder['mode'] | 'noop'): CheckpointAnswer {
  const row = db.prepare(`pragma wal_checkpoint(${mode})`).get() as { log: number; checkpointed: number };
  return { pages: Number(row.log), copied: Number(row.checkpointed) };
}
