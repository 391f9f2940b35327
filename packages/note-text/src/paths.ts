/**
 * Rules of vault paths: what a path may be, when two collide, what is above or below it.
 *
 * A normalised path has no leading, trailing or doubled `/`, no `.` and no `..`; the root is `''`. Functions other than
 * the `normalize…` and `decode…` ones expect such a path and never throw.
 */

import { isAscii, utf8Length } from './utf8.ts';

const maxSegmentBytes = 255;
const maxPathBytes = 4096;

/**
 * A path that may not be stored or looked up. `reason` continues a sentence that begins with the field's name: "path
 * must not be empty".
 */
export class PathError extends Error {
  readonly reason: string;

  constructor(reason: string) {
    super(`path ${reason}`);
    this.name = 'PathError';
    this.reason = reason;
  }
}

const controlCharacter = /\p{Cc}/u;
const markdownExtension = /\.md$/i;

/**
 * Normalises a path from a request: NFC, `/` between segments, empty and `.` segments dropped. Idempotent.
 *
 * @throws PathError on lone surrogates, control characters, `..`, an empty result, or more bytes than allowed.
 */
export function normalizePath(raw: string): string {
  if (!raw.isWellFormed()) throw new PathError('must be valid UTF-8');
  if (controlCharacter.test(raw)) throw new PathError('must not contain control characters');
  const segments = raw
    .normalize('NFC')
    .replaceAll('\\', '/')
    .split('/')
    .filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..')) throw new PathError('must not contain ".." segments');
  if (segments.length === 0) throw new PathError('must not be empty');
  if (segments.some((segment) => utf8Length(segment) > maxSegmentBytes)) {
    throw new PathError(`must not contain a name longer than ${maxSegmentBytes} bytes`);
  }
  const path = segments.join('/');
  if (utf8Length(path) > maxPathBytes) throw new PathError(`must not be longer than ${maxPathBytes} bytes`);
  return path;
}

/**
 * Normalises a note's path like `normalizePath`. The path must end in `.md`, and its first segment must not be `by-id`.
 *
 * Both rules apply to the folded path. A folder keeps its first spelling, so `By-Id/a.md` could be stored under an
 * attachment folder `by-id`, where no URL would reach it.
 */
export function normalizeNotePath(raw: string): string {
  const path = normalizePath(raw);
  if (!markdownExtension.test(path)) throw new PathError('must end in ".md"');
  if (isInside('by-id', path)) throw new PathError('must not begin with the segment "by-id"');
  return path;
}

/**
 * Decodes the rest of a URL path (percent-encoded, leading slash removed) into a path that is not normalised yet. Each
 * segment is decoded on its own, so an encoded slash separates segments like a plain one: `A%2FB.md` is `A/B.md`.
 *
 * @throws PathError on a malformed escape or bytes that are not UTF-8.
 */
export function decodeUrlPath(rest: string): string {
  try {
    return rest.split('/').map(decodeURIComponent).join('/');
  } catch {
    throw new PathError('must be valid percent-encoded UTF-8');
  }
}

/** Lower, upper, lower: the middle step expands ß and the ligatures; the first step is needed for ẞ. */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase();
}

/**
 * Returns the key under which two live paths (or names) collide: Unicode full case folding, then NFC. Idempotent.
 * Unlike the Unicode data it folds Cherokee to lower case; the pairs that collide are the same.
 *
 * Dotless ı is not folded, as in Unicode: its upper case is I, yet `ısı.md` and `isi.md` are two notes.
 */
export function foldPath(path: string): string {
  if (isAscii(path)) return path.toLowerCase();
  return path
    .normalize('NFD')
    .replace(/[^ı]+/g, foldCase)
    .replaceAll('ς', 'σ') // lower-casing writes ς at the end of a word only
    .normalize('NFC');
}

/** Returns the folder of a path: `a/b` for `a/b/c.md`, `''` for a path at the root. */
export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}

/** Returns the last segment: `c.md` for `a/b/c.md`. */
export function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/**
 * Returns the last segment without a final `.md` (any case); other extensions stay: `c` for `a/c.MD`, `p.png` for
 * `a/p.png`.
 */
export function fileStem(path: string): string {
  return fileName(path).replace(markdownExtension, '');
}

/** Every folder above a path, nearest first, without the root: `a/b`, `a` for `a/b/c.md`. */
export function ancestorsOf(path: string): string[] {
  const folders: string[] = [];
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.push(folder);
  return folders;
}

/** Returns the number of segments of a path; 0 for the root. */
export function depthOf(path: string): number {
  return path === '' ? 0 : path.split('/').length;
}

/** Returns the path of `name` (which may have segments of its own) in `folder`; the root is `''`. */
export function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/**
 * Returns whether `path` is below `folder`, at any depth, ignoring case. A folder is not inside itself; everything but
 * the root is inside the root.
 */
export function isInside(folder: string, path: string): boolean {
  if (folder === '') return path !== '';
  return foldPath(path).startsWith(`${foldPath(folder)}/`);
}

/** Returns the path with a number after its stem from 2 on: `a/Note 2.md` for `a/Note.md`. */
export function numberedPath(path: string, number: number): string {
  if (number === 1) return path;
  const dot = path.lastIndexOf('.');
  const end = dot > path.lastIndexOf('/') + 1 ? dot : path.length;
  return `${path.slice(0, end)} ${number}${path.slice(end)}`;
}
