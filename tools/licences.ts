import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

/** Returns the licences of the packages of bundled modules, which must be distributed with the bundle. */
export function licencesOf(modules: readonly string[]): string {
  const folders = new Set<string>();
  for (const id of modules) {
    const folder = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll(sep, '/'))?.[1];
    if (folder !== undefined && existsSync(join(folder, 'package.json'))) folders.add(folder);
  }
  return [...folders].map(licenceOf).sort().join('\n');
}

function licenceOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license: unknown;
  };
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  const text = file === undefined ? `Licence: ${JSON.stringify(license)}` : readFileSync(join(folder, file), 'utf8');
  return `${name} ${version}\n\n${text.trim()}\n\n${'-'.repeat(80)}\n`;
}
