import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildWeb } from './build-web.ts';
import { bundle } from './bundle.ts';
import { builtCommit } from './commit.ts';
import { digestOfProgram, stampOf } from './digest.ts';
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

/** Builds only the program. Returns the path of the command. */
export async function buildProgram(): Promise<string> {
  const digest = digestOfProgram(root);
  const stamp = stampOf(root);
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== digest) {
    await bundleProgram();
    writeFileSync(stamp, digest);
  }
  nameCommit();
  return bin;
}

async function bundleProgram(): Promise<void> {
  rmSync(dist, { recursive: true, force: true });
  const imported = await bundle(root, dist);
  const manifest = manifestOfProgram(root, imported, BIN);
  writeFileSync(bin, commandOf(readFileSync(bin, 'utf8'), manifest));
  chmodSync(bin, 0o755);
  writeFileSync(manifestFile, JSON.stringify(manifest, null, 2));
  // The program looks for the web app beside it; packing copies what the link names.
  mkdirSync(join(dist, 'web'));
  symlinkSync('../../web/dist', join(dist, 'web/dist'), 'dir');
}

/** Writes the commit into the manifest, also when the same sources were built at another commit. */
function nameCommit(): void {
  const before = readFileSync(manifestFile, 'utf8');
  const manifest = { ...JSON.parse(before), commit: builtCommit() };
  const text = JSON.stringify(manifest, null, 2);
  // A program that starts meanwhile must not read half a file.
  if (text !== before) writeFileSync(manifestFile, text);
}

if (import.meta.main) await build();
