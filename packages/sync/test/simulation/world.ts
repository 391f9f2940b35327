import { foldPath, joinPath } from '@notevault/note-text/paths.ts';
import { nodeHashing } from '../../../../cli/src/sync/run/node-hashing.ts';
import { Random } from '../../../../server/test/kit/random.ts';
import { SyncEngine, type SyncResult } from '../../src/engine/engine.ts';
import { ServerUnreachable } from '../../src/engine/ports.ts';
import { kindOf } from '../../src/plan/trees.ts';
import { Killed, Scheduler } from './scheduler.ts';
import { type DiskKind, SimDisk } from './sim-disk.ts';
import { SimServer } from './sim-server.ts';
import { SimStore } from './sim-store.ts';

// Modelled on Dropbox's Trinity: complete engines with disk, server, store and clock in memory, all driven by one seed.
// People and an assistant change both sides at any moment; processes are killed, answers get lost or requests run
// twice, the server is unreachable, the feed is reset, clocks jump. Then all changes stop, and all sides must become
// equal.

const FOLDERS = ['', '', 'a', 'b', 'a/c', 'A'];
const NAMES = ['x.md', 'y.md', 'z.md', 'X.md', 'p.png', 'q.png', 'é.md'];
const PEACE_ROUNDS = 60;

const wordsOf = (content: string): string[] => content.split('\n').filter(Boolean);

/** Records the words that people wrote, and which of them somebody deleted. */
class Diary {
  readonly #written = new Set<string>();
  readonly #removed = new Set<string>();
  #count = 0;

  next(): string {
    this.#count += 1;
    // Each word is one unique letter, so no diff can find a part of one word in another.
    return `${String.fromCodePoint(0x4e00 + this.#count)}\n`;
  }

  wrote(content: string): void {
    for (const word of wordsOf(content)) this.#written.add(word);
  }

  removed(content: string): void {
    for (const word of wordsOf(content)) this.#removed.add(word);
  }

  lostFrom(contents: Iterable<string>): string[] {
    const there = new Set([...contents].flatMap(wordsOf));
    return [...this.#written].filter((word) => !this.#removed.has(word) && !there.has(word));
  }
}

class Device {
  readonly name: string;
  readonly disk: SimDisk;
  readonly store = new SimStore();
  readonly #world: World;
  #incarnation = 0;
  result: SyncResult | null = null;

  constructor(name: string, world: World, kind: DiskKind) {
    this.name = name;
    this.#world = world;
    this.disk = new SimDisk(kind, world.scheduler, world.random);
  }

  /** Kills the process: it gets no more answers. */
  kill(): void {
    this.#incarnation += 1;
  }

  /** Starts the program and runs one sync. */
  async sync(): Promise<void> {
    const mine = ++this.#incarnation;
    const turn = async () => {
      await this.#world.scheduler.turn();
      if (mine !== this.#incarnation) throw new Killed();
    };
    this.disk.turn = turn;
    this.store.turn = turn;
    const server = this.#world.server.reachedBy(turn);
    const clock = this.#world.scheduler.clock();
    const ports = { disk: this.disk, store: this.store, server, clock, hashing: nodeHashing };
    this.result = null;
    try {
      const onOperation = (operation: unknown, outcome: unknown) =>
        this.#world.log(`${this.name} ${JSON.stringify(operation)} ${JSON.stringify(outcome)}`);
      const engine = await SyncEngine.open(ports, { device: this.name, onOperation });
      this.result = await engine.sync({ isApproved: () => true });
    } catch (error) {
      if (!(error instanceof Killed) && !(error instanceof ServerUnreachable)) throw error;
    }
  }
}

export class World {
  readonly random: Random;
  readonly scheduler: Scheduler;
  readonly server: SimServer;
  readonly devices: readonly Device[];
  readonly diary = new Diary();
  readonly trace: string[] = [];

  constructor(seed: number) {
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random);
    this.server = new SimServer(this.random);
    this.devices = ['desk', 'lap', 'phone'].map((name) => {
      const kind = {
        hasFileIds: this.random.chance(0.6),
        foldsCase: this.random.chance(0.4),
        takesColons: this.random.chance(0.7),
      };
      return new Device(name, this, kind);
    });
  }

  log(line: string): void {
    this.trace.push(`${this.scheduler.ticks} ${line}`);
  }

  /** Runs the whole seed; returns null, or what is wrong in the end. */
  async run(): Promise<string | null> {
    return this.scheduler.run(this.#live());
  }

  async #live(): Promise<string | null> {
    const busy = this.devices.map((device) => this.#liveOf(device));
    await Promise.all([...busy, this.#people(), this.#trouble()]);
    this.server.isDown = false;
    return this.#peace();
  }

  async #liveOf(device: Device): Promise<void> {
    for (let count = 3 + this.random.below(5); count > 0; count--) {
      await device.sync();
      await this.scheduler.turn(this.random.below(3000));
    }
  }

  async #people(): Promise<void> {
    for (let count = 10 + this.random.below(40); count > 0; count--) {
      await this.scheduler.turn(this.random.below(400));
      if (this.random.chance(0.25)) this.#agent();
      else this.#person(this.random.pick(this.devices).disk);
    }
  }

  async #trouble(): Promise<void> {
    for (let count = this.random.below(12); count > 0; count--) {
      await this.scheduler.turn(this.random.below(2000));
      const act = this.random.below(5);
      if (act === 0) this.random.pick(this.devices).kill();
      else if (act === 1) this.server.isDown = !this.server.isDown;
      else if (act === 2) this.server.forgetVersions();
      else if (act === 3) this.scheduler.wallOffset += this.random.below(7_200_000) - 3_600_000;
      else if (this.random.chance(0.3)) this.#restore();
      this.log(`trouble ${act}`);
    }
  }

  /** A restored backup may lose words that are on no device, but none that is on one. */
  #restore(): void {
    const before = this.server.live.map(({ content }) => content);
    this.server.restore();
    const left = [
      ...this.server.live.map(({ content }) => content),
      ...this.devices.flatMap(({ disk }) => [...disk.contents.values()]),
    ];
    const words = new Set(left.flatMap(wordsOf));
    for (const word of before.flatMap(wordsOf)) if (!words.has(word)) this.diary.removed(word);
  }

  #path(): string {
    const name = this.random.pick(NAMES);
    return joinPath(this.random.pick(FOLDERS), this.random.chance(0.05) ? `d:${name}` : name);
  }

  #edited(content: string): string {
    const lines = wordsOf(content).map((word) => `${word}\n`);
    if (lines.length > 1 && this.random.chance(0.2)) {
      const [gone = ''] = lines.splice(this.random.below(lines.length), 1);
      this.diary.removed(gone);
      return lines.join('');
    }
    lines.splice(this.random.below(lines.length + 1), 0, this.diary.next());
    return lines.join('');
  }

  #write(text: string, write: (text: string) => boolean): void {
    if (write(text)) this.diary.wrote(text);
  }

  #person(disk: SimDisk): void {
    const paths = [...disk.contents.keys()];
    const act = this.random.below(8);
    const path = paths.length === 0 || act < 2 ? this.#path() : this.random.pick(paths);
    const content = disk.contents.get(path);
    this.log(
      `person ${act} ${path} on ${this.devices.find((device) => device.disk === disk)?.name} ${JSON.stringify(content)}`,
    );
    if (content === undefined) {
      if (disk.pathFault(path) === null && !paths.some((other) => foldPath(other) === foldPath(path)))
        this.#write(this.diary.next(), (text) => disk.userWrite(path, text));
    } else if (act < 5) {
      if (kindOf(path) === 'attachment') this.diary.removed(content);
      const text = kindOf(path) === 'attachment' ? this.diary.next() : this.#edited(content);
      this.#write(text, () => disk.userWrite(path, text));
    } else if (act === 5) {
      this.diary.removed(content);
      disk.userDelete(path);
    } else if (act === 6) {
      const to = joinPath(
        this.random.pick(FOLDERS),
        this.random.pick(NAMES.filter((name) => kindOf(name) === kindOf(path))),
      );
      disk.userMove(path, to);
    } else if (disk.folders.length > 0) {
      disk.userMoveFolder(this.random.pick(disk.folders), this.random.pick(['a', 'b', 'd', 'a/e', 'f']));
    } else disk.userMakeFolder(this.random.pick(['a', 'g', 'g/h']));
  }

  #agent(): void {
    const rows = this.server.live;
    const act = this.random.below(6);
    const row = rows.length === 0 || act === 0 ? undefined : this.random.pick(rows);
    this.log(`agent ${act} ${row?.path} ${JSON.stringify(row?.content)}`);
    if (row === undefined) this.#write(this.diary.next(), (text) => this.server.agentCreate(this.#path(), text));
    else if (act < 4) {
      if (kindOf(row.path) === 'attachment') this.diary.removed(row.content);
      const text = kindOf(row.path) === 'attachment' ? this.diary.next() : this.#edited(row.content);
      this.diary.wrote(text);
      this.server.agentWrite(row, text);
    } else if (act === 4) {
      const names = NAMES.filter((name) => kindOf(name) === kindOf(row.path));
      this.server.agentMove(row, joinPath(this.random.pick(FOLDERS), this.random.pick(names)));
    } else if (this.random.chance(0.5)) {
      this.diary.removed(row.content);
      this.server.agentDelete(row);
    } else this.server.agentMakeFolder(this.random.pick(['a', 'g', 'g/h']));
  }

  /** Stops all changes and syncs all devices until nothing is left to do. */
  async #peace(): Promise<string | null> {
    for (let round = 1; round <= PEACE_ROUNDS; round++) {
      let done = 0;
      for (const device of this.devices) {
        await this.scheduler.turn(5000);
        await device.sync();
        done += device.result?.kind === 'in step' ? device.result.done : 1;
      }
      if (done === 0) return this.#difference();
    }
    return `no peace: ${this.devices.map(({ name, result }) => `${name} ${JSON.stringify(result)}`).join('; ')}`;
  }

  #difference(): string | null {
    const remote = new Map(this.server.live.map(({ path, content }) => [path, content]));
    for (const { name, disk, result } of this.devices) {
      const unsynced = new Set((result?.unsynced ?? []).map(({ path }) => foldPath(path)));
      const shown = (files: Iterable<readonly [string, string]>) =>
        [...files]
          .filter(([path]) => !unsynced.has(foldPath(path)) && !path.includes(':'))
          .map(([path, content]) => `${foldPath(path)} = ${JSON.stringify(content)}`)
          .sort()
          .join('\n');
      // A file with a problem may have a different path on each side; its content is checked below.
      if (unsynced.size === 0 && shown(disk.contents) !== shown(remote))
        return `${name} has\n${shown(disk.contents)}\nand the server\n${shown(remote)}`;
    }
    const everywhere = [
      ...remote.values(),
      ...this.devices.flatMap(({ disk, result }) => (result?.unsynced.length ? [...disk.contents.values()] : [])),
    ];
    const lost = this.diary.lostFrom(everywhere);
    return lost.length === 0 ? null : `lost ${lost.join(', ')}`;
  }
}
