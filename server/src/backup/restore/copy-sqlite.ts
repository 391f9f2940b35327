import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Client, escapeIdentifier } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { columnsOf, tablesInOrder } from '../../ports/database/postgres/snapshot.ts';
import { copyRow } from '../read/copy-text.ts';

/** The table of the steps of the schema, which the target has already. */
export const RECORD = 'schema_migrations';
const PIECE_CHARACTERS = 64 * 1024;

/** Copies the rows of a SQLite database into the tables of PostgreSQL, which are at the same schema and empty. */
export async function copySqliteTables(file: string, client: Client): Promise<void> {
  using db = new DatabaseSync(file, { readOnly: true });
  for (const table of await tablesInOrder(client)) {
    if (table === RECORD) continue;
    const columns = await columnsOf(client, table);
    const list = columns.map((column) => escapeIdentifier(column)).join(', ');
    const into = client.query(copyFrom(`copy ${escapeIdentifier(table)} (${list}) from stdin`));
    await pipeline(Readable.from(rowsOf(db, table, columns), { objectMode: false }), into);
  }
}

/** The rows of a table in the text format of COPY. */
function* rowsOf(db: DatabaseSync, table: string, columns: readonly string[]): Generator<string> {
  const select = db.prepare(`select ${columns.map((column) => `"${column}"`).join(', ')} from "${table}"`);
  // Exact for integers beyond those of a double.
  select.setReadBigInts(true);
  let piece = '';
  for (const row of select.iterate()) {
    piece += copyRow(columns.map((column) => textOf(row[column] ?? null)));
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

function textOf(value: SQLOutputValue): string | null {
  if (value instanceof Uint8Array)
    return `\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`;
  return value === null ? null : String(value);
}
