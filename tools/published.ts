import { dirname, relative } from 'node:path/posix';
import { resolveImport } from './check/sources.ts';

const WORKSPACE = /(\bfrom\s*|\bimport\s*\(?\s*)(["'])(@notevault\/[^"'\n]+)\.ts\2/g;

/**
 * Converts a compiled file for publishing: outside the repository the workspaces are not packages, so their imports
 * become relative.
 */
export function publishable(path: string, code: string): string {
  const done = code.replace(WORKSPACE, (_, before: string, quote: string, specifier: string) => {
    return `${before}${quote}${relativeTo(path, `${specifier}.js`)}${quote}`;
  });
  const left = /\b(?:from|import)\s*\(?\s*["'](@notevault\/[^"'\n]*|\.[^"'\n]*\.ts)["']/.exec(done);
  if (left !== null) throw new Error(`${path} still imports ${left[1]}, which is not there once published.`);
  return done;
}

function relativeTo(path: string, specifier: string): string {
  const target = resolveImport(path, specifier) ?? specifier;
  const way = relative(dirname(path), target);
  return way.startsWith('.') ? way : `./${way}`;
}
