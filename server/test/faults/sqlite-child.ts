import { writeSync } from 'node:fs';
import { CONTRACT_SCHEMA, contract as sql } from '../../src/ports/database/contract/statements.ts';
import { openSqlite } from '../../src/ports/database/sqlite/sqlite.ts';

/*
 * node child.ts <file> <callers> <rounds>: writes rows, and a line to standard output for each transaction as
 * soon as it is answered. The test kills this process or traces its system calls.
 */

const [file = '', callers = '1', rounds = '1'] = process.argv.slice(2);
await using db = await openSqlite({ file });
await db.migrate(CONTRACT_SCHEMA);

/** Writes to the pipe at once, or as soon as its reader, on a busy machine, has made room. */
function say(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

async function caller(name: number): Promise<void> {
  for (let round = 0; round < Number(rounds); round++) {
    const id = `row ${name}-${round}.`;
    await db.transact(async (handle) => {
      await handle.run(sql.put, { id, count: 1, words: null, bytes: Buffer.alloc(500), size: null, mark: null });
      await handle.run(sql.put, { id: `${id}twin`, count: 1, words: null, bytes: null, size: null, mark: null });
    });
    say(`ack ${id}\n`);
  }
}

await Promise.all(Array.from({ length: Number(callers) }, (_, index) => caller(index)));
