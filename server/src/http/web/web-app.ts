import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

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

/** The built web app: the page, and the files that it loads. */
export interface WebApp {
  readonly page: WebFile;
  readonly files: readonly WebFile[];
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
/** The build writes here what has a hash in its name. */
export const HASHED = 'assets/';
/** And here the pages of sandboxed frames. */
const FRAMES = 'frames/';
const PAGE = 'index.html';

/** Lists the web app in a folder; null if it was not built. */
export async function findWebApp(folder: string): Promise<WebApp | null> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const present = new Set(names.map((name) => name.replaceAll('\\', '/')));
  if (!present.has(PAGE)) return null;
  const served = [...present].filter((name) => typeOf(name) !== undefined).sort();
  const files = await Promise.all(served.map((name) => describe(folder, name, present)));
  const page = files.find(({ address }) => address === `/${PAGE}`);
  if (page === undefined) return null;
  return { page, files: files.filter((file) => file !== page) };
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
  const hash = createHash('sha256').update(await readFile(file));
  return hash.digest('base64url').slice(0, 22);
}

function typeOf(name: string): string | undefined {
  return TYPES[/\.([a-z0-9]+)$/.exec(name)?.[1] ?? ''];
}
