import { writeSync } from 'node:fs';
import { CONTRACT_SCHEMA, contract as sql } from '../contract/statements.ts';
import { openSqlite } from './sqlite.ts';

/*
 * node child.ts <file> <callers> <rounds>: writes rows, and a line to standard output for each transaction as
 * soon as it is answered. The test kills this process or traces its system calls.
 */

const [file = '', callers = '1', rounds = '1'] = process.argv.slice(2);
await using db = await openSqlite({ file });
await db.migrate(CONTRACT_SCHEMA);

async function caller(name: number): Promise<void> {
  for (let round = 0; round < Number(rounds); round++) {
    const id = `row ${name}-${round}.`;
    await db.transact(async (handle) => {
      await handle.run(sql.put, { id, count: 1, words: null, bytes: Buffer.alloc(500), size: null, mark: null });
      await handle.run(sql.put, { id: `${id}twin`, count: 1, words: null, bytes: null, size: null, mark: null });
    });
    writeSync(1, `ack ${id}\n`);
  }
}

await Promise.all(Array.from({ length: Number(callers) }, (_, index) => caller(index)));
