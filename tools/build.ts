import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DataFolderBusy, lockDataFolder } from '../server/src/data/data-folder.ts';
import { BUILT, PLUGIN } from '../server/src/domains/operating/downloads/downloads.ts';
import { packObsidian } from './build-obsidian.ts';
import { buildWeb } from './build-web.ts';
import { bundle } from './bundle.ts';
import { builtCommit } from './commit.ts';
import { digestOf, isBuilt, program } from './digest.ts';
import { manifestOfProgram } from './manifest.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const BIN = 'cli/src/main.js';
const bin = join(dist, BIN);
const manifestFile = join(dist, 'package.json');
/**
 * The first line is for shells, the second for both. `env -S` could pass the flag that silences the warning of
 * node:sqlite in early versions of Node 24, but BusyBox lacks it. Versions before 21 may refuse the flag. JavaScript reads
 * a string and a comment.
 */
const LAUNCHER = `#!/bin/sh
':' //; case "$(node -v)" in v1?.*|v20.*) exec node "$0" "$@";; esac; exec node --disable-warning=ExperimentalWarning "$0" "$@"
`;

/**
 * Returns the start of the command, which refuses an older Node in syntax that it can parse. Otherwise Node would print
 * the bundled program with its first syntax error.
 */
function commandOf(imports: string, { engines }: ReturnType<typeof manifestOfProgram>): string {
  const [, major, minor] = /^>=(\d+)\.(\d+)$/.exec(engines.node ?? '') ?? [];
  if (major === undefined) throw new Error(`engines.node must be ">=MAJOR.MINOR", not "${engines.node}"`);
  const [, program] = /^import '(.+)';\n$/.exec(imports) ?? [];
  if (program === undefined) throw new Error(`the script of the command imports more than the program: ${imports}`);
  return `${LAUNCHER}var node = process.versions.node.split('.').map(Number);
if (node[0] < ${major} || (node[0] === ${major} && node[1] < ${minor})) {
  console.error('notevault: this is Node ' + process.versions.node + ', and Notevault needs ${major}.${minor} or newer.');
  process.exit(1);
} else import('${program}');
`;
}

/**
 * Builds the web app into web/dist, and the program into dist/, which is then a package that runs on plain Node without
 * the workspaces. What was built from the same sources is left as it is.
 */
export async function build(): Promise<void> {
  await buildWeb();
  await buildProgram();
}

/** Builds only the program, with the plugin that it hands out. Returns the path of the command. */
export async function buildProgram(): Promise<string> {
  using _lock = await lockBuild();
  if (!isBuilt(root, program)) {
    const digest = digestOf(root, program.sources);
    await bundleProgram();
    writeFileSync(join(root, program.stamp), digest);
  }
  await nameCommit();
  return bin;
}

/** Waits until no other process builds: several tests build at once if the sources have changed. */
async function lockBuild(): Promise<Disposable> {
  const folder = join(root, 'node_modules/.cache/build');
  mkdirSync(folder, { recursive: true });
  for (;;) {
    try {
      return lockDataFolder(folder);
    } catch (error) {
      if (!(error instanceof DataFolderBusy)) throw error;
      await delay(50);
    }
  }
}

/** Files and folders of the package beside the program. They are linked: packing copies what the links name. */
const BESIDE = ['web/dist', 'README.md', 'LICENSE', 'CHANGELOG.md', 'docs', 'deploy'];

async function bundleProgram(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const imported = await bundle(root, dist);
  const manifest = manifestOfProgram(root, imported, BIN);
  writeFileSync(bin, commandOf(readFileSync(bin, 'utf8'), manifest));
  chmodSync(bin, 0o755);
  writeFileSync(manifestFile, JSON.stringify(manifest, null, 2));
  for (const path of BESIDE) {
    const link = join(dist, path);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(link), join(root, path)), link);
  }
}

/** Writes the commit into manifest and plugin, also when the same sources were built at another commit. */
async function nameCommit(): Promise<void> {
  const before = readFileSync(manifestFile, 'utf8');
  const manifest = { ...JSON.parse(before), commit: builtCommit() };
  const text = JSON.stringify(manifest, null, 2);
  const plugin = join(dist, BUILT, PLUGIN);
  if (text === before && existsSync(plugin)) return;
  const archive = await packObsidian(manifest.commit);
  mkdirSync(dirname(plugin), { recursive: true });
  writeWhole(plugin, archive.bytes);
  writeWhole(manifestFile, text);
}

/** A program that starts meanwhile must not read half a file. */
function writeWhole(file: string, content: string | Buffer): void {
  writeFileSync(`${file}.new`, content);
  renameSync(`${file}.new`, file);
}

if (import.meta.main) await build();
