import { dirname, relative } from 'node:path/posix';
import { resolveImport } from './check/sources.ts';

const WORKSPACE = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])(@notevault\/[^"'\n]+)\.ts\2/g;
const RELATIVE_URL = /(new URL\(\s*)(["'])(\.{1,2}\/[^"'\n]+)\.ts\2(\s*,\s*import\.meta\.url)/g;

/**
 * Converts a compiled file for publishing. Outside the repository the workspaces are not packages, so their imports
 * become relative; files loaded by URL (workers) get their compiled names.
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
 * A first line for shells, and a second one for both. `env -S` could pass the flag that silences the warning of
 * node:sqlite in early versions of Node 24, but BusyBox lacks it. JavaScript reads a string and a comment.
 */
const LAUNCHER = `#!/bin/sh\n':' //; exec node --disable-warning=ExperimentalWarning "$0" "$@"\n`;

export function withLauncher(code: string): string {
  return LAUNCHER + code.replace(/^#!.*\n/, '');
}
