import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { join } from 'node:path/posix';
import { listProgramFiles, readProgramFile } from '../../program/program.ts';

/** A file of the web app, with the codings in which the build wrote it. */
export interface WebFile {
  /** The address: `/assets/index-3f9a2c.js`. */
  readonly address: string;
  readonly type: string;
  /** A validator of the content; weak, because it is the same for every coding. */
  readonly etag: string;
  /** Whether the address contains a hash of the content, so that a copy never has to be checked. */
  readonly isHashed: boolean;
  /** Whether it is a page for a sandboxed frame: its scripts run without an origin. */
  readonly isFrame: boolean;
  /** The file of each content coding; `identity` always exists. */
  readonly codings: ReadonlyMap<string, string>;
}

export interface WebBuild {
  readonly page: WebFile;
  /** The files that the page loads, by address. */
  readonly files: ReadonlyMap<string, WebFile>;
}

const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ico: 'image/x-icon',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json; charset=utf-8',
  mjs: 'text/javascript; charset=utf-8',
  png: 'image/png',
  svg: 'image/svg+xml',
  ttf: 'font/ttf',
  txt: 'text/plain; charset=utf-8',
  wasm: 'application/wasm',
  webmanifest: 'application/manifest+json',
  woff: 'font/woff',
  woff2: 'font/woff2',
};
const COMPRESSED: Readonly<Record<string, string>> = { br: '.br', gzip: '.gz' };
/** Folder of files that the build names by their hash. */
export const HASHED = 'assets/';
/** Folder of the pages of sandboxed frames. */
const FRAMES = 'frames/';
const PAGE = 'index.html';
/** A build writes it last; it is not served. */
const STAMP = 'build.stamp';

/** Finds the web app in a folder; null if it was not built. */
export async function findWebApp(folder: string): Promise<WebApp | null> {
  const stamp = await stampOf(folder);
  const build = await readBuild(folder);
  return build === null ? null : new WebApp(folder, build, stamp);
}

/** The built web app in a folder, which may be built anew while it is served. */
export class WebApp {
  readonly #folder: string;
  #build: WebBuild;
  #stamp: string | null;
  #reading: Promise<void> | null = null;

  constructor(folder: string, build: WebBuild, stamp: string | null) {
    this.#folder = folder;
    this.#build = build;
    this.#stamp = stamp;
  }

  get build(): WebBuild {
    return this.#build;
  }

  /** The build that is in the folder now, for the time of looking at one file. While it is written, the one before. */
  async newest(): Promise<WebBuild> {
    const stamp = await stampOf(this.#folder);
    if (stamp !== null && stamp !== this.#stamp) {
      this.#reading ??= this.#read(stamp).finally(() => {
        this.#reading = null;
      });
      await this.#reading;
    }
    return this.#build;
  }

  async #read(stamp: string): Promise<void> {
    const build = await readBuild(this.#folder);
    if (build === null) return;
    this.#build = build;
    this.#stamp = stamp;
  }
}

async function stampOf(folder: string): Promise<string | null> {
  const found = await stat(join(folder, STAMP)).catch(() => null);
  return found === null ? null : `${found.ino} ${found.mtimeMs} ${found.size}`;
}

async function readBuild(folder: string): Promise<WebBuild | null> {
  const names = await listProgramFiles(folder);
  const present = new Set(names.map((name) => name.replaceAll('\\', '/')));
  if (!present.has(PAGE)) return null;
  const served = [...present].filter((name) => typeOf(name) !== undefined).sort();
  const files = await Promise.all(served.map((name) => describe(folder, name, present)));
  const byAddress = new Map(files.map((file) => [file.address, file]));
  const page = byAddress.get(`/${PAGE}`);
  if (page === undefined) return null;
  byAddress.delete(page.address);
  return { page, files: byAddress };
}

async function describe(folder: string, name: string, present: ReadonlySet<string>): Promise<WebFile> {
  const codings = new Map([['identity', join(folder, name)]]);
  for (const [coding, suffix] of Object.entries(COMPRESSED)) {
    if (present.has(name + suffix)) codings.set(coding, join(folder, name + suffix));
  }
  const isHashed = name.startsWith(HASHED);
  return {
    address: `/${name}`,
    type: typeOf(name) ?? '',
    // Reading hundreds of files would be a large part of a start.
    etag: `W/"${isHashed ? name.slice(HASHED.length) : await hashOf(join(folder, name))}"`,
    isHashed,
    isFrame: name.startsWith(FRAMES) && name.endsWith('.html'),
    codings,
  };
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256').update(await readProgramFile(file));
  return hash.digest('base64url').slice(0, 22);
}

function typeOf(name: string): string | undefined {
  return TYPES[/\.([a-z0-9]+)$/.exec(name)?.[1] ?? ''];
}
