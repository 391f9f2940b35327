import { fileName, folderOf, foldPath, joinPath } from '@notevault/note-text/paths.ts';

/** Parts a file name before its last dot; a name that begins with its only dot has no extension. */
function splitName(name: string): [stem: string, extension: string] {
  const dot = name.lastIndexOf('.');
  return dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
}

function withSuffix(path: string, suffix: string): string {
  const [stem, extension] = splitName(fileName(path));
  return joinPath(folderOf(path), `${stem} ${suffix}${extension}`);
}

/** Letters of a device's name in the names of files: what every file system takes. */
const DEVICE_LENGTH = 20;

/** `conflict DEVICE 2026-11-22 14-05-09`, with the local time of the device. */
export function conflictLabel(device: string, now: Date): string {
  const name = device.replace(/[^\p{L}\p{N}-]/gu, '');
  const two = (part: number) => String(part).padStart(2, '0');
  const day = `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
  const time = `${two(now.getHours())}-${two(now.getMinutes())}-${two(now.getSeconds())}`;
  return `conflict ${[...name].slice(0, DEVICE_LENGTH).join('')} ${day} ${time}`;
}

/** The name of a file that makes way for another: `name (conflict …).ext`, numbered when it is taken. */
export function conflictPath(path: string, label: string, taken: (foldedPath: string) => boolean): string {
  for (let number = 1; ; number++) {
    const free = withSuffix(path, `(${label}${number === 1 ? '' : ` ${number}`})`);
    if (!taken(foldPath(free))) return free;
  }
}

const tempSuffix = (id: string) => `(moving ${id.replaceAll('-', '').slice(-8)})`;

/** Where a file waits while others that change places with it move. */
export function tempPath(path: string, id: string): string {
  return withSuffix(path, tempSuffix(id));
}

/** Whether a path is one of `tempPath`'s: the file was on its way when the last round ended. */
export function isTempPath(path: string, id: string): boolean {
  return splitName(fileName(path))[0].endsWith(` ${tempSuffix(id)}`);
}
