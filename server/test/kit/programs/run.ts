import { type ParseArgsConfig, parseArgs } from 'node:util';

/* Runs that people start by hand; tests do shorter ones. */

export type EngineName = 'sqlite' | 'postgres';

/** A seed that differs each time. */
export const anySeed = () => Date.now() % 1_000_000;

/** Reads the engine, numbers and flags of a run from the command line. `numbers` has their defaults. */
export function runOptions<Name extends string, Flag extends string = never>(
  numbers: Readonly<Record<Name, number>>,
  ...flags: readonly Flag[]
) {
  const options: NonNullable<ParseArgsConfig['options']> = { engine: { type: 'string' } };
  for (const name of Object.keys(numbers)) options[name] = { type: 'string' };
  for (const name of flags) options[name] = { type: 'boolean', default: false };
  const { values } = parseArgs({ options });
  const given = Object.entries(numbers).map(([name, usual]) => [name, Number(values[name] ?? usual)]);
  const engine: EngineName = values.engine === 'postgres' ? 'postgres' : 'sqlite';
  return { ...values, ...Object.fromEntries(given), engine } as { engine: EngineName } & Record<Name, number> &
    Record<Flag, boolean>;
}

/** Prints the faults of a run; the process fails if there are any. */
export function endRun(faults: readonly string[], summary = `${faults.length} faults`): void {
  for (const fault of faults) console.log(`FAULT ${fault}`);
  console.log(summary);
  process.exitCode = faults.length === 0 ? 0 : 1;
}
