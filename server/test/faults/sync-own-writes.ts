import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isConflictPath } from '@notevault/sync/plan/names.ts';
import { makeDataPlace } from '../kit/programs/data-place.ts';
import { Folder, startServe } from '../kit/programs/process.ts';
import { endRun, runOptions } from '../kit/programs/run.ts';
import { Random } from '../kit/random.ts';
import { contentsOf } from '../kit/sync-machine.ts';
import { Machine, register, syncUntilQuiet } from './sync-kills.ts';

/*
 * node server/test/faults/sync-own-writes.ts [--engine sqlite|postgres] [--kills 500] [--seconds 600] [--seed N]
 *
 * Two people append to one note, and each makes, edits and renames notes that nobody else touches, while `notevault sync`
 * is killed at any moment and started again. Nothing conflicts, so in the end every line is there once and every note
 * has one name: what else there is, a device has taken its own write for another's.
 */

export interface OwnWritesRun {
  readonly engine: 'sqlite' | 'postgres';
  readonly kills: number;
  /** After this time it ends, with fewer kills. */
  readonly seconds: number;
  readonly seed: number;
}

const SHARED = 'shared.md';
/** A program needs about a second to start; then it syncs. */
const RUN_MS = 1800;
const ACTS_MAX = 6;
const PAUSE_MS = 60;

/** A person with a machine and notes of their own. */
class Person {
  readonly machine: Machine;
  readonly #name: string;
  readonly #random: Random;
  /** The lines of each note, by its present path. */
  readonly notes = new Map<string, string[]>();
  readonly shared: string[] = [];
  #count = 0;

  constructor(name: string, machine: Machine, random: Random) {
    this.#name = name;
    this.machine = machine;
    this.#random = random;
  }

  #next(): string {
    this.#count += 1;
    return `${this.#name} wrote line ${this.#count}`;
  }

  act(): void {
    const kind = this.#random.below(6);
    const path = this.notes.size === 0 || kind === 0 ? null : this.#random.pick([...this.notes.keys()]);
    const line = this.#next();
    if (kind < 3 && kind > 0) {
      appendFileSync(join(this.machine.root, SHARED), `${line}\n`);
      this.shared.push(line);
    } else if (path === null) {
      const fresh = `${this.#name} ${this.#count}.md`;
      writeFileSync(join(this.machine.root, fresh), `${line}\n`);
      this.notes.set(fresh, [line]);
    } else if (kind === 3) {
      const to = `${this.#name} ${this.#count}.md`;
      renameSync(join(this.machine.root, path), join(this.machine.root, to));
      this.notes.set(to, this.notes.get(path) ?? []);
      this.notes.delete(path);
    } else {
      const lines = this.notes.get(path) ?? [];
      // A line that was sent and is deleted must not return.
      if (kind === 4 && lines.length > 1) lines.pop();
      lines.push(line);
      const at = join(this.machine.root, path);
      writeFileSync(`${at}.tmp`, lines.map((one) => `${one}\n`).join(''));
      renameSync(`${at}.tmp`, at);
    }
  }
}

/** Returns how often it killed, and every fault found, in words. */
export async function ownWritesRun(run: OwnWritesRun): Promise<{ readonly kills: number; readonly faults: string[] }> {
  const random = new Random(run.seed);
  using folder = new Folder();
  await using opened = new AsyncDisposableStack();
  const { env } = await makeDataPlace(run.engine, folder.at('data'), opened);
  const server = opened.use(await startServe({ env }));
  const { token, vaultId } = await register(server.url);
  const people = ['alice', 'bob'].map((name) => {
    const machine = opened.use(new Machine(folder.at(name), server.url, token, vaultId));
    return new Person(name, machine, random);
  });
  const machines = people.map(({ machine }) => machine);
  writeFileSync(join(people[0]?.machine.root ?? '', SHARED), 'start\n');
  await syncUntilQuiet(machines);
  for (const machine of machines) machine.start();
  const end = performance.now() + run.seconds * 1000;
  let kills = 0;
  while (kills < run.kills && performance.now() < end) {
    await wait(random.below(RUN_MS));
    for (let acts = 1 + random.below(ACTS_MAX); acts > 0; acts--) {
      const person = random.pick(people);
      person.machine.meanwhileStopped(() => person.act());
      await wait(random.below(PAUSE_MS));
    }
    await wait(random.below(RUN_MS / 3));
    const machine = random.pick(machines);
    await machine.kill();
    kills += 1;
    // Also before the next start: what was written, and is not stored yet, is renamed or edited then.
    const owner = people.find((person) => person.machine === machine);
    for (let acts = random.below(3); acts > 0; acts--) owner?.act();
    machine.start();
  }
  for (const machine of machines) await machine.kill();
  await syncUntilQuiet(machines);
  return {
    kills,
    faults: [...machines.flatMap(({ faults }) => faults), ...people.flatMap((one) => faultsOf(one, people))],
  };
}

function faultsOf({ machine }: Person, people: readonly Person[]): string[] {
  const contents = contentsOf(machine.root);
  const faults = [...contents.keys()].filter(isConflictPath).map((path) => `${path} is a copy of one's own`);
  const expected = new Map<string, readonly string[]>([[SHARED, ['start', ...people.flatMap(({ shared }) => shared)]]]);
  for (const { notes } of people) for (const [path, lines] of notes) expected.set(path, lines);
  for (const path of contents.keys())
    if (!expected.has(path) && !isConflictPath(path)) faults.push(`${path} is another name of a renamed note`);
  for (const [path, lines] of expected) {
    const found = (contents.get(path) ?? '').split('\n').filter(Boolean);
    const [there, wanted] = [found.toSorted().join('\n'), lines.toSorted().join('\n')];
    if (there !== wanted) faults.push(`${path} has\n${there}\nand not\n${wanted}`);
  }
  return faults;
}

if (import.meta.main) {
  const { kills, faults } = await ownWritesRun(runOptions({ kills: 500, seconds: 600, seed: 1 }));
  endRun(faults, `${kills} kills, ${faults.length} faults`);
}
