import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { MB } from '@notevault/protocol/values/byte-units.ts';
import { Folder } from '../../../../test/kit/programs/process.ts';
import { until } from '../../../../test/kit/until.ts';
import type { Database } from '../database.ts';
import { statementsOver } from '../statement.ts';
import { openSqlite } from './sqlite.ts';

const { statement } = statementsOver<{ texts: { id: number; text: string } }>();
const insert = statement((db, p: { id: number; text: string }) =>
  db.insertInto('texts').values({ id: p.id, text: p.text }),
);
const lengthOfAll = statement((db, _: object) =>
  db.selectFrom('texts').select((eb) => eb.fn.sum<number>(eb.fn<number>('length', ['text'])).as('length')),
);

const ddl = `
create table texts (
  id bigint primary key,
  text text not null
);
`;
const ROWS = 32;

test('pages of the SQLite file do not stay resident once per connection that read them', {
  skip: process.platform !== 'linux',
}, async () => {
  using folder = new Folder();
  const file = folder.at('test.sqlite');
  await write(file);
  await using db = await openSqlite({ file, unmapMs: 200 });
  const before = mapped();
  // Two snapshots at once use two connections.
  await Promise.all([readAll(db, 2), readAll(db, 2)]);
  assert.ok(mapped() - before > 40, `${mapped() - before} MiB of a file of ${ROWS} are mapped`);
  await until(() => mapped() - before <= 4, 'the unmapping');
  assert.equal((await db.get(lengthOfAll, {}))?.length, ROWS * MB);
});

async function write(file: string): Promise<void> {
  await using db = await openSqlite({ file });
  await db.migrate([{ number: 1, name: 'texts', ddl }]);
  for (let id = 0; id < ROWS; id++) {
    await db.transact((handle) => handle.run(insert, { id, text: 'x'.repeat(MB) }));
  }
}

/** Reads everything in a snapshot that stays open for some turns of the event loop. */
async function readAll(db: Database, turns: number): Promise<void> {
  await db.read(async (handle) => {
    for (let turn = 0; turn < turns; turn++) {
      await handle.get(lengthOfAll, {});
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
}

/** Resident MiB of mapped files, also of those in memory, counting each mapping. */
function mapped(): number {
  const status = readFileSync('/proc/self/status', 'utf8');
  const sizes = [...status.matchAll(/^Rss(?:File|Shmem):\s+(\d+) kB/gm)].map(([, kB]) => Number(kB) / 1024);
  return sizes.reduce((sum, size) => sum + size, 0);
}
