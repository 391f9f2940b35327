import { test } from 'node:test';
import { onEachEngine } from '../kit/engines.ts';
import { startServer } from '../kit/server.ts';
import { checkMerges } from '../races/upsert.ts';

/** TEST_RUNS=10000 makes more. */
const UPSERTS = Number(process.env.TEST_RUNS ?? 400);

onEachEngine('many concurrent upserts', (open) => {
  test(`many concurrent upserts lose and double no line in ${UPSERTS} merges by two clients of two servers`, async (t) => {
    await using server = await startServer({ open });
    await checkMerges(t, server, UPSERTS);
  });
});
