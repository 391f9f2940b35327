import { readFileSync } from 'node:fs';

/** The published version. package.json is two folders up in the sources and three in the compiled package. */
export const version: string = ['../../package.json', '../../../package.json'].flatMap(versionIn)[0] ?? '0.0.0';

function versionIn(path: string): string[] {
  try {
    const manifest = JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')) as {
      name?: string;
      version?: string;
    };
    return manifest.name === 'notevault' && manifest.version !== undefined ? [manifest.version] : [];
  } catch {
    return [];
  }
}
