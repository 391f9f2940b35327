/**
 * Tests the cost of operations in statements and in round trips to PostgreSQL, which every client waits for. `npm run
 * bench -- statements` prints the table.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { operationCosts } from '../../kit/database/operation-costs.ts';
import { whyNoPostgres } from '../../kit/database/postgres.ts';

/**
 * Maximum statements and round trips. Enter lower numbers here; a higher one needs a reason. A request whose body
 * arrives after its decision takes one statement more, which compares the rights.
 */
const MOST: Readonly<Record<string, readonly [statements: number, roundTrips: number]>> = {
  'read a note with 3 links': [3, 1],
  'upsert a new note': [11, 6],
  'upsert a new note with 3 links': [14, 7],
  'upsert a new note in a new folder': [12, 6],
  'upsert an existing note': [11, 5],
  'upsert an existing note with 3 links': [11, 5],
  'upsert 100 new notes with 3 links each': [328, 30],
  'rename a note with a link to it': [30, 28],
  'rename a folder of 2 notes with a link into it': [33, 32],
  manifest: [4, 3],
  'page of the change feed': [4, 3],
  'unknown texts of 100 notes': [11, 8],
  tags: [4, 3],
  'typed letter': [2, 2],
  'read of a note just typed into': [3, 2],
};

async function costsAboveTable(engine: 'sqlite' | 'postgres', by: 'owner' | 'member'): Promise<string[]> {
  const costs = new Map((await operationCosts(engine, by)).map((cost) => [cost.operation, cost]));
  return Object.entries(MOST).flatMap(([operation, [statements, roundTrips]]) => {
    const cost = costs.get(operation);
    assert.ok(cost !== undefined, `${operation} is no operation`);
    const isAbove = cost.statements > statements || (engine === 'postgres' && cost.roundTrips > roundTrips);
    return isAbove ? [`${operation}: ${cost.statements} statements, ${cost.roundTrips} round trips`] : [];
  });
}

for (const engine of ['sqlite', 'postgres'] as const) {
  const skip = engine === 'postgres' ? (whyNoPostgres() ?? false) : false;
  describe(`the cost of operations on ${engine}`, { skip }, () => {
    for (const by of ['owner', 'member'] as const) {
      test(`the cost of operations of the ${by} of a vault stays within the table of statements and round trips`, async () => {
        let above = await costsAboveTable(engine, by);
        // On a busy machine a request may wait for its turn and then compares its rights; the next attempt does not.
        for (let attempt = 1; above.length > 0 && attempt < 3; attempt++) above = await costsAboveTable(engine, by);
        assert.deepEqual(above, []);
      });
    }
  });
}
