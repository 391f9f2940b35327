import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/*
 * npm run set-version -- VERSION
 *
 * Writes the version in every place that names it. Between releases it ends in `-dev`, so that what is not released never
 * passes for a release.
 */

const PLUGIN = 'clients/obsidian';
/** The files that name the version, and where they do. */
const PLACES: readonly (readonly [files: string, version: RegExp])[] = [
  // In manifests and lockfiles, after the name of one of our packages.
  [
    `{{.,packages/*,server,cli,web,clients/*}/package.json,{.,${PLUGIN}/export}/package-lock.json,${PLUGIN}/manifest.json}`,
    /(?<="name": "@?notevault[^"]*",\n +"version": ")[^"]+/gi,
  ],
  // The name of the plugin's zip, and the first cell in the table of versions that fit.
  ['{README.md,docs/obsidian.md}', /(?<=notevault-obsidian-)\d\S*(?=\.zip)|(?<=^\| )\d\S*(?= \| \d\S* or newer)/gm],
];
/** The oldest version of the app for each version of the plugin; the store serves older apps by the lines of releases. */
const APP_VERSIONS = `${PLUGIN}/export/versions.json`;

/** Returns the versions that each place names. */
export function namedVersions(root: string): Record<string, string[]> {
  const named = filesOf(root).map(({ path, text, pattern }) => [path, text.match(pattern) ?? []]);
  return { ...Object.fromEntries(named), [APP_VERSIONS]: Object.keys(readJson(root, APP_VERSIONS)).slice(-1) };
}

export function setVersion(root: string, version: string): void {
  for (const { path, text, pattern } of filesOf(root)) writeFileSync(join(root, path), text.replace(pattern, version));
  const released = Object.entries(readJson(root, APP_VERSIONS)).filter(([each]) => isReleased(each));
  const { minAppVersion } = readJson(root, `${PLUGIN}/manifest.json`);
  const versions = { ...Object.fromEntries(released), [version]: minAppVersion };
  writeFileSync(join(root, APP_VERSIONS), `${JSON.stringify(versions, null, 2)}\n`);
}

/** Returns whether a version names a release; others end in `-dev`. */
export function isReleased(version: string): boolean {
  return /^\d+\.\d+\.\d+$/.test(version);
}

function filesOf(root: string) {
  return PLACES.flatMap(([files, pattern]) =>
    globSync(files, { cwd: root }).map((path) => ({ path, pattern, text: readFileSync(join(root, path), 'utf8') })),
  );
}

function readJson(root: string, path: string): Record<string, string> {
  return JSON.parse(readFileSync(join(root, path), 'utf8')) as Record<string, string>;
}

if (import.meta.main) {
  const version = process.argv[2] ?? '';
  if (isReleased(version.replace(/-dev$/, ''))) setVersion(join(import.meta.dirname, '..'), version);
  else {
    process.stderr.write('usage: npm run set-version -- MAJOR.MINOR.PATCH[-dev]\n');
    process.exitCode = 2;
  }
}
