import { DatabaseSync } from 'node:sqlite';
import { portError } from './sqlite.errors.ts';

const FAULTS_MAX = 5;

/**
 * What is wrong with a database file that no process has open: nothing when all of its pages, tables and indexes hold
 * together. Names tables and indexes, never what is in them. Reads the whole file. Throws DatabaseError where it cannot
 * even be opened.
 */
export function checkSqlite(file: string): readonly string[] {
  try {
    const db = new DatabaseSync(file);
    try {
      const rows = db.prepare(`pragma integrity_check(${FAULTS_MAX})`).all() as { integrity_check: string }[];
      return rows.map((row) => row.integrity_check.replace(/\s+/g, ' ')).filter((fault) => fault !== 'ok');
    } finally {
      db.close();
    }
  } catch (error) {
    throw portError(error);
  }
}
