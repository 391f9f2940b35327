import { DatabaseSync } from 'node:sqlite';
import { portError } from './errors.ts';

const FAULTS_MAX = 5;

/**
 * Checks a database file that no process has open, reading all of it. Returns its faults: none when all pages, tables
 * and indexes are consistent. Faults name tables and indexes, never their contents. Throws DatabaseError when the file
 * cannot be opened.
 */
export function checkSqlite(file: string): readonly string[] {
  try {
    using db = new DatabaseSync(file);
    const rows = db.prepare(`pragma integrity_check(${FAULTS_MAX})`).all() as { integrity_check: string }[];
    return rows.map((row) => row.integrity_check.replace(/\s+/g, ' ')).filter((fault) => fault !== 'ok');
  } catch (error) {
    throw portError(error);
  }
}
