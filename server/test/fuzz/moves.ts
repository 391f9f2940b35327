import { setTimeout as delay } from 'node:timers/promises';
import type { Database, ReadHandle, WriteHandle } from '../../src/ports/database/database.ts';
import { MasterKeyring } from '../../src/ports/keyring/master-key.ts';
import { checkConsistency } from '../kit/database/consistency-check.ts';
import type { Raw } from '../kit/database/raw-sql.ts';
import { freshOnPostgres, freshSqlite, rawOf } from '../kit/engines.ts';
import type { Caller, Headed } from '../kit/person.ts';
import { endRun, runOptions } from '../kit/programs/run.ts';
import { Random } from '../kit/random.ts';
import { startServer, type TestServer } from '../kit/server.ts';
import { Chance, type Op } from './moves.ops.ts';
import { foldersWrong, type View, Viewer } from './moves.view.ts';
import { Maker } from './moves.world.ts';

/*
 * node server/test/fuzz/moves.ts [--engine sqlite|postgres] [--from 1] [--seeds 1000] [--delays] [--verbose]
 *
 * With `--delays` (PostgreSQL only) calls of the database are delayed at random.
 *
 * Writes, moves and deletes notes, files and folders at random, sometimes from two servers at once. A move must not
 * change the target of a link, a refused request must change nothing, nothing may be lost that was not deleted, and at
 * the end every stored row must agree with the notes' paths and texts.
 */

const STEPS = 30;
/** Characters that a wikilink cannot contain: a link to a note with one of these in its name may break. */
const UNSAYABLE = /[[\]|#^]/;
/** Number of vaults that share a server and its consistency check. */
const SHARING = 20;
/** With delays, one in this many calls is delayed. */
const DELAYED_EVERY = 4;
const DELAY_MS_MAX = 12;

/** Two servers over one database, like two processes: each sees the other's writes only through the database. */
interface Pair {
  readonly callers: readonly [Caller, Caller];
  readonly server: TestServer;
  readonly raw: Raw;
}

interface MovesOptions {
  readonly verbose?: boolean;
  readonly delays?: boolean;
  /** Whether names are exchanged too, which makes another run of each seed. */
  readonly swaps?: boolean;
}

/** Returns every fault found, in words that name the seed; empty when there is none. */
export async function movesRun(
  open: () => Promise<Database>,
  seeds: readonly number[],
  { verbose = false, delays = false, swaps = false }: MovesOptions = {},
): Promise<string[]> {
  const faults: string[] = [];
  for (let at = 0; at < seeds.length && faults.length === 0; at += SHARING) {
    await using opened = new AsyncDisposableStack();
    const own = await open();
    const db = delays ? delayed(own, new Random(seeds[at] ?? 0)) : own;
    const server = opened.use(await startServer({ open: async () => db }));
    const { clock, masterKey } = server;
    const other = opened.use(await startServer({ open: async () => db, blobs: server.blobs, clock, masterKey }));
    const { accessToken } = await server.alice.signed();
    const pair: Pair = {
      server,
      raw: opened.use(await rawOf(own)),
      callers: [server.alice, other.bearer(accessToken)],
    };
    const seedOf = new Map<string, number>();
    for (const seed of seeds.slice(at, at + SHARING)) {
      const { vault } = (await server.alice.post('/vaults', { name: 'Moves' })).body;
      seedOf.set(vault.id, seed);
      const found = await sequence(pair, vault.id, seed, { verbose, swaps });
      faults.push(...found.map((fault) => `seed ${seed}: ${fault}`));
    }
    const keyring = new MasterKeyring(masterKey, () => Buffer.alloc(0));
    for (const fault of await checkConsistency(pair.raw, keyring)) {
      const vault = [...seedOf.keys()].find((id) => fault.includes(id)) ?? '';
      faults.push(`seed ${seedOf.get(vault)}: ${fault}`);
    }
  }
  return faults;
}

async function sequence(
  pair: Pair,
  vault: string,
  seed: number,
  { verbose, swaps }: { readonly verbose: boolean; readonly swaps: boolean },
): Promise<string[]> {
  const random = new Random(seed);
  // Every fourth run uses names that some links cannot express, so that moves may break links.
  const odd = seed % 4 === 0;
  const chance = new Chance(random, new Maker(random, odd), swaps);
  const viewer = await Viewer.of(pair.raw, pair.server.masterKey, vault);
  const headers = { 'x-vault-id': vault };
  let before = await viewer.look();
  for (let step = 0; step < STEPS; step++) {
    pair.server.clock.advance({ ms: 100 });
    const many = random.chance(0.15) ? 2 + random.below(3) : 1;
    const ops = Array.from({ length: many }, () => chance.next(before));
    const statuses = await Promise.all(ops.map((op, index) => send(pair, op, index, headers, random.below(2))));
    if (verbose)
      for (const [index, op] of ops.entries()) process.stderr.write(`${step}: ${op.label} → ${statuses[index]}\n`);
    const after = await viewer.look();
    const faults = [...failures(ops, statuses), ...lost(ops, before, after)];
    const [only] = ops;
    if (ops.length === 1 && only !== undefined) faults.push(...alone(only, statuses[0] ?? 0, odd, before, after));
    if (faults.length > 0)
      return faults.map((fault) => `step ${step}, ${ops.map(({ label }) => label).join(' & ')}: ${fault}`);
    before = after;
  }
  return foldersWrong(pair.callers[0], headers, vault, before);
}

async function send(pair: Pair, op: Op, index: number, headers: Headed, first: number): Promise<number> {
  const caller = pair.callers[(first + index) % 2 === 0 ? 0 : 1];
  return (await op.send(caller, { ...headers, 'x-device-id': `device-${index}` })).status;
}

function failures(ops: readonly Op[], statuses: readonly number[]): string[] {
  return statuses.flatMap((status, index) =>
    status >= 500 || status === 401 ? [`${ops[index]?.label} was answered ${status}`] : [],
  );
}

function lost(ops: readonly Op[], before: View, after: View): string[] {
  const live = new Set([...after.notes, ...after.files].map(({ id }) => id));
  // The folder may have received the note just before it was deleted, at a path that was never observed.
  if (ops.length > 1 && ops.some((op) => /folder/.test(op.label) && op.label.startsWith('delete'))) return [];
  return [...before.notes, ...before.files]
    .filter((note) => !live.has(note.id) && !ops.some((op) => op.deletes(note)))
    .map(({ path }) => `lost ${path}`);
}

/** Checks a request that ran alone. */
function alone(op: Op, status: number, odd: boolean, before: View, after: View): string[] {
  if (status >= 400)
    return JSON.stringify(plain(before)) === JSON.stringify(plain(after))
      ? []
      : [`changed something, and was answered ${status}`];
  if (!op.moves) return [];
  const pathOf = new Map([...after.notes, ...after.files].map(({ id, path }) => [id, path]));
  return [...before.edges]
    .filter(([link, target]) => after.edges.get(link) !== target)
    .filter(([, target]) => !(odd && UNSAYABLE.test(pathOf.get(target) ?? '')))
    .map(([link, target]) => {
      const [source = '', ord] = link.split(' ');
      const now = pathOf.get(after.edges.get(link) ?? '') ?? 'nothing';
      return `link ${ord} of ${pathOf.get(source)} pointed to what is ${pathOf.get(target)} now, and points to ${now}`;
    });
}

function plain(view: View): unknown {
  const sorted = (items: readonly object[]) => items.map((item) => JSON.stringify(item)).sort();
  return {
    ...view,
    notes: sorted(view.notes),
    files: sorted(view.files),
    made: sorted(view.made),
    folders: [...view.folders].sort(),
    gone: [...view.gone].sort(),
    edges: [...view.edges].sort(),
  };
}

/**
 * A database whose calls, also those inside transactions, are answered late at random, so that other writes interleave
 * between the reads and writes of a slow process. The calls themselves are made at once, because statements that a body
 * sends together run in that order. For PostgreSQL only: on SQLite a transaction may await nothing but its handle.
 */
function delayed(db: Database, random: Random): Database {
  const pause = async () => {
    if (random.below(DELAYED_EVERY) === 0) await delay(random.below(DELAY_MS_MAX));
  };
  const slow = <Handle extends ReadHandle | WriteHandle>(handle: Handle): Handle =>
    new Proxy(handle, {
      get(target, name) {
        const own: unknown = Reflect.get(target, name, target);
        if (typeof own !== 'function') return own;
        if (name === 'onCommit') return own.bind(target);
        return async (...sent: unknown[]) => {
          const result = await own.apply(target, sent);
          await pause();
          return result;
        };
      },
    });
  return new Proxy(db, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name, target);
      if (typeof own !== 'function' || typeof name === 'symbol' || name === 'migrate') {
        return typeof own === 'function' ? own.bind(target) : own;
      }
      return async (...[first, ...rest]: unknown[]) => {
        await pause();
        const sent = name === 'read' || name === 'transact' ? inSlowBody(first) : first;
        const result = await own.apply(target, [sent, ...rest]);
        await pause();
        return result;
      };
    },
  });

  function inSlowBody(body: unknown) {
    return (handle: ReadHandle | WriteHandle) => (body as (handle: ReadHandle | WriteHandle) => unknown)(slow(handle));
  }
}

if (import.meta.main) {
  const { engine, from, seeds: count, ...options } = runOptions({ from: 1, seeds: 1000 }, 'delays', 'swaps', 'verbose');
  const seeds = Array.from({ length: count }, (_, at) => from + at);
  const since = performance.now();
  const faults: string[] = [];
  for (let at = 0; at < seeds.length && faults.length <= 20; at += SHARING) {
    const fresh = await (engine === 'postgres' ? freshOnPostgres() : freshSqlite());
    faults.push(...(await movesRun(async () => fresh.db, seeds.slice(at, at + SHARING), options)));
    await fresh.db[Symbol.asyncDispose]();
    await fresh.remove();
  }
  const seconds = Math.round((performance.now() - since) / 1000);
  endRun(faults, `${count} seeds in ${seconds} s: ${faults.length} faults`);
}
