import { dirname, relative } from 'node:path/posix';
import { resolveImport } from './sources.ts';

const WORKSPACE = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])(@notevault\/[^"'\n]+)\.ts\2/g;
const RELATIVE_URL = /(new URL\(\s*)(["'])(\.{1,2}\/[^"'\n]+)\.ts\2(\s*,\s*import\.meta\.url)/g;

/**
 * A compiled file as it can be published: the workspaces are no packages outside the repository, so their imports
 * become relative ones, and what is loaded by URL (workers) gets the name it has after compiling.
 */
export function publishable(path: string, code: string): string {
  const done = code
    .replace(WORKSPACE, (_, before: string, quote: string, specifier: string) => {
      return `${before}${quote}${relativeTo(path, `${specifier}.js`)}${quote}`;
    })
    .replace(RELATIVE_URL, '$1$2$3.js$2$4');
  const left = /\b(?:from|import)\s*\(?\s*["'](@notevault\/[^"'\n]*|\.[^"'\n]*\.ts)["']/.exec(done);
  if (left !== null) throw new Error(`${path} still imports ${left[1]}, which is not there once published.`);
  return done;
}

function relativeTo(path: string, specifier: string): string {
  const target = resolveImport(path, specifier) ?? specifier;
  const way = relative(dirname(path), target);
  return way.startsWith('.') ? way : `./${way}`;
}

/**
 * A first line for shells and a second for both: node:sqlite warns on every start of early versions of Node 24, and
 * `env -S`, which could pass the flag against it, is missing from BusyBox. JavaScript sees a string and a comment.
 */
const LAUNCHER = `#!/bin/sh\n':' //; exec node --disable-warning=ExperimentalWarning "$0" "$@"\n`;

export function withLauncher(code: string): string {
  return LAUNCHER + code.replace(/^#!.*\n/, '');
}
