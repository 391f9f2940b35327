import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';

/** Number of repetitions of a comparison; their spread shows whether a difference between two runs is significant. */
const ROUNDS = 5;
/** Share of processor time by other programs above which measurements are unreliable. */
const BUSY = 0.1;
const CHECK_MS = 500;
/** Between rounds: servers of the one before may have work left, which is not other work. */
const REST_MS = 1000;
const RESTS_MAX = 5;

/** The figures of each side, one a round. */
type Found<Sides extends Readonly<Record<string, Measure>>> = {
  readonly [Side in keyof Sides]: Awaited<ReturnType<Sides[Side]>>[];
};
type Measure = (round: number) => Promise<unknown>;

/**
 * Measures every side in each round, in the opposite order each time: what runs first has an advantage, and other work
 * on the machine then disturbs all sides alike. Says at the end when there was such work.
 */
export async function inRounds<Sides extends Readonly<Record<string, Measure>>>(sides: Sides): Promise<Found<Sides>> {
  const order = Object.entries(sides);
  const found: Record<string, unknown[]> = Object.fromEntries(order.map(([side]) => [side, []]));
  const busy: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    busy.push(await rest());
    for (const [side, measure] of order) found[side]?.push(await measure(round));
    order.reverse();
  }
  warnIfBusy(Math.max(...busy));
  return found as Found<Sides>;
}

/** Waits for a while until the machine is idle; resolves to the share that is used then. */
async function rest(): Promise<number> {
  for (let rests = 1; ; rests++) {
    await delay(REST_MS);
    const busy = await busyShare();
    if (busy <= BUSY || rests === RESTS_MAX) return busy;
  }
}

/** The share of the processors' time that is used at present. */
export async function busyShare(): Promise<number> {
  const now = () => {
    const times = cpus().map((cpu) => cpu.times);
    const idle = times.reduce((sum, each) => sum + each.idle, 0);
    const all = times.reduce((sum, { user, nice, sys, idle: rest, irq }) => sum + user + nice + sys + rest + irq, 0);
    return { idle, all };
  };
  const before = now();
  await delay(CHECK_MS);
  const after = now();
  return 1 - (after.idle - before.idle) / Math.max(1, after.all - before.all);
}

export function warnIfBusy(share: number): void {
  if (share <= BUSY) return;
  console.log(`The machine is ${Math.round(100 * share)} % busy with other work: only ratios of processor time count.`);
}

/** The median. */
export function middleOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

/** Returns a table row with the median of each figure over the rounds. */
export function middleRow<Figures extends Readonly<Record<string, number>>>(
  name: string,
  rounds: readonly Figures[],
): Record<string, string | number> {
  const columns = Object.keys(rounds[0] ?? {});
  return { '': name, ...Object.fromEntries(columns.map((key) => [key, middleOf(rounds.map((row) => row[key] ?? 0))])) };
}

/** A row of a table: the ratio of what was measured to its peer, the median of the rounds, the least and the greatest. */
export function ratioRow(name: string, own: readonly number[], peer: readonly number[]): Record<string, string> {
  const ratios = own.map((value, round) => value / (peer[round] ?? Number.NaN)).sort((a, b) => a - b);
  const shown = (at: number) => (ratios[at] ?? Number.NaN).toFixed(2);
  return { '': name, ratio: shown(ratios.length >> 1), from: shown(0), to: shown(ratios.length - 1) };
}

/** A row of ratios for each of some columns of the figures; `of` begins their names. */
export function ratioRows<Column extends string>(
  columns: readonly Column[],
  own: readonly Readonly<Record<Column, number>>[],
  peer: readonly Readonly<Record<Column, number>>[],
  of = '',
): Record<string, string>[] {
  const values = (rows: typeof own, column: Column) => rows.map((row) => row[column]);
  return columns.map((column) => ratioRow(`${of} ${column}`.trim(), values(own, column), values(peer, column)));
}
