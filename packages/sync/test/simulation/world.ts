import { foldPath, joinPath } from '@notevault/note-text/paths.ts';
import { nodeHashing } from '../../../../cli/src/sync/run/node-hashing.ts';
import { Random } from '../../../../server/test/kit/random.ts';
import { SyncEngine, type SyncResult } from '../../src/engine/engine.ts';
import { type Disk, ServerUnreachable, VaultGone } from '../../src/engine/ports.ts';
import { Approval } from '../../src/plan/approval.ts';
import type { Operation } from '../../src/plan/operations.ts';
import { kindOf } from '../../src/plan/trees.ts';
import { isSetting, SETTINGS_FOLDER } from '../../src/rules/settings-files.ts';
import { Killed, Scheduler } from './scheduler.ts';
import { type DiskKind, hashOf, SimDisk } from './sim-disk.ts';
import { SimServer, type Standing } from './sim-server.ts';
import { SimStore } from './sim-store.ts';
import { StaleCopies } from './stale-copies.ts';

// Modelled on Dropbox's Trinity: complete engines with disk, server, store and clock in memory, all driven by one seed.
// People and an assistant change both sides at any moment; processes are killed, answers get lost or requests run
// twice, the server is unreachable, the feed is reset, clocks jump. Then all changes stop, and all sides must become
// equal. With copies, devices lose their state or are restored from older copies, and settings files are among the
// files. With members, each device is of another person, who is made a viewer or an editor, removed and let in again at
// any moment.

const FOLDERS = ['', '', 'a', 'b', 'a/c', 'A'];
const NAMES = ['x.md', 'y.md', 'z.md', 'X.md', 'p.png', 'q.png', 'é.md'];
const SETTINGS = [`${SETTINGS_FOLDER}/app.json`, `${SETTINGS_FOLDER}/hotkeys.json`];
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

/** A disk of the simulation: what people do to it, and what is on it. */
export interface WorldDisk
  extends Disk,
    Pick<
      SimDisk,
      'contents' | 'folders' | 'changes' | 'userWrite' | 'userDelete' | 'userMove' | 'userMoveFolder' | 'userMakeFolder'
    > {
  turn: () => Promise<void>;
  /** Texts in the trash, if the check reads it. */
  readonly kept?: readonly string[];
  /** Called when the program starts. */
  begin?(store: SimStore): Promise<void>;
}

/** Makes a disk of a simulation. */
export type DiskMaker = (kind: DiskKind, scheduler: Scheduler, random: Random) => WorldDisk;

class Device {
  readonly name: string;
  readonly disk: WorldDisk;
  store = new SimStore();
  readonly #world: World;
  #incarnation = 0;
  readonly #copies: StaleCopies;
  standing: Standing = 'editor';
  /** Whether a sync found the vault gone: then there is none until its person asks for it. */
  isEnded = false;
  result: SyncResult | null = null;

  constructor(name: string, world: World, disk: WorldDisk) {
    this.name = name;
    this.#world = world;
    this.disk = disk;
    this.#copies = new StaleCopies(world.random);
  }

  /** Takes or restores a copy, or loses the state, while the program does not run. */
  goBack(): void {
    this.kill();
    this.store = this.#copies.step(this.disk, this.store);
  }

  /** Kills the process: it gets no more answers. */
  kill(): void {
    this.#incarnation += 1;
  }

  /** Lets the person in again, who then syncs the folder as one without a state. */
  rejoin(standing: Standing): void {
    if (this.isEnded) {
      this.kill();
      this.store = new SimStore();
    }
    this.isEnded = false;
    this.standing = standing;
  }

  /** Starts the program and runs one sync. Throws when it changes the folder of somebody who was removed. */
  async sync(): Promise<void> {
    if (this.isEnded) return;
    const [isRemoved, changes] = [this.standing === 'removed', this.disk.changes];
    await this.#run();
    if (isRemoved && this.isEnded && this.disk.changes !== changes)
      throw new Error(`${this.name} changes a folder without a vault`);
  }

  async #run(): Promise<void> {
    const mine = ++this.#incarnation;
    const turn = async () => {
      await this.#world.scheduler.turn();
      if (mine !== this.#incarnation) throw new Killed();
    };
    this.disk.turn = turn;
    this.store.turn = turn;
    const server = this.#world.server.reachedBy(turn, () => this.standing);
    const clock = this.#world.scheduler.clock();
    const ports = { disk: this.disk, store: this.store, server, clock, hashing: nodeHashing };
    this.result = null;
    try {
      const onOperation = (operation: Operation, outcome: unknown) => {
        this.#world.log(`${this.name} ${JSON.stringify(operation)} ${JSON.stringify(outcome)}`);
        if (this.standing === 'editor') this.#world.requireOther(operation);
      };
      await this.disk.begin?.(this.store);
      const engine = await SyncEngine.open(ports, {
        device: this.name,
        onOperation,
        ...(this.#world.rests && { rest: turn }),
      });
      this.result = await engine.sync({ approval: new Approval() });
    } catch (error) {
      if (error instanceof VaultGone) this.isEnded = mine === this.#incarnation && this.standing === 'removed';
      else if (!(error instanceof Killed) && !(error instanceof ServerUnreachable)) throw error;
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

  readonly #hasMembers: boolean;
  readonly #hasExchanges: boolean;
  readonly #hasCopies: boolean;
  /** The contents of settings files that nobody replaced knowingly. */
  readonly #settings = new Set<string>();
  readonly rests: boolean;

  /**
   * @param hasMembers whether the devices are of several people, whose roles change
   * @param diskOf makes the disks of the devices
   * @param rests whether something else has its turn between two files
   * @param hasExchanges whether people also swap names, and rename what they have just saved
   * @param hasCopies whether devices go back to older copies, and have settings files
   */
  constructor(
    seed: number,
    hasMembers = false,
    diskOf: DiskMaker = (kind, scheduler, random) => new SimDisk(kind, scheduler, random),
    rests = false,
    hasExchanges = false,
    hasCopies = false,
  ) {
    this.#hasMembers = hasMembers;
    this.#hasExchanges = hasExchanges;
    this.#hasCopies = hasCopies;
    this.rests = rests;
    this.random = new Random(seed);
    this.scheduler = new Scheduler(this.random);
    this.server = new SimServer(this.random);
    this.devices = ['desk', 'lap', 'phone'].map((name) => {
      const kind = {
        hasFileIds: this.random.chance(0.6),
        foldsCase: this.random.chance(0.4),
        takesColons: this.random.chance(0.7),
      };
      return new Device(name, this, diskOf(kind, this.scheduler, this.random));
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
    const roles = this.#hasMembers ? [this.#roles()] : [];
    const exchanges = this.#hasExchanges ? [this.#exchanges()] : [];
    const copies = this.#hasCopies ? [this.#copies()] : [];
    await Promise.all([...busy, this.#people(), this.#trouble(), ...roles, ...exchanges, ...copies]);
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

  /** Devices go back to older copies, and people change settings. */
  async #copies(): Promise<void> {
    for (let count = 4 + this.random.below(8); count > 0; count--) {
      await this.scheduler.turn(this.random.below(2000));
      const device = this.random.pick(this.devices);
      if (this.random.chance(0.5)) this.#setting(device.disk);
      else this.#goBack(device);
    }
  }

  /** Restores an old copy of the folder. Texts that were only in the folder are lost, as expected. */
  #goBack(device: Device): void {
    const before = [...device.disk.contents.values()];
    device.goBack();
    this.log(`${device.name} goes back`);
    const left = [
      ...this.server.live.map(({ content }) => content),
      ...this.devices.flatMap(({ disk }) => [...disk.contents.values()]),
    ];
    const words = new Set(left.flatMap(wordsOf));
    for (const word of before.flatMap(wordsOf)) if (!words.has(word)) this.diary.removed(word);
    for (const content of before) if (!left.includes(content)) this.#settings.delete(content);
  }

  #setting(disk: WorldDisk): void {
    const path = this.random.pick(SETTINGS);
    const content = JSON.stringify([this.diary.next().trim()]);
    this.#settings.delete(disk.contents.get(path) ?? '');
    if (disk.userWrite(path, content)) this.#settings.add(content);
    this.log(`setting ${path} ${content}`);
  }

  /** Throws if a note became a conflict copy although its text is an earlier one of the vault's note. */
  requireOther(operation: Operation): void {
    if (!this.#hasCopies || operation.type !== 'moveLocal' || !operation.conflict) return;
    if (kindOf(operation.from) !== 'note') return;
    const row = this.server.live.find(({ path }) => path === operation.from);
    const versions = [...(row?.versions.values() ?? [])];
    if (versions.some((text) => hashOf(text) === operation.hash))
      throw new Error(`${operation.from} is kept beside a later version of itself`);
  }

  /** Changes roles; a person who was removed may come back. */
  async #roles(): Promise<void> {
    for (let count = 1 + this.random.below(10); count > 0; count--) {
      const device = this.random.pick(this.devices);
      const standing = this.random.pick(['editor', 'viewer', 'viewer', 'removed'] as const);
      this.log(`${device.name} becomes ${standing}`);
      if (standing === 'removed') device.standing = standing;
      else device.rejoin(standing);
      await this.scheduler.turn(this.random.below(3000));
    }
  }

  /** Swaps names and moves them in circles, on either side; saves a note by replacing it, and renames it at once. */
  async #exchanges(): Promise<void> {
    for (let count = 3 + this.random.below(15); count > 0; count--) {
      await this.scheduler.turn(this.random.below(800));
      const { disk, name } = this.random.pick(this.devices);
      const act = this.random.below(3);
      this.log(`exchange ${act} on ${name}`);
      if (act === 0) this.#rotateInVault();
      else if (act === 1) this.#rotateOn(disk);
      else this.#replaceAndRename(disk);
    }
  }

  /** Paths of one kind. Each file is to take the path after its own. */
  #circle(paths: readonly string[]): readonly string[] {
    const kind = this.random.chance(0.7) ? 'note' : 'attachment';
    const left = paths.filter((path) => kindOf(path) === kind);
    const circle: string[] = [];
    for (let count = 2 + this.random.below(3); count > 0 && left.length > 0; count--)
      circle.push(...left.splice(this.random.below(left.length), 1));
    return circle.length < 2 ? [] : circle;
  }

  #rotateInVault(): void {
    const rows = new Map(this.server.live.map((row) => [row.path, row]));
    const circle = this.#circle([...rows.keys()]);
    const moves = circle.map((from, at) => ({
      id: rows.get(from)?.id ?? '',
      from,
      to: circle[(at + 1) % circle.length] ?? '',
    }));
    if (moves.length > 0) this.server.renameMany(moves);
  }

  /** Rotates names as a person would: one file gets a temporary name first. */
  #rotateOn(disk: WorldDisk): void {
    const circle = this.#circle([...disk.contents.keys()]);
    const last = circle.at(-1);
    const [aside] = [`aside${last?.slice(last.lastIndexOf('.'))}`];
    if (last === undefined || !disk.userMove(last, aside)) return;
    let free = last;
    for (const from of circle.slice(0, -1).toReversed()) {
      if (!disk.userMove(from, free)) break;
      free = from;
    }
    disk.userMove(aside, free);
  }

  #replaceAndRename(disk: WorldDisk): void {
    const notes = [...disk.contents].filter(([path]) => kindOf(path) === 'note');
    if (notes.length === 0) return;
    const [path, content] = this.random.pick(notes);
    const text = this.#edited(content);
    this.#write(text, () => disk.userWrite(path, text));
    disk.userMove(
      path,
      joinPath(this.random.pick(FOLDERS), this.random.pick(NAMES.filter((to) => kindOf(to) === 'note'))),
    );
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

  #person(disk: WorldDisk): void {
    const paths = [...disk.contents.keys()].filter((path) => !isSetting(path));
    const folders = disk.folders.filter((path) => path !== SETTINGS_FOLDER);
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
    } else if (folders.length > 0) {
      disk.userMoveFolder(this.random.pick(folders), this.random.pick(['a', 'b', 'd', 'a/e', 'f']));
    } else disk.userMakeFolder(this.random.pick(['a', 'g', 'g/h']));
  }

  #agent(): void {
    const rows = this.server.live.filter(({ path }) => !isSetting(path));
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
      // A write whose answer is that nothing was done may have been carried out by an earlier attempt.
      const { seq } = this.server;
      let done = 0;
      for (const device of this.devices) {
        await this.scheduler.turn(5000);
        await device.sync();
        if (!device.isEnded) done += device.result?.kind === 'in step' ? device.result.done : 1;
      }
      if (done === 0 && this.server.seq === seq) return this.#difference();
    }
    return `no peace: ${this.devices.map(({ name, result }) => `${name} ${JSON.stringify(result)}`).join('; ')}`;
  }

  /** Returns the files of the vault that a folder lacks or has otherwise, but for those that it names. */
  #missingFrom(disk: WorldDisk, unsynced: ReadonlySet<string>): string[] {
    const here = new Map([...disk.contents].map(([path, content]) => [foldPath(path), content]));
    return this.server.live
      .filter(({ path }) => !path.includes(':') && !unsynced.has(foldPath(path)))
      .filter(({ path, content }) => here.get(foldPath(path)) !== content)
      .map(({ path }) => path);
  }

  #difference(): string | null {
    const remote = new Map(this.server.live.map(({ path, content }) => [path, content]));
    for (const { name, disk, result, standing } of this.devices) {
      if (standing === 'removed') continue;
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
      const missing = standing === 'viewer' ? this.#missingFrom(disk, unsynced) : [];
      if (missing.length > 0) return `${name} may read and lacks ${missing.join(', ')}`;
    }
    const keeps = ({ result, standing }: Device) => standing === 'removed' || (result?.unsynced.length ?? 0) > 0;
    const everywhere = [
      ...remote.values(),
      ...this.devices.filter(keeps).flatMap(({ disk }) => [...disk.contents.values()]),
    ];
    const kept = new Set([...everywhere, ...this.devices.flatMap(({ disk }) => disk.kept ?? [])]);
    const lost = [...this.diary.lostFrom(everywhere), ...[...this.#settings].filter((content) => !kept.has(content))];
    return lost.length === 0 ? null : `lost ${lost.join(', ')}`;
  }
}
