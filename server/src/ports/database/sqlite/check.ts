import { once } from 'node:events';
import { startThread } from '../../../program/program.ts';
import { DatabaseError } from '../database.ts';
import { portError } from './errors.ts';

export type CheckAnswer = readonly string[] | { readonly failure: string; readonly code: number };

const WAITING_MS = 1000;

/**
 * Checks a database file on a worker thread, reading all of it; other processes may have it open. Returns its faults:
 * none when all pages, tables and indexes are consistent. Faults name tables and indexes, never their contents. Throws
 * DatabaseError when the file cannot be opened.
 *
 * @param waiting called each second until the check ends, with the seconds so far.
 */
export async function checkSqlite(
  file: string,
  waiting: (seconds: number) => void = () => undefined,
): Promise<readonly string[]> {
  const script = import.meta.url.endsWith('.ts') ? './check-worker.ts' : './check-worker.js';
  const worker = startThread(new URL(script, import.meta.url), { workerData: { file } });
  let seconds = 0;
  const timer = setInterval(() => waiting(++seconds), WAITING_MS);
  try {
    const [[answer]] = (await Promise.all([once(worker, 'message'), once(worker, 'exit')])) as [[CheckAnswer], unknown];
    if (!('failure' in answer)) return answer;
    throw portError(Object.assign(new Error(answer.failure), { errcode: answer.code }));
  } finally {
    clearInterval(timer);
  }
}

/** Throws DatabaseError (`damaged`) unless a database file is sound. */
export async function requireSound(...check: Parameters<typeof checkSqlite>): Promise<void> {
  const faults = await checkSqlite(...check);
  if (faults.length === 0) return;
  const message = `the database file is damaged: ${faults.join('; ')}`;
  throw new DatabaseError('unavailable', message, undefined, { damaged: true });
}
