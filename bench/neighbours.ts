import { globSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NeighbourLoad } from './kit/neighbour-load.ts';
import { Helper, type ProbeReport, type Seen } from './kit/neighbour-process.ts';
import { numberGiven, type Running, startServer } from './kit/processes.ts';
import { join as joinServer, signUp } from './kit/vault.ts';

// How does one account's load affect others? Each load runs against its own server, while another account requests its
// profile, reads, searches and writes small notes. Arguments: seconds per load, parts of the names of loads, `--runs=3`.
const SECONDS = numberGiven(15);
/** Seconds without any load, to see what the machine does by itself. */
const IDLE_SECONDS = 3;
const RUNS = Number(/^--runs=(\d+)$/m.exec(process.argv.slice(2).join('\n'))?.[1] ?? 1);

const loadsFolder = join(import.meta.dirname, 'neighbours');
const names = process.argv.slice(2).filter((arg) => !/^\d+$|^--/.test(arg));
const files = globSync('*.ts', { cwd: loadsFolder }).sort();
const chosen = files.filter((file) => names.length === 0 || names.some((name) => file.includes(name)));

interface Row {
  readonly report: ProbeReport;
  readonly loopMs: number;
  readonly peakMb: number;
}

async function probed(server: Running, headers: Record<string, string>, work: () => Promise<unknown>): Promise<Row> {
  await using probe = await Helper.start<ProbeReport>('neighbour-probe.ts', { url: server.url, headers });
  await server.resetPeak();
  await server.loopDelay();
  probe.go();
  await work();
  const report = await probe.stop();
  return { report, loopMs: (await server.loopDelay()).maxMs, peakMb: await server.peakMemory() };
}

async function measured(file: string): Promise<{ idle: Row; loaded: Row }> {
  // A load may call from many networks.
  const trust = { NOTEVAULT_TRUST_PROXY: '127.0.0.1' };
  await using server = await startServer({ ...trust, NOTEVAULT_REGISTRATION: 'open', NOTEVAULT_AUTH_RATE_LIMIT: '0' });
  const headers = await signUp(server.url);
  const others = await joinServer(server.url, 'bob@example.org');
  const target = { url: server.url, headers };
  await using load = await Helper.start('neighbour-runner.ts', target, join(loadsFolder, file));
  const idle = await probed(server, others, () => delay(IDLE_SECONDS * 1000));
  const loaded = await probed(server, others, async () => {
    load.go();
    await delay(SECONDS * 1000);
    await load.stop();
  });
  return { idle, loaded };
}

function shown(name: string, rows: readonly Row[]) {
  const median = (values: readonly number[]) => Math.round(values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0);
  const of = (pick: (row: Row) => number) => median(rows.map(pick));
  const seen = (pick: (row: Row) => Seen) =>
    `${of((row) => pick(row).p50Ms)} / ${of((row) => pick(row).p99Ms)} / ${of((row) => pick(row).worstMs)}`;
  return {
    load: name,
    'me p50/p99/worst ms': seen(({ report }) => report.me),
    'read p50/p99/worst ms': seen(({ report }) => report.read),
    'search p50/p99/worst ms': seen(({ report }) => report.search),
    'upsert p50/p99/worst ms': seen(({ report }) => report.upsert),
    refused: of(({ report }) => Object.values(report).reduce((sum: number, { refused }) => sum + refused, 0)),
    'loop held ms': of(({ loopMs }) => loopMs),
    'peak MB': of(({ peakMb }) => peakMb),
  };
}

const table: object[] = [];
for (const file of chosen) {
  const { load } = (await import(join(loadsFolder, file))) as { load: NeighbourLoad };
  const rows: { idle: Row; loaded: Row }[] = [];
  for (let run = 0; run < RUNS; run++) rows.push(await measured(file));
  if (table.length === 0) {
    const idle = rows.map((row) => row.idle);
    table.push(shown('(no load)', idle));
  }
  const loaded = rows.map((row) => row.loaded);
  table.push(shown(load.name, loaded));
  console.table(table.slice(-1));
}
console.table(table);
