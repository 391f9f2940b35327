import { isInside } from '@notevault/note-text/paths.ts';
import type { Answer, Caller, Headed } from '../kit/person.ts';
import type { Random } from '../kit/random.ts';
import type { Maker, World } from './moves.world.ts';

/** One request of a run, and what it may change. */
export interface Op {
  readonly label: string;
  /** Whether every link must point to the same target afterwards. */
  readonly moves: boolean;
  /** Whether it may delete the note or file. */
  deletes(note: World['notes'][number]): boolean;
  send(caller: Caller, headers: Headed): Promise<Answer>;
}

const NOTHING = () => false;
const url = (path: string) => path.split('/').map(encodeURIComponent).join('/');

/** Makes random requests, most of which make sense in the current state. */
export class Chance {
  readonly #random: Random;
  readonly #maker: Maker;
  readonly #swaps: boolean;
  #key = 0;

  /** @param swaps whether names are exchanged */
  constructor(random: Random, maker: Maker, swaps: boolean) {
    this.#random = random;
    this.#maker = maker;
    this.#swaps = swaps;
  }

  next(world: World): Op {
    const random = this.#random;
    if (world.notes.length < 4) return this.#write(world);
    const kinds: (readonly [number, () => Op])[] = [
      [world.notes.length > 20 ? 5 : 25, () => this.#write(world)],
      [10, () => this.#edit(world)],
      [25, () => this.#rename(world)],
      [10, () => this.#moveNotes(world)],
      [this.#swaps ? 20 : 0, () => this.#swap(world)],
      [12, () => this.#renameFolder(world)],
      [6, () => this.#moveFolders(world)],
      [4, () => this.#delete(world)],
      [2, () => this.#deleteMany(world)],
      [4, () => this.#makeFolder(world)],
      [3, () => this.#deleteFolder(world)],
      [1, () => this.#deleteFolders(world)],
      [world.files.length > 10 ? 4 : 15, () => this.#put(world)],
      ...(world.files.length === 0 ? [] : this.#ofFiles(world)),
    ];
    let left = random.below(kinds.reduce((sum, [weight]) => sum + weight, 0));
    for (const [weight, make] of kinds) {
      if (left < weight) return make();
      left -= weight;
    }
    throw new Error('the weights do not add up');
  }

  #ofFiles(world: World): [number, () => Op][] {
    return [
      [15, () => this.#renameFile(world)],
      [6, () => this.#moveFiles(world)],
      [4, () => this.#deleteFile(world)],
      [2, () => this.#deleteFiles(world)],
    ];
  }

  #put(world: World): Op {
    const path = this.#random.chance(0.2) ? this.#maker.notePath(world) : this.#maker.filePath(world);
    // Few different contents, so that files share blobs.
    const bytes = Buffer.from(`bytes ${this.#random.below(5)}`);
    const body = { path, content_base64: bytes.toString('base64'), mtime: 1 };
    return this.#post('put', '/attachments', body);
  }

  #renameFile(world: World): Op {
    const { path } = this.#random.pick(world.files);
    const to = this.#random.chance(0.1) ? path.toUpperCase() : this.#maker.filePath(world);
    return this.#post('rename', '/attachments/rename', { old_path: path, new_path: to }, { moves: true });
  }

  #moveFiles(world: World): Op {
    const paths = this.#some(world.files).map(({ path }) => path);
    const body = { paths, target_folder: this.#maker.folderPath(world) };
    return this.#post('move', '/attachments/batch-move', body, { moves: true });
  }

  #deleteFile(world: World): Op {
    const file = this.#random.pick(world.files);
    return this.#remove(`/attachments/${url(file.path)}`, ({ id }) => id === file.id);
  }

  #deleteFiles(world: World): Op {
    const files = this.#some(world.files);
    const paths = files.map(({ path }) => path);
    const deletes: Op['deletes'] = ({ id }) => files.some((file) => file.id === id);
    return this.#post('delete', '/attachments/batch-delete', { paths }, { deletes });
  }

  #post(label: string, path: string, body: unknown, more: Partial<Op> = {}): Op {
    this.#key += 1;
    const key = { 'x-idempotency-key': `key-${this.#key}` };
    return {
      label: `${label} ${path} ${JSON.stringify(body)}`,
      moves: false,
      deletes: NOTHING,
      send: (caller, headers) => caller.post(path, body, { ...headers, ...key }),
      ...more,
    };
  }

  #remove(path: string, deletes: Op['deletes']): Op {
    const send: Op['send'] = (caller, headers) => caller.delete(path, undefined, headers);
    return { label: `delete ${path}`, moves: false, deletes, send };
  }

  #write(world: World): Op {
    const path = this.#maker.notePath(world);
    const revived = world.gone.length > 0 && this.#random.chance(0.3) ? { id: this.#random.pick(world.gone) } : {};
    return this.#post('write', '/notes', { path, mtime: 1, content: this.#maker.content(world, path), ...revived });
  }

  #edit(world: World): Op {
    const { path } = this.#random.pick(world.notes);
    const base = this.#random.chance(0.3) ? { version: 1 } : {};
    return this.#post('edit', '/notes', { path, mtime: 2, content: this.#maker.content(world, path), ...base });
  }

  #rename(world: World): Op {
    const { path } = this.#random.pick(world.notes);
    const to = this.#random.chance(0.1) ? path.toUpperCase() : this.#maker.notePath(world);
    return this.#post('rename', '/notes/rename', { old_path: path, new_path: to }, { moves: true });
  }

  #some<Item>(items: readonly Item[]): Item[] {
    return Array.from({ length: 1 + this.#random.below(4) }, () => this.#random.pick(items));
  }

  #moveNotes(world: World): Op {
    const ids = this.#some(world.notes).map(({ id }) => id);
    const body = { ids, target_folder: this.#maker.folderPath(world) };
    return this.#post('move', '/notes/batch-move', body, { moves: true });
  }

  /** Each of some notes, or of some files, gets the path of the next one. */
  #swap(world: World): Op {
    const isOfNotes = world.files.length === 0 || this.#random.chance(0.6);
    const items = [...new Set(this.#some(isOfNotes ? world.notes : world.files))];
    const moves = items.map(({ id, path }, at) => ({ id, from: path, path: items[(at + 1) % items.length]?.path }));
    return this.#post('swap', '/vault/rename-many', { moves }, { moves: true });
  }

  #renameFolder(world: World): Op {
    const old_path = world.folders.length > 0 ? this.#random.pick(world.folders) : 'none';
    const new_path = this.#random.chance(0.2) ? old_path.toUpperCase() : this.#maker.namedFolder(world);
    return this.#post('rename', '/folders/rename', { old_path, new_path }, { moves: true });
  }

  #moveFolders(world: World): Op {
    if (world.made.length === 0) return this.#makeFolder(world);
    const ids = this.#some(world.made).map(({ id }) => id);
    const body = { ids, target_parent: this.#maker.folderPath(world) };
    return this.#post('move', '/folders/batch-move', body, { moves: true });
  }

  #delete(world: World): Op {
    const note = this.#random.pick(world.notes);
    const byId = this.#random.chance(0.5);
    return this.#remove(byId ? `/notes/by-id/${note.id}` : `/notes/${url(note.path)}`, ({ id }) => id === note.id);
  }

  #deleteMany(world: World): Op {
    const ids = this.#some(world.notes).map(({ id }) => id);
    return this.#post('delete', '/notes/batch-delete', { ids }, { deletes: ({ id }) => ids.includes(id) });
  }

  #makeFolder(world: World): Op {
    return this.#post('make', '/folders', { folder: this.#maker.namedFolder(world) });
  }

  #deleteFolder(world: World): Op {
    const folder = world.folders.length > 0 ? this.#random.pick(world.folders) : 'none';
    if (this.#random.chance(0.6)) return this.#remove(`/folders/${url(folder)}`, NOTHING);
    return this.#remove(`/folders/${url(folder)}?recursive=true`, ({ path }) => isInside(folder, path));
  }

  #deleteFolders(world: World): Op {
    if (world.made.length === 0) return this.#makeFolder(world);
    const folders = this.#some(world.made);
    const body = { ids: folders.map(({ id }) => id) };
    const deletes: Op['deletes'] = ({ path }) => folders.some(({ name }) => isInside(name, path));
    return this.#post('delete', '/folders/batch-delete', body, { deletes });
  }
}
