import assert from 'node:assert/strict';
import { on } from 'node:events';
import { readdirSync, readlinkSync } from 'node:fs';
import { fileOf } from '../kit/content/files.ts';
import { openRaw } from '../kit/database/raw-sql.ts';
import { Caller } from '../kit/person.ts';
import { cli, type Environment, Folder, type ServeProcess, startServe } from '../kit/programs/process.ts';
import { anySeed, endRun, runOptions } from '../kit/programs/run.ts';
import { Random } from '../kit/random.ts';
import { aliceAt } from '../kit/signed-in.ts';
import { until } from '../kit/until.ts';

/*
 * node server/test/faults/soak.ts [--minutes 360] [--starts 3] [--phases 6] [--rate 50] [--seed N]
 *
 * Holds a server under a mixed load. Each start has phases with a backup in the middle of each, and ends with a stop and a
 * new master key. Within a start the second phase is compared with the last: in the first one caches fill.
 */

interface SoakRun {
  readonly minutes: number;
  readonly starts: number;
  /** Phases of each start, at least three. */
  readonly phases: number;
  /** Requests per second. */
  readonly rate: number;
  readonly seed: number;
  readonly report?: (line: string) => void;
}

/** Measurements of one phase. */
export interface Phase {
  readonly start: number;
  readonly requests: number;
  /** Latency in milliseconds from when a request was due: a late server does not make the load smaller. */
  readonly p99: number;
  /** Failed requests and commands, in words. */
  readonly failed: readonly string[];
  /** Memory that the process uses once no request is left, in MB. */
  readonly memoryMb: number;
  /** Open files once no request is left, without sockets, which clients keep open. */
  readonly handles: number;
  /** Gauges of held resources that are not 0 once no request is left. */
  readonly held: readonly string[];
}

/** Factor up to which memory and open files may differ between phases. */
const GROWTH_MAX = 1.1;
const NOTES = 200;
const FILES = 50;
const METRICS_TOKEN = 'token-of-the-metrics';
/** Gauges of what requests hold while they run. */
const HELD =
  /^(notevault_(?:uploads|requests_waiting|answer_bytes|edits_pending|edit_bytes_pending|mcp_calls)) ([^0].*)$/gm;

/** Runs all phases; rejects when a stopped server leaves a lease. */
export async function soak({ minutes, starts, phases, rate, seed, report = () => undefined }: SoakRun) {
  using folder = new Folder();
  const env = { NOTEVAULT_DATA_DIR: folder.at('data'), NOTEVAULT_METRICS_TOKEN: METRICS_TOKEN };
  const probe = new URL('../../../bench/kit/memory-probe.ts', import.meta.url);
  const random = new Random(seed);
  const measured: Phase[] = [];
  const seconds = (minutes * 60) / (starts * phases);
  let access: Access | undefined;
  for (let start = 1; start <= starts; start += 1) {
    await using server = await startServe({ env: { ...env, NODE_OPTIONS: `--import=${probe} --experimental-ffi` } });
    access ??= await firstAccess(server.url);
    for (let number = 1; number <= phases; number += 1) {
      const load = new Load(server.url, access, random);
      const backUp = () => succeeds(['backup', folder.at('backups'), '--keep', '2'], env);
      const phase = { start, ...(await runPhase(server, load, { seconds, rate, backUp })) };
      measured.push(phase);
      report(JSON.stringify(phase));
    }
    await server.stop();
    await succeeds(['keys', 'rotate'], env);
    await using rows = await openRaw({ file: folder.at('data', 'notevault.sqlite') });
    const left = await rows.all('select holder from backup_state where holder is not null');
    if (left.length > 0) throw new Error(`start ${start} left a lease`);
  }
  return measured;
}

interface Access {
  /** A personal access token, which outlives sessions. */
  readonly key: string;
  readonly vault: string;
}

async function firstAccess(url: string): Promise<Access> {
  const alice = await aliceAt(url);
  const { id } = (await alice.post('/vaults', { name: 'Home' })).body.vault;
  const { key } = (await alice.post('/connections/pat', { name: 'soak', vault_access: { [id]: 'write' } })).body;
  return { key, vault: id };
}

interface PhaseRun {
  readonly seconds: number;
  readonly rate: number;
  readonly backUp: () => Promise<void>;
}

async function runPhase(
  server: ServeProcess & { readonly url: string },
  load: Load,
  { seconds, rate, backUp }: PhaseRun,
) {
  let backup: Promise<void> | undefined;
  await load.run(seconds, rate, (elapsed) => {
    if (elapsed < seconds / 2) return;
    backup ??= backUp();
    backup.catch(() => undefined);
  });
  await backup;
  const held = await heldAfterwards(server.url);
  const { requests, p99, failed } = load;
  return { requests, p99, failed, memoryMb: await usedMbOf(server), handles: openFilesOf(server), held };
}

/** Returns what got worse between the second and the last phase of each start, in words. */
export function faultsOf(phases: readonly Phase[]): string[] {
  const faults = phases.flatMap(({ start, failed, held }) => [
    ...failed.map((what) => `start ${start}: ${what}`),
    ...held.map((name) => `start ${start}: ${name} is held`),
  ]);
  for (const [start, all] of Map.groupBy(phases, (phase) => phase.start)) {
    const [, second, ...rest] = all;
    const last = rest.at(-1);
    if (second === undefined || last === undefined) throw new Error('a start has at least three phases');
    for (const what of ['memoryMb', 'handles'] as const) {
      if (last[what] <= second[what] * GROWTH_MAX) continue;
      faults.push(`start ${start}: ${what} grew from ${second[what]} to ${last[what]}`);
    }
  }
  return faults;
}

/** Sends requests at a rate, whether or not earlier ones are answered. */
class Load {
  readonly failed: string[] = [];
  readonly #caller: Caller;
  readonly #random: Random;
  readonly #times: number[] = [];

  constructor(url: string, { key, vault }: Access, random: Random) {
    this.#caller = new Caller(url, async () => ({ authorization: `Bearer ${key}`, 'x-vault-id': vault }));
    this.#random = random;
  }

  get requests(): number {
    return this.#times.length;
  }

  get p99(): number {
    const sorted = this.#times.toSorted((one, other) => one - other);
    return Math.round(sorted[Math.floor(sorted.length * 0.99)] ?? 0);
  }

  async run(seconds: number, rate: number, eachSecond: (elapsed: number) => void): Promise<void> {
    const running = new Set<Promise<void>>();
    const since = performance.now();
    for (let sent = 0; sent < seconds * rate; sent += 1) {
      const due = since + (sent / rate) * 1000;
      const early = due - performance.now();
      if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
      const request = this.#send(due).finally(() => running.delete(request));
      running.add(request);
      if (sent % rate === 0) eachSecond(sent / rate);
    }
    await Promise.all(running);
  }

  async #send(due: number): Promise<void> {
    const [name, answer] = this.#next();
    const status = await answer.then(
      (answered) => answered.status,
      (error: Error) => error.message,
    );
    this.#times.push(performance.now() - due);
    if (typeof status === 'string' || (status >= 400 && status !== 404)) this.failed.push(`${name}: ${status}`);
  }

  #next(): [name: string, answer: Promise<{ readonly status: number }>] {
    const [caller, random] = [this.#caller, this.#random];
    const [note, file] = [`n/${random.below(NOTES)}.md`, `f/${random.below(FILES)}.png`];
    const kind = random.below(100);
    if (kind < 40) return ['read', caller.get(`/notes/${note}`)];
    if (kind < 65) {
      const content = `${random.below(1e9)} words of a note `.repeat(20 + random.below(60));
      return ['write', caller.post('/notes', { path: note, content, mtime: 1 })];
    }
    if (kind < 75) return ['changes', caller.get('/sync/changes')];
    if (kind < 83) return ['search', caller.post('/search', { query: 'words note', limit: 5 })];
    if (kind < 89) {
      // Without the signature, one of the 256 files looks like a video.
      const bytes = Buffer.concat([fileOf('png', 0), Buffer.alloc(20_000, random.below(256))]);
      return ['upload', caller.put(`/attachments/${file}`, bytes, { 'content-type': 'image/png' })];
    }
    if (kind < 95) return ['download', caller.get(`/attachments/${file}?raw=1`)];
    return ['tree', caller.get('/vault/tree')];
  }
}

async function succeeds(args: readonly string[], env: Environment): Promise<void> {
  const { code, stderr } = await cli(args, { env });
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${stderr}`);
}

/** Waits until nothing is held; resolves to the gauges that still are after a while. */
async function heldAfterwards(url: string): Promise<string[]> {
  let held: string[] = [];
  const isFree = async () => {
    const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
    held = Array.from((await answer.text()).matchAll(HELD), ([, name = '', value]) => `${name} ${value}`);
    return held.length === 0;
  };
  await until(isFree, 'everything to be released').catch(() => undefined);
  return held;
}

function openFilesOf({ child }: ServeProcess): number {
  const folder = `/proc/${child.pid}/fd`;
  const isFile = (name: string) => {
    try {
      return !readlinkSync(`${folder}/${name}`).startsWith('socket:');
    } catch {
      // Closed since it was listed.
      return false;
    }
  };
  return readdirSync(folder).filter(isFile).length;
}

/**
 * Returns the memory that the process uses, without pages of files, in MB. V8 leaves garbage for minutes, longer on a
 * busy machine, and the C library keeps free pages between blocks in use, more after each peak of the load. Neither is a
 * leak, so both are given back to the system first.
 */
async function usedMbOf({ child }: ServeProcess): Promise<number> {
  assert.ok(child.stderr);
  const lines = on(child.stderr, 'data');
  child.kill('SIGUSR1');
  let said = '';
  for await (const [text] of lines) {
    said += text;
    const [, report] = /^memory (.*)$/m.exec(said) ?? [];
    if (report !== undefined) return (JSON.parse(report) as { own: number }).own;
  }
  throw new Error('the server ended');
}

if (import.meta.main) {
  const run = runOptions({ minutes: 360, starts: 3, phases: 6, rate: 50, seed: anySeed() });
  const faults = faultsOf(await soak({ ...run, report: console.log }));
  endRun(faults, faults.length === 0 ? 'nothing grew' : undefined);
}
