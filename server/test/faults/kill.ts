import { fileURLToPath } from 'node:url';
import { readConfig } from '../../src/config/config.ts';
import { databaseFile } from '../../src/data/data-folder.ts';
import { openRaw } from '../kit/database/raw-sql.ts';
import { makeDataPlace } from '../kit/programs/data-place.ts';
import { type Environment, Folder, ServeProcess, startServe } from '../kit/programs/process.ts';
import { anySeed, type EngineName, endRun, runOptions } from '../kit/programs/run.ts';
import { Random } from '../kit/random.ts';
import { checkLedger } from './kill-check.ts';
import { checkSwept } from './kill-files.ts';
import { callerOf, type Ledger, load, newLedger, signInAgain } from './kill-load.ts';
import { cutPower, SeenRows } from './power-cut.ts';

/*
 * node server/test/faults/kill.ts --engine sqlite|postgres [--times 50] [--seed N] [--power-cuts]
 *
 * Kills a server under load again and again, on the same data. After each kill it must start by itself, with every
 * acknowledged write stored and nothing partial; at the end no blob may be left that is not in use.
 *
 * What a killed process has written stays in the system's cache. With `--power-cuts`, on SQLite, the `-wal` file is put
 * back as its last sync left it, and everything that the change feed handed out must still be there.
 */

const SLOW_DISK = fileURLToPath(new URL('power-cut-serve.ts', import.meta.url));

export interface KillRun {
  readonly engine: EngineName;
  readonly times: number;
  readonly seed: number;
  readonly powerCuts?: boolean;
  readonly report?: (line: string) => void;
}

/** Returns every fault found, in words; empty when the server survived all kills. */
export async function killRun(run: KillRun): Promise<string[]> {
  const { engine, times, seed, powerCuts = false, report = () => undefined } = run;
  const random = new Random(seed);
  using folder = new Folder();
  await using opened = new AsyncDisposableStack();
  const { env, database, inconsistencies } = await makeDataPlace(engine, folder.path, opened);
  await interruptStart(env, random);
  const start = async () => opened.use(await startServe(powerCuts ? { env, main: SLOW_DISK } : { env }));
  let server = await start();
  const seen = new SeenRows();
  const ledger = await newLedger(server.url);
  for (let kill = 1; kill <= times; kill++) {
    const before = ledger.acknowledged;
    await killUnderLoad(server, ledger, seen, random);
    const isCut = powerCuts && (await cutPower(databaseFile(folder.path)));
    // A server may also be killed during recovery.
    if (random.chance(0.2)) await interruptStart(env, random);
    server = await start();
    await signInAgain(server.url, ledger);
    const faults = await checkLedger(server.url, ledger);
    faults.push(...(await seen.missing(callerOf(server.url, ledger))));
    faults.push(...(await inconsistencies()));
    const how = isCut ? 'power cut' : 'kill';
    report(`${how} ${kill}: ${ledger.acknowledged - before} writes acknowledged, ${faults.length} faults`);
    if (faults.length > 0) return faults;
  }
  const { code, stdout, stderr } = await server.stop();
  if (code !== 0) return [`the last server ended with ${code}: ${stdout}${stderr}`];
  return await checkSwept(readConfig(env), () => openRaw(database));
}

/** Kills at a random time: after some number of acknowledgements and some milliseconds more. */
async function killUnderLoad(
  server: ServeProcess & { url: string },
  ledger: Ledger,
  seen: SeenRows,
  random: Random,
): Promise<void> {
  let left = 20 + random.below(400);
  const after = random.below(25);
  const vaults = [...new Set(ledger.slots.map(({ vault }) => vault))];
  const following = seen.follow(callerOf(server.url, ledger), vaults);
  await load(server.url, ledger, random, () => {
    left -= 1;
    if (left === 0) setTimeout(() => server.child.kill('SIGKILL'), after);
  });
  await following;
  await server.ended;
}

async function interruptStart(env: Environment & { NOTEVAULT_DATA_DIR: string }, random: Random): Promise<void> {
  const starting = new ServeProcess({ env });
  const timer = setTimeout(() => starting.child.kill('SIGKILL'), 100 + random.below(700));
  // If the server started before it was killed, it is killed as well.
  await starting.listening().catch(() => undefined);
  clearTimeout(timer);
  await starting.kill();
}

if (import.meta.main) {
  const { 'power-cuts': powerCuts, ...run } = runOptions({ times: 50, seed: anySeed() }, 'power-cuts');
  console.log(`${run.engine}, ${run.times} kills, --seed ${run.seed}`);
  endRun(await killRun({ ...run, powerCuts, report: console.log }));
}
