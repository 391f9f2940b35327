import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { CheckAnswer } from './check.ts';

/* Checks a database file on a worker thread, because the check reads all of it in one blocking statement. */

const FAULTS_MAX = 5;
const { file } = workerData as { file: string };

function check(): CheckAnswer {
  try {
    using db = new DatabaseSync(file, { timeout: 15_000 });
    db.exec('pragma wal_autocheckpoint = 0');
    const rows = db.prepare(`pragma integrity_check(${FAULTS_MAX})`).all() as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check.replace(/\s+/g, ' ')).filter((fault) => fault !== 'ok');
  } catch (error) {
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : 0;
    return { failure: error instanceof Error ? error.message : String(error), code };
  }
}

parentPort?.postMessage(check());
