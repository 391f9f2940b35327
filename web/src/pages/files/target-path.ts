import { foldPath } from '@notevault/note-text/paths.ts';
/**
 * Where a file goes in a folder of a vault: to its own path there, or to one with a number behind the name if that is
 * taken. Adds it to the taken ones, which are folded.
 */
export function targetPath(folder: string, path: string, taken: Set<string>): string {
  const whole = folder === '' ? path : `${folder}/${path}`;
  const dot = whole.lastIndexOf('.') > whole.lastIndexOf('/') + 1 ? whole.lastIndexOf('.') : whole.length;
  for (let count = 1; ; count++) {
    const free = `${whole.slice(0, dot)}${count === 1 ? '' : ` ${count}`}${whole.slice(dot)}`;
    const key = foldPath(free);
    if (taken.has(key)) continue;
    taken.add(key);
    return free;
  }
}
