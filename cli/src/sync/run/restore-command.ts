import { constants } from 'node:fs';
import { copyFile, mkdir, realpath, utimes } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { fileName, folderOf, joinPath } from '@notevault/note-text/paths.ts';
import { copiesByFile } from '@notevault/sync/rules/kept-copies.ts';
import { processEnvironment } from '../../environment.ts';
import { CliError } from '../../error-messages.ts';
import { print } from '../../print.ts';
import { requireRealParents } from '../disk/real-parents.ts';
import { Trash, type TrashedFile } from '../disk/trash.ts';
import { FolderRegistry } from '../state/folder-registry.ts';

/**
 * Runs `notevault sync restore`: restores the newest trashed version of a file, beside the current file if there is
 * one.
 */
export async function restore(file: string, isList: boolean): Promise<void> {
  const { root, path, place } = await locate(file);
  using trash = await Trash.open(place);
  if (isList) {
    const inside = trash.list().filter((one) => path === '' || one.path === path || one.path.startsWith(`${path}/`));
    for (const [at, copies] of copiesByFile(inside)) {
      print(at);
      for (const { since, reason } of copies) print(`  ${new Date(since).toLocaleString('sv')}  ${reason}`);
    }
    if (inside.length === 0) print('It is not in the trash.');
    return;
  }
  const [newest] = trash.list(path);
  if (newest === undefined)
    throw new CliError(`${path} is not in the trash. "notevault sync restore --list ${root}" lists its contents.`);
  print(`Restored to ${await putBack(trash, newest, root, path)}`);
}

/**
 * Copies a trashed file into its folder and marks it to be uploaded even if another device has just deleted it. Returns
 * the new file's path.
 */
export async function putBack(trash: Trash, trashed: TrashedFile, root: string, path: string): Promise<string> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  requireRealParents(root, path);
  for (const candidate of [path, beside(path, trashed.since)]) {
    const target = join(root, candidate);
    trash.restored.add(candidate);
    try {
      await copyFile(trash.fileOf(trashed.id), target, constants.COPYFILE_EXCL);
    } catch (error) {
      trash.restored.arrived(candidate);
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      continue;
    }
    await utimes(target, trashed.mtime, trashed.mtime);
    return target;
  }
  throw new CliError(`${join(root, beside(path, trashed.since))} exists already: move it away first.`);
}

/** Returns the path for a restored file if its original path is taken. */
function beside(path: string, since: number): string {
  const name = fileName(path);
  const dot = name.lastIndexOf('.');
  const [stem, extension] = dot <= 0 ? [name, ''] : [name.slice(0, dot), name.slice(dot)];
  const when = new Date(since).toLocaleString('sv').replaceAll(':', '-');
  return joinPath(folderOf(path), `${stem} (restored ${when})${extension}`);
}

/** Finds the synced folder that a path lies in; its last parts may no longer exist. */
async function locate(file: string): Promise<{ readonly root: string; readonly path: string; readonly place: string }> {
  let [existing, rest] = [resolve(file), ''];
  let real = await realpath(existing).catch(() => null);
  while (real === null && dirname(existing) !== existing) {
    rest = join(basename(existing), rest);
    existing = dirname(existing);
    real = await realpath(existing).catch(() => null);
  }
  const absolute = join(real ?? existing, rest);
  const registry = new FolderRegistry(processEnvironment().stateFolder);
  for (const record of await registry.all()) {
    const path = relative(record.root, absolute);
    if (record.root === '' || path === '..' || path.startsWith(`..${sep}`) || resolve(record.root, path) !== absolute)
      continue;
    return { root: record.root, path: path.split(sep).join('/').normalize('NFC'), place: registry.stateOf(record) };
  }
  throw new CliError(`${file} is not in a folder that this machine syncs.`);
}
