import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isInside } from '@notevault/note-text/paths.ts';
import { sha256 } from '../kit/content/files.ts';
import { Caller } from '../kit/person.ts';
import { makeDataPlace } from '../kit/programs/data-place.ts';
import { cli, Folder, type RunningCli, startCli, startServe } from '../kit/programs/process.ts';
import { endRun, runOptions } from '../kit/programs/run.ts';
import { Random } from '../kit/random.ts';
import { registerAt } from '../kit/setup-tokens.ts';
import { contentsOf, pathsOf } from '../kit/sync-machine.ts';
import { type KeptCopy, trashedCopies, vaultCopies } from './kept-copies.ts';

/*
 * node server/test/faults/sync-kills.ts --engine sqlite|postgres [--machines 2] [--operations 10000] [--per-kill 60] [--seed N] [--atomic]
 *
 * People change real folders at random while `notevault sync` keeps them in step with a real server. The programs and
 * the server are killed at any moment and started again. Then all changes stop: the folders and the vault must become
 * equal, with every line that nobody deleted.
 */

export interface SyncKillRun {
  readonly engine: 'sqlite' | 'postgres';
  readonly machines: number;
  readonly operations: number;
  /** How many operations there are from one kill to the next. */
  readonly perKill: number;
  readonly seed: number;
  /**
   * Whether a program never runs in the middle of what a person does. Then no line may be missing. A person who reads a
   * file and writes it back otherwise writes over what arrives in between.
   */
  readonly isAtomic?: boolean;
}

const FOLDERS = ['', '', 'a', 'b', 'a/c'];
const NAMES = ['x.md', 'y.md', 'z.md', 'é.md', 'p.txt', 'q.txt'];
const ROUNDS_MAX = 20;
/** How much of what the last rounds said is shown when they do not end. */
const ROUNDS_SHOWN = 2;
const LINES_SHOWN = 30;
const PLACES_SHOWN = 6;

/** The lines that people wrote, each one letter, and those that somebody deleted. */
class Diary {
  /** The lines written, each with its file. */
  readonly #written = new Map<string, string>();
  readonly #removed = new Set<string>();

  next(at: string): string {
    const line = String.fromCodePoint(0x4e00 + this.#written.size);
    this.#written.set(line, at);
    return `${line}\n`;
  }

  removed(text: string): void {
    for (const line of text.split('\n')) this.#removed.add(line);
  }

  missingFrom(texts: Iterable<string>): string[] {
    const there = new Set([...texts].flatMap((text) => text.split('\n')));
    return [...this.#written.keys()].filter((line) => !this.#removed.has(line) && !there.has(line));
  }

  /** Whether a text is one line that somebody wrote. */
  isLine(text: string): boolean {
    return text.endsWith('\n') && this.#written.has(text.slice(0, -1));
  }

  withFile(line: string): string {
    return `${line} (written to ${this.#written.get(line)})`;
  }
}

/** A machine whose program runs, is killed and started again. */
export class Machine implements Disposable {
  readonly #home: string;
  readonly #env: Record<string, string>;
  readonly #args: readonly string[];
  readonly faults: string[] = [];
  /** How each `sync --once` ended, and what it said. */
  readonly said: string[] = [];
  #program: RunningCli | null = null;

  constructor(home: string, url: string, token: string, vaultId: string) {
    this.#home = home;
    this.#env = { XDG_STATE_HOME: join(home, 'state'), XDG_CONFIG_HOME: join(home, 'config'), NOTEVAULT_TOKEN: token };
    this.#args = ['--yes', '--json', '--url', url, '--vault', vaultId, this.root];
    mkdirSync(this.root, { recursive: true });
  }

  get root(): string {
    return join(this.#home, 'vault');
  }

  start(): void {
    const program = startCli(['sync', ...this.#args], { env: this.#env });
    this.#program = program;
    void program.ended.then(({ code, signal, stderr }) => {
      // Before the first sync, a server that cannot be reached is an answer.
      if (signal === null && code !== 0 && !/cannot be reached|answered 5/.test(stderr))
        this.faults.push(stderr.trim());
      if (this.#program === program && signal === null) this.start();
    });
  }

  /** Runs `act` while the program stands still. */
  meanwhileStopped(act: () => void): void {
    if (this.#program === null) act();
    else this.#program.meanwhileStopped(act);
  }

  async kill(): Promise<void> {
    const program = this.#program;
    this.#program = null;
    program?.kill('SIGKILL');
    await program?.ended;
  }

  /** Syncs once; returns how much was done, and what is not synced. */
  async once(): Promise<{ readonly done: number; readonly unsynced: string[] }> {
    const { code, signal, stdout, stderr } = await cli(['sync', '--once', ...this.#args], { env: this.#env });
    this.said.push(`${code ?? signal}: ${stdout.trim().split('\n').slice(-LINES_SHOWN).join('\n')}\n${stderr.trim()}`);
    const last = JSON.parse(stdout.trim().split('\n').at(-1) || '{}') as {
      done?: number;
      unsynced?: { path: string }[];
    };
    if (code !== 0 && last.done === undefined)
      this.faults.push(`sync --once ended with ${code ?? signal}: ${stderr.trim()}`);
    return { done: code === 0 ? (last.done ?? 0) : 1, unsynced: (last.unsynced ?? []).map(({ path }) => path) };
  }

  /** Returns the kept copies of texts that are no longer in the folder. */
  trashed(): KeptCopy[] {
    return trashedCopies(basename(this.#home), this.root, join(this.#home, 'state/notevault/sync'));
  }

  [Symbol.dispose](): void {
    this.#program?.kill('SIGKILL');
    this.#program = null;
  }
}

/** Returns every fault found, in words. */
export async function syncKillRun(run: SyncKillRun): Promise<string[]> {
  const random = new Random(run.seed);
  using folder = new Folder();
  await using opened = new AsyncDisposableStack();
  const { env } = await makeDataPlace(run.engine, folder.at('data'), opened);
  let server = opened.use(await startServe({ env }));
  const port = new URL(server.url).port;
  const { alice, token, vaultId } = await register(server.url);
  const machines = Array.from({ length: run.machines }, (_, index) =>
    opened.use(new Machine(folder.at(`machine ${index}`), server.url, token, vaultId)),
  );
  for (const machine of machines) machine.start();
  const diary = new Diary();
  for (let done = 0; done < run.operations; done++) {
    const machine = random.pick(machines);
    const act = () => person(machine.root, random, diary);
    if (run.isAtomic) machine.meanwhileStopped(act);
    else act();
    await wait(random.below(8));
    if (done % run.perKill !== run.perKill - 1) continue;
    if (random.chance(0.3)) {
      await server.kill();
      server = opened.use(await startServe({ env: { ...env, NOTEVAULT_PORT: port } }));
    } else {
      const machine = random.pick(machines);
      await machine.kill();
      machine.start();
    }
  }
  for (const machine of machines) await machine.kill();
  const unsynced = await syncUntilQuiet(machines);
  return [
    ...machines.flatMap(({ faults }) => faults),
    ...(await differences(machines, alice, vaultId, unsynced)),
    ...damagedFiles(machines, diary),
    ...(await lostLines(machines, alice, vaultId, diary, run.isAtomic === true)),
  ];
}

export async function register(url: string) {
  const body = { email: 'alice@example.org', password: "alice's long password" };
  const { access_token } = (await registerAt(url, body)).body;
  const session = new Caller(url, async () => ({ authorization: `Bearer ${access_token}` }));
  const vaultId = (await session.post('/vaults', { name: 'Notes' })).body.vault.id as string;
  const token = (await session.post('/api-keys', { name: 'sync' })).body.key as string;
  return { alice: new Caller(url, async () => ({ authorization: `Bearer ${token}` })), token, vaultId };
}

/** One change of a folder, as people and their programs make them. */
function person(root: string, random: Random, diary: Diary): void {
  const act = random.below(12);
  const fresh = join(random.pick(FOLDERS), random.pick(NAMES));
  try {
    const paths = pathsOf(root);
    const path = paths.length === 0 || act < 2 ? fresh : random.pick(paths);
    const at = join(root, path);
    mkdirSync(dirname(at), { recursive: true });
    if (act < 6) write(at, random, diary);
    else if (act === 6) {
      diary.removed(readFileSync(at, 'utf8'));
      rmSync(at);
    } else if (act < 9) {
      const kind = path.endsWith('.md') ? '.md' : '.txt';
      const to = join(root, random.pick(FOLDERS), random.pick(NAMES.filter((name) => name.endsWith(kind))));
      mkdirSync(dirname(to), { recursive: true });
      if (!existsSync(to)) renameSync(at, to);
    } else if (act === 9) moveFolder(root, random);
    else if (act === 10) rotate(root, path, random);
    else replaceAndRename(root, path, random, diary);
  } catch (error) {
    // The program may have moved or removed a file or folder since it was listed, or while it was.
    if (!['ENOENT', 'ENOTDIR', 'EEXIST', 'ENOTEMPTY', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      throw error;
  }
}

function write(at: string, random: Random, diary: Diary): void {
  const isNote = at.endsWith('.md');
  const before = existsSync(at) ? readFileSync(at, 'utf8') : '';
  if (!isNote) {
    diary.removed(before);
    writeFileSync(at, diary.next(at));
  } else if (random.chance(0.4)) appendFileSync(at, diary.next(at));
  else {
    const lines = before.split(/(?<=\n)/);
    lines.splice(random.below(lines.length + 1), 0, diary.next(at));
    // Half of the programs write in place, half replace the file.
    const temp = random.chance(0.5) ? `${at}.tmp` : at;
    writeFileSync(temp, lines.join(''));
    if (temp !== at) renameSync(temp, at);
  }
}

/** Lets two or three files of one kind take each other's names. */
function rotate(root: string, path: string, random: Random): void {
  const others = pathsOf(root).filter((other) => other !== path && extname(other) === extname(path));
  const circle = [path];
  while (circle.length < 2 + random.below(2) && others.length > 0)
    circle.push(...others.splice(random.below(others.length), 1));
  const [first = '', ...rest] = circle.map((one) => join(root, one));
  const aside = join(root, `.aside${extname(path)}`);
  renameSync(first, aside);
  let free = first;
  for (const from of rest) {
    renameSync(from, free);
    free = from;
  }
  renameSync(aside, free);
}

/** Saves a note as a new file under another name. */
function replaceAndRename(root: string, path: string, random: Random, diary: Diary): void {
  const to = join(root, random.pick(FOLDERS), random.pick(NAMES.filter((name) => name.endsWith('.md'))));
  if (!path.endsWith('.md') || existsSync(to)) return;
  const before = readFileSync(join(root, path), 'utf8');
  mkdirSync(dirname(to), { recursive: true });
  writeFileSync(`${to}.tmp`, before + diary.next(to));
  rmSync(join(root, path));
  renameSync(`${to}.tmp`, to);
}

function moveFolder(root: string, random: Random): void {
  const folders = readdirSync(root, { withFileTypes: true }).filter(
    (one) => one.isDirectory() && one.name !== '.notevault',
  );
  if (folders.length === 0) return;
  const [from, to] = [random.pick(folders).name, random.pick(['a', 'b', 'd', 'a/e'])];
  if (from === to || isInside(from, to) || existsSync(join(root, to))) return;
  mkdirSync(dirname(join(root, to)), { recursive: true });
  renameSync(join(root, from), join(root, to));
}

/** Syncs all machines in turn until none has anything to do; returns what they list as not synced. */
export async function syncUntilQuiet(machines: readonly Machine[]): Promise<Set<string>> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    let done = 0;
    const unsynced = new Set<string>();
    for (const machine of machines) {
      const result = await machine.once();
      done += result.done;
      for (const path of result.unsynced) unsynced.add(path);
    }
    if (done === 0) return unsynced;
  }
  const ends = (machine: Machine) => machine.said.slice(-ROUNDS_SHOWN).join('\n');
  const said = machines.map((machine, index) => `machine ${index} ended with ${ends(machine)}`).join('\n');
  machines[0]?.faults.push(`the machines still have something to do after ${ROUNDS_MAX} rounds:\n${said}`);
  return new Set();
}

async function differences(
  machines: readonly Machine[],
  caller: Caller,
  vaultId: string,
  unsynced: ReadonlySet<string>,
): Promise<string[]> {
  const { notes, attachments } = (await caller.get('/sync/manifest', { 'x-vault-id': vaultId })).body;
  const rows = [...notes, ...attachments] as { path: string; content_hash: string }[];
  const shown = (files: Iterable<readonly [string, string]>) =>
    [...files]
      .filter(([path]) => !unsynced.has(path))
      .map(([path, hash]) => `${path} ${hash}`)
      .sort()
      .join('\n');
  const vault = shown(rows.map(({ path, content_hash }) => [path, content_hash]));
  const faults: string[] = [];
  const folders = machines.map(({ root }) => contentsOf(root));
  for (const [index, contents] of folders.entries()) {
    const here = shown([...contents].map(([path, text]) => [path, sha256(Buffer.from(text))]));
    if (here !== vault) faults.push(`machine ${index} has\n${here}\nand the vault\n${vault}`);
  }
  return faults;
}

/** The files that are no notes, which people write as a whole, with anything else than what somebody wrote. */
function damagedFiles(machines: readonly Machine[], diary: Diary): string[] {
  return machines.flatMap(({ root }, index) =>
    [...contentsOf(root)]
      .filter(([path, text]) => !path.endsWith('.md') && !diary.isLine(text))
      .map(([path, text]) => `machine ${index} has ${path} with ${JSON.stringify(text)}, which nobody wrote`),
  );
}

/** The lines that are in no folder although nobody deleted them, each with a place where it is kept. */
async function lostLines(
  machines: readonly Machine[],
  caller: Caller,
  vaultId: string,
  diary: Diary,
  isAtomic: boolean,
): Promise<string[]> {
  const missing = diary.missingFrom(machines.flatMap(({ root }) => [...contentsOf(root).values()]));
  if (missing.length === 0) return [];
  const kept = [...machines.flatMap((machine) => machine.trashed()), ...(await vaultCopies(caller, vaultId))];
  return missing.flatMap((line) => {
    const places = kept.filter(({ text }) => text.split('\n').includes(line)).map(({ at }) => at);
    if (places.length === 0) return [`lost ${diary.withFile(line)}`];
    const said = `${diary.withFile(line)} is only ${places.slice(0, PLACES_SHOWN).join(', ')}`;
    if (isAtomic) return [said];
    process.stderr.write(`${said}\n`);
    return [];
  });
}

if (import.meta.main) {
  const {
    atomic: isAtomic,
    'per-kill': perKill,
    ...run
  } = runOptions({ machines: 2, operations: 10_000, 'per-kill': 60, seed: 1 }, 'atomic');
  endRun(await syncKillRun({ ...run, perKill, isAtomic }));
}
