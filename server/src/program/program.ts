import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { enableCompileCache } from 'node:module';
import { basename, resolve } from 'node:path';
import { getAsset, getAssetKeys, getRawAsset, isSea } from 'node:sea';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/*
 * The files of the program itself. In the repository and in the npm package they are files; the single executable contains
 * them as assets, which are named by their paths in the package.
 */

export const isExecutable = isSea();

/** The global of the executable's loader, which keeps compiled code in a folder. */
type CodeCache = typeof globalThis & { notevaultCodeCache?: (folder: string) => void };
let codeCache: string | null = null;

/** Returns the path of a file or folder of the program, for the functions below. */
export function programPath(path: string): string {
  return isExecutable ? path : fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}

/** Lists the files below a folder; none if it does not exist. */
export async function listProgramFiles(folder: string): Promise<string[]> {
  if (!isExecutable) return readdir(folder, { recursive: true }).catch(() => []);
  const keys = getAssetKeys().filter((key) => key.startsWith(`${folder}/`));
  return keys.map((key) => key.slice(folder.length + 1));
}

/** Reads a file. Its bytes may be memory that cannot be written. */
export async function readProgramFile(path: string): Promise<Buffer> {
  return isExecutable ? Buffer.from(getRawAsset(path)) : readFile(path);
}

export function readProgramText(path: string): string {
  return isExecutable ? getAsset(path, 'utf8') : readFileSync(path, 'utf8');
}

export function startThread(script: URL, options: WorkerOptions): Worker {
  if (!isExecutable) return new Worker(script, options);
  const cached = codeCache === null ? '' : `notevaultCodeCache(${JSON.stringify(codeCache)});`;
  const start = `${getAsset('loader.cjs', 'utf8')}\n${cached}load(${JSON.stringify(basename(script.pathname))});`;
  return new Worker(start, { ...options, eval: true });
}

/** Keeps the compiled code of the program in a folder, because compiling takes most of the start-up time. */
export function cacheCompiledCode(folder: string): void {
  codeCache = folder;
  if (isExecutable) (globalThis as CodeCache).notevaultCodeCache?.(folder);
  else enableCompileCache(folder);
}

/** Returns the program and the arguments that start this command again. */
export function ownCommand(execArgv: readonly string[] = []): string[] {
  // The executable has its flags in itself, and takes no others before its arguments.
  if (isExecutable) return [process.execPath];
  return [process.execPath, ...execArgv, resolve(process.argv[1] ?? '')];
}
