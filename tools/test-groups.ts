import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/*
 * Loading the server and compiling what runs often takes a process some five seconds of processor time, more than most
 * test files need themselves. So files whose tests leave nothing behind in their process run several to a process.
 */

const SHARING =
  /^(packages|clients\/obsidian|cli\/src|tools(?!\/optional)|web\/src|server\/src|server\/test\/(flows|golden|kit|mcp|races|releases|relevance))\//;
/**
 * Tests that drive a browser or have a page's globals; databases, whose threads and files are better alone in their
 * process; and tests of what a process has open, of its garbage or of much memory.
 */
const ALONE = [
  /^(web\/src\/editor\/test|clients\/obsidian\/test\/shell|server\/src\/ports\/(database|gc))\//,
  /\/(open-(handles|bytes)|attachment-bytes|stops|pgbouncer|s3)\b/,
];
/** These hooks, outside of a suite, would run for every test of the group. */
const HAS_ROOT_HOOK = /^(before|after)Each\(/m;
const FILES_PER_GROUP = 200;

/**
 * Returns the files to run: each that needs a process of its own, and one for each group, which imports the files of the
 * group. Those are written into `folder`, which is emptied first.
 */
export function grouped(files: readonly string[], folder: string): string[] {
  const shares = (file: string) => {
    return (
      SHARING.test(file) && !ALONE.some((files) => files.test(file)) && !HAS_ROOT_HOOK.test(readFileSync(file, 'utf8'))
    );
  };
  const sharing = files.filter(shares);
  const count = Math.ceil(sharing.length / FILES_PER_GROUP);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Neighbours take alike long: dealt out in turn, each group gets some of every kind.
  const groups = Array.from({ length: count }, (_, group) => sharing.filter((_, at) => at % count === group));
  const entries = groups.map((group, number) => {
    const entry = join(folder, `group-${number + 1}.test.mjs`);
    const imports = group.map((file) => `import ${JSON.stringify(pathToFileURL(resolve(file)).href)};\n`);
    writeFileSync(entry, imports.join(''));
    return entry;
  });
  return [...files.filter((file) => !shares(file)), ...entries];
}
