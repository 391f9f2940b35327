import type { Random } from '../../../../server/test/kit/random.ts';
import type { SimDisk } from './sim-disk.ts';
import { SimStore } from './sim-store.ts';

type Folder = Pick<SimDisk, 'contents' | 'userWrite' | 'userDelete'>;

/** The folder of a device and its state, as they were. */
interface Copy {
  readonly files: ReadonlyMap<string, string>;
  readonly store: SimStore;
}

/** Actions with copies of a device: take a copy, restore it with or without its state, or lose the state. */
export class StaleCopies {
  readonly #random: Random;
  #copy: Copy | null = null;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Does one of these. Returns the store that the device has then; the program must not run. */
  step(disk: Folder, store: SimStore): SimStore {
    const act = this.#random.below(5);
    if (act < 2 || this.#copy === null) this.#copy = { files: new Map(disk.contents), store: store.copied() };
    if (act < 2) return store;
    if (act === 2) return new SimStore();
    restoreFiles(disk, this.#copy.files);
    return act === 3 ? new SimStore() : this.#copy.store.copied();
  }
}

function restoreFiles(disk: Folder, files: ReadonlyMap<string, string>): void {
  for (const path of disk.contents.keys()) if (!files.has(path)) disk.userDelete(path);
  for (const [path, content] of files) if (disk.contents.get(path) !== content) disk.userWrite(path, content);
}
