import { fileName, folderOf, foldPath, joinPath } from '@notevault/note-text/paths.ts';

/** Splits a file name at its last dot. A name whose only dot is its first character has no extension. */
function splitName(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
}

/** Returns a path whose file name has a suffix before its extension. */
export function withSuffix(path: string, suffix: string): string {
  const [stem, extension] = splitName(fileName(path));
  return joinPath(folderOf(path), `${stem} ${suffix}${extension}`);
}

/** Maximum length of a device name in a file name. */
const DEVICE_LENGTH = 20;

/** Returns `conflict DEVICE 2026-11-22 14-05-09`, in the device's local time. */
export function conflictLabel(device: string, now: Date): string {
  const name = device.replace(/[^\p{L}\p{N}-]/gu, '');
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  const time = `${two(now.getHours())}-${two(now.getMinutes())}-${two(now.getSeconds())}`;
  return `conflict ${[...name].slice(0, DEVICE_LENGTH).join('')} ${day} ${time}`;
}

/** Returns the path of a conflict copy: `name (conflict …).ext`, numbered when that is taken. */
export function conflictPath(path: string, label: string, taken: (foldedPath: string) => boolean): string {
  for (let number = 1; ; number++) {
    const free = withSuffix(path, `(${label}${number === 1 ? '' : ` ${number}`})`);
    if (!taken(foldPath(free))) return free;
  }
}

const CONFLICT_COPY = / \(conflict [\p{L}\p{N}-]* \d{4}-\d\d-\d\d \d\d-\d\d-\d\d(?: \d+)?\)(\.[^./]*)?$/u;

/** Returns whether a path was made by `conflictPath`, on any device. */
export function isConflictPath(path: string): boolean {
  return CONFLICT_COPY.test(path);
}

/** Returns the original path of a copy named by `conflictPath`; null if the path is no such copy. */
export function conflictOf(path: string): string | null {
  return isConflictPath(path) ? path.replace(CONFLICT_COPY, '$1') : null;
}
