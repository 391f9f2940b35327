import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Download } from '@notevault/protocol/downloads.ts';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { listPackage, packPackage } from './package-archive.ts';

export interface DownloadsDeps {
  /** Folder of the built program that serves; null if it runs from source, which hands out no programs. */
  readonly program: string | null;
  /** Reads a client out of the executable; null in a program of files. */
  readonly embedded: ((name: string) => Promise<Uint8Array>) | null;
  readonly dataDir: string;
  readonly publicUrl: string;
}

export const PLUGIN = 'notevault-obsidian.zip';
export const PACKAGE = 'notevault.tgz';
/** Path of the built plugin in the program's folder. */
export const BUILT = 'download';
/** The folder of the operator's files, in the data folder. */
const OWN = 'downloads';
/** The folder of the packed program, in the data folder. */
const PACKED = 'packed';

/** A file to hand out, as it was when its bytes were read. */
export interface DownloadFile extends Download {
  readonly path: string;
  /** Changes with the file. */
  readonly identity: string;
}

/** The clients that the server hands out to anyone, and files that its operator adds. */
export class Downloads {
  readonly #deps: DownloadsDeps;
  /** By path. */
  readonly #files = new Map<string, DownloadFile>();
  readonly #reading = new Map<string, Promise<DownloadFile>>();
  #packing: Promise<string> | null = null;
  readonly #unpacking = new Map<string, Promise<string>>();

  constructor(deps: DownloadsDeps) {
    this.#deps = deps;
  }

  /** Lists what can be downloaded, with the hashes of all files. */
  async list(): Promise<DownloadFile[]> {
    const paths = await this.#paths();
    const names = [...paths.keys()].sort();
    const files = await Promise.all(names.map((name) => this.#find(name, paths)));
    return files.filter((file) => file !== null);
  }

  /** Throws `not_found_route`. */
  async file(name: string): Promise<DownloadFile> {
    const file = await this.#find(name, await this.#paths());
    if (file === null) throw new NotevaultError('not_found_route');
    return file;
  }

  /** Returns how to come to the path of each file, by name. */
  async #paths(): Promise<Map<string, () => Promise<string>>> {
    const { program, embedded, dataDir } = this.#deps;
    const own = await readdir(join(dataDir, OWN)).catch(() => []);
    const shown = own.filter((name) => !name.startsWith('.'));
    const paths = new Map(shown.map((name) => [name, async () => join(dataDir, OWN, name)]));
    if (embedded !== null) for (const name of [PLUGIN, PACKAGE]) paths.set(name, () => this.#unpacked(name, embedded));
    if (program === null) return paths;
    // Clients of another version than the server's are not handed out under these names.
    return paths.set(PLUGIN, async () => join(program, BUILT, PLUGIN)).set(PACKAGE, () => this.#packed(program));
  }

  async #find(name: string, paths: ReadonlyMap<string, () => Promise<string>>): Promise<DownloadFile | null> {
    const path = await paths.get(name)?.();
    return path === undefined ? null : this.#describe(name, path);
  }

  /** Opens a file whose bytes are still those of its hash. Throws `unavailable` if it changed meanwhile. */
  async open({ path, identity }: DownloadFile): Promise<FileHandle> {
    const handle = await openPlain(path);
    if (handle !== null && (await identityOf(handle)) === identity) return handle;
    await handle?.close();
    throw new NotevaultError('unavailable');
  }

  /** Describes a plain file, reading its bytes once; null for a folder, a link or a file that is gone. */
  async #describe(name: string, path: string): Promise<DownloadFile | null> {
    await using handle = await openPlain(path);
    if (handle === null) return null;
    const identity = await identityOf(handle);
    const known = this.#files.get(path);
    if (known?.identity === identity) return known;
    const key = `${path} ${identity}`;
    const reading = this.#reading.get(key) ?? this.#read(handle, { name, path, identity });
    this.#reading.set(key, reading);
    try {
      const file = await reading;
      this.#files.set(path, file);
      return file;
    } finally {
      this.#reading.delete(key);
    }
  }

  async #read(handle: FileHandle, file: Pick<DownloadFile, 'name' | 'path' | 'identity'>): Promise<DownloadFile> {
    const hash = createHash('sha256');
    let size = 0;
    for await (const piece of handle.createReadStream({ autoClose: false, start: 0 })) {
      hash.update(piece);
      size += piece.length;
    }
    const url = `${this.#deps.publicUrl}/download/${encodeURIComponent(file.name)}`;
    return { ...file, size_bytes: size, sha256: hash.digest('hex'), url };
  }

  /** Writes a client of the executable into the data folder, once. Resolves to its path. */
  #unpacked(name: string, read: (name: string) => Promise<Uint8Array>): Promise<string> {
    const unpacking = this.#unpacking.get(name) ?? unpack(name, read, join(this.#deps.dataDir, PACKED));
    this.#unpacking.set(name, unpacking);
    unpacking.catch(() => this.#unpacking.delete(name));
    return unpacking;
  }

  /** Packs the program once, into the data folder; again where that file is gone. Resolves to its path. */
  async #packed(program: string): Promise<string> {
    const before = await this.#packing;
    if (before !== null && (await lstat(before).catch(() => null)) !== null) return before;
    this.#packing = pack(program, join(this.#deps.dataDir, PACKED)).catch((error: unknown) => {
      this.#packing = null;
      throw error;
    });
    return this.#packing;
  }
}

async function pack(program: string, folder: string): Promise<string> {
  const files = await listPackage(program);
  const listed = files.map(({ path, size, mtimeMs }) => `${path} ${size} ${mtimeMs}`).join('\n');
  const name = `${createHash('sha256').update(listed).digest('hex').slice(0, 16)}.tgz`;
  const target = join(folder, name);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const other of await readdir(folder)) if (other !== name) await rm(join(folder, other), { force: true });
  if ((await lstat(target).catch(() => null)) !== null) return target;
  const unfinished = `${target}.${process.pid}`;
  await packPackage(program, files, unfinished);
  await rename(unfinished, target);
  return target;
}

async function unpack(name: string, read: (name: string) => Promise<Uint8Array>, folder: string): Promise<string> {
  const bytes = await read(name);
  const file = `${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}-${name}`;
  const target = join(folder, file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const earlier = (await readdir(folder)).filter((each) => each.endsWith(`-${name}`) && each !== file);
  for (const each of earlier) await rm(join(folder, each), { force: true });
  const unfinished = `${target}.${process.pid}`;
  await writeFile(unfinished, bytes, { mode: 0o600 });
  await rename(unfinished, target);
  return target;
}

/** Opens a plain file, never through a link, and without waiting for the writer of a pipe; null if it is none. */
async function openPlain(path: string): Promise<FileHandle | null> {
  const found = await lstat(path).catch(() => null);
  if (found?.isFile() !== true) return null;
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants;
  return open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => null);
}

async function identityOf(handle: FileHandle): Promise<string> {
  const { ino, size, mtimeMs } = await handle.stat();
  return `${ino} ${size} ${mtimeMs}`;
}
