import { type DiskMaker, World } from './world.ts';

interface RunOptions {
  readonly twice?: boolean;
  readonly hasMembers?: boolean;
  readonly diskOf?: DiskMaker;
  readonly rests?: boolean;
  readonly hasExchanges?: boolean;
  readonly hasCopies?: boolean;
}

/** Runs some seeds, each twice to prove that a seed is deterministic; returns one failure message per failed seed. */
export async function runSeeds(
  first: number,
  count: number,
  { twice = true, ...options }: RunOptions = {},
): Promise<string[]> {
  const failures: string[] = [];
  for (let seed = first; seed < first + count && failures.length < 5; seed++) {
    const [result, trace] = await outcomeOf(seed, options);
    if (result !== null) failures.push(`seed ${seed}: ${result}`);
    if (!twice) continue;
    const [, again] = await outcomeOf(seed, options);
    if (again !== trace) failures.push(`seed ${seed} is not the same when it is run again`);
  }
  return failures;
}

async function outcomeOf(
  seed: number,
  { hasMembers, rests, diskOf, hasExchanges, hasCopies }: Omit<RunOptions, 'twice'>,
): Promise<[result: string | null, trace: string]> {
  const world = new World(seed, hasMembers, diskOf, rests, hasExchanges, hasCopies);
  const result = await world.run().catch((error: unknown) => String(error instanceof Error ? error.stack : error));
  return [result, world.trace.join('\n')];
}
