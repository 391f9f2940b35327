import assert from 'node:assert/strict';
import { test } from 'node:test';
import { whyNoPostgres } from '../kit/database/postgres.ts';
import type { EngineName } from '../kit/programs/run.ts';
import { Random, seedOfRun } from '../kit/random.ts';
import { type KillRun, killRun } from './kill.ts';
import { killTyping } from './kill-typing.ts';

/** Kills of each form on each engine. Between kills nothing else changes the data. */
const KILLS = 50;
const PER_RUN = 25;

const noPostgres = whyNoPostgres() ?? false;

const forms: readonly (readonly [title: string, file: string, (run: KillRun) => Promise<string[]>])[] = [
  ['under load', 'kill.ts', killRun],
  ['while twenty people type', 'kill-typing.ts', killTyping],
];

test(`a server on sqlite survives ${KILLS} power cuts under load`, async (t) => {
  const seed = seedOfRun(t);
  const report: string[] = [];
  const run = { engine: 'sqlite', times: KILLS, seed, powerCuts: true } as const;
  const faults = await killRun({ ...run, report: (line) => report.push(line) });
  const again = `node server/test/faults/kill.ts --engine sqlite --times ${KILLS} --seed ${seed} --power-cuts`;
  assert.deepEqual(faults, [], `${report.join('; ')}; again: ${again}`);
});

for (const engine of ['sqlite', 'postgres'] satisfies EngineName[]) {
  for (const [when, file, run] of forms) {
    const skip = engine === 'postgres' && noPostgres;
    test(`a server on ${engine} survives ${KILLS} kills ${when}`, { skip }, async (t) => {
      const random = new Random(seedOfRun(t));
      for (let done = 0; done < KILLS; done += PER_RUN) {
        const seed = random.below(1_000_000);
        const report: string[] = [];
        const faults = await run({ engine, times: PER_RUN, seed, report: (line) => report.push(line) });
        const again = `node server/test/faults/${file} --engine ${engine} --times ${PER_RUN} --seed ${seed}`;
        assert.deepEqual(faults, [], `${report.join('; ')}; again: ${again}`);
      }
    });
  }
}
