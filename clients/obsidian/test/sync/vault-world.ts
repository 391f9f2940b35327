import { ancestorsOf, foldPath, isInside } from '@notevault/note-text/paths.ts';
import type { Clock, Disk, DiskFile, DiskListing, FileContent } from '@notevault/sync/engine/ports.ts';
import type { Scheduler } from '../../../../packages/sync/test/simulation/scheduler.ts';
import type { DiskKind } from '../../../../packages/sync/test/simulation/sim-disk.ts';
import type { SimStore } from '../../../../packages/sync/test/simulation/sim-store.ts';
import type { WorldDisk } from '../../../../packages/sync/test/simulation/world.ts';
import type { Random } from '../../../../server/test/kit/random.ts';
import { VaultDisk } from '../../src/sync/vault-disk.ts';
import { isHidden } from '../../src/sync/vault-listing.ts';
import { StandInApp } from '../stand-in/app.ts';
import { Device } from '../stand-in/device.ts';
import { parentOf } from '../stand-in/disk.ts';
import type { TAbstractFile } from '../stand-in/files.ts';

const KINDS = ['create', 'modify', 'delete', 'rename'] as const;

/** The disk of the plugin, on a device whose app is killed at any step, in the simulation of the engine. */
class VaultWorldDisk implements WorldDisk {
  readonly #device: Device;
  readonly #clock: Clock;
  readonly #random: Random;
  #app: StandInApp;
  #disk: VaultDisk;
  /** Number of changes by the engine. */
  changes = 0;
  turn: () => Promise<void> = () => Promise.resolve();

  constructor(kind: DiskKind, scheduler: Scheduler, random: Random) {
    this.#clock = scheduler.clock();
    this.#random = random;
    const timers = {
      now: () => scheduler.wallOffset + scheduler.ticks,
      setTimeout: (run: () => void, ms = 0) => {
        void scheduler.turn(ms).then(run);
        return 0;
      },
      clearTimeout: () => undefined,
    };
    const { foldsCase } = kind;
    this.#device = new Device({
      clock: timers,
      seed: random.below(1e9),
      foldsCase,
      lateEventMs: random.pick([0, 300]),
    });
    this.#app = this.#started();
    this.#disk = this.#opened(new Map());
    // At each step of the disk others may change it, and the app may be killed.
    this.#device.diskTurn = async () => {
      // One that has ended may still be at a step when the next one has begun.
      const app = this.#app;
      try {
        if (random.chance(0.3)) await scheduler.turn(random.below(60));
        await this.turn();
      } catch (error) {
        app.kill();
        throw error;
      }
    };
  }

  /** The app starts anew, on what the device has. */
  async begin(store: SimStore): Promise<void> {
    this.#app.kill();
    this.#app = this.#started();
    const { hashes } = await store.load();
    this.#disk = this.#opened(new Map(hashes.map((file) => [file.path, file])));
    await this.#disk.recover();
  }

  #started(): StandInApp {
    const app = new StandInApp(this.#device);
    app.start();
    for (const kind of KINDS) app.vault.on(kind, (file: TAbstractFile, from?: string) => this.#heard(kind, file, from));
    return app;
  }

  #opened(before: ReadonlyMap<string, DiskFile>): VaultDisk {
    return new VaultDisk({
      ...{ app: this.#app.asApp, clock: this.#clock, folderId: 'f', before },
      ...{ settings: [], exclusions: '', bytesMax: null, checkRoot: async () => undefined },
    });
  }

  #heard(kind: (typeof KINDS)[number], file: TAbstractFile, from?: string): void {
    this.#disk.heard(kind, file as never, from);
  }

  get contents(): ReadonlyMap<string, string> {
    return new Map(this.#entries('file').map(({ path }) => [path, this.#device.disk.text(path) ?? '']));
  }

  get folders(): readonly string[] {
    return this.#entries('folder').map(({ path }) => path);
  }

  #entries(type: 'file' | 'folder') {
    const all = (folder: string): ReturnType<Device['disk']['list']> =>
      this.#device.disk
        .list(folder)
        .flatMap((entry) => (entry.type === 'folder' ? [entry, ...all(entry.path)] : [entry]));
    return all('').filter((entry) => entry.type === type && !isHidden(entry.path));
  }

  // Changes by people, in the app or by another program.

  get #by(): unknown {
    return this.#random.chance(0.5) ? this.#app.vault.adapter : null;
  }

  #fits(path: string): boolean {
    const { disk } = this.#device;
    return disk.get(path)?.type !== 'folder' && ancestorsOf(path).every((folder) => disk.get(folder)?.type !== 'file');
  }

  userWrite(path: string, content: string): boolean {
    if (!this.#fits(path)) return false;
    if (parentOf(path) !== '') this.userMakeFolder(parentOf(path));
    this.#device.disk.write(path, content, {}, this.#by);
    return true;
  }

  userDelete(path: string): void {
    if (this.#device.disk.get(path)?.type === 'file') this.#device.disk.remove(path, this.#by);
  }

  userMove(from: string, to: string): boolean {
    const { disk } = this.#device;
    const there = disk.get(to);
    if (disk.get(from)?.type !== 'file' || !this.#fits(to)) return false;
    if (there !== undefined && there !== disk.get(from)) return false;
    if (parentOf(to) !== '') this.userMakeFolder(parentOf(to));
    disk.rename(from, to, this.#by);
    return true;
  }

  userMoveFolder(from: string, to: string): boolean {
    const { disk } = this.#device;
    const isWithin = isInside(foldPath(from), foldPath(to)) || isInside(foldPath(to), foldPath(from));
    if (from === to || isWithin || disk.get(to) !== undefined || !this.#fits(to)) return false;
    if (disk.get(from)?.type !== 'folder') return false;
    if (parentOf(to) !== '') this.userMakeFolder(parentOf(to));
    disk.rename(from, to, this.#by);
    return true;
  }

  userMakeFolder(path: string): void {
    const { disk } = this.#device;
    if (!this.#fits(path) || disk.get(path) !== undefined) return;
    for (const folder of [path, ...ancestorsOf(path)].toReversed())
      if (disk.get(folder) === undefined) disk.makeFolder(folder, this.#by);
  }

  // The port that the engine uses.

  async list(): Promise<DiskListing> {
    return this.#disk.list();
  }

  pathFault(path: string): string | null {
    return this.#disk.pathFault(path);
  }

  isIgnored(path: string, kind: 'file' | 'folder'): boolean {
    return this.#disk.isIgnored(path, kind);
  }

  readBytes(file: DiskFile): Promise<Uint8Array | null> {
    return this.#disk.readBytes(file);
  }

  read(file: DiskFile): AsyncIterable<Uint8Array> {
    return this.#disk.read(file);
  }

  requireWritable(path: string): Promise<void> {
    return this.#disk.requireWritable(path);
  }

  write(...given: Parameters<Disk['write']>): Promise<DiskFile> {
    return this.#changed((disk) => disk.write(...given));
  }

  move(from: DiskFile, to: string): Promise<DiskFile> {
    return this.#changed((disk) => disk.move(from, to));
  }

  moveMany(moves: readonly { readonly from: DiskFile; readonly to: string }[]): Promise<readonly DiskFile[]> {
    return this.#changed((disk) => disk.moveMany(moves));
  }

  moveFolder(from: string, to: string): Promise<void> {
    return this.#changed((disk) => disk.moveFolder(from, to));
  }

  trash(file: DiskFile, isOnServer: (bytes: Uint8Array) => Promise<boolean>): Promise<void> {
    return this.#changed((disk) => disk.trash(file, isOnServer));
  }

  keep(path: string, content: FileContent): Promise<void> {
    return this.#disk.keep(path, content);
  }

  makeFolder(path: string): Promise<void> {
    return this.#changed((disk) => disk.makeFolder(path));
  }

  removeFolder(path: string): Promise<void> {
    return this.#changed((disk) => disk.removeFolder(path));
  }

  flush(): Promise<void> {
    return this.#disk.flush();
  }

  #changed<Result>(change: (disk: Disk) => Promise<Result>): Promise<Result> {
    this.changes += 1;
    return change(this.#disk);
  }
}

export function vaultWorldDisk(kind: DiskKind, scheduler: Scheduler, random: Random): WorldDisk {
  return new VaultWorldDisk(kind, scheduler, random);
}
