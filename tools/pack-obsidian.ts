import { execFileSync } from 'node:child_process';
import { createWriteStream, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import { builtCommit } from './commit.ts';

/*
 * node tools/pack-obsidian.ts [folder]
 *
 * Packs the plugin for Obsidian into notevault-obsidian-<version>.zip, to be unpacked in `.obsidian/plugins` of a vault. The
 * folder is the current one by default.
 */

const built = mkdtempSync(join(tmpdir(), 'notevault-obsidian-'));

try {
  const build = join(import.meta.dirname, '../clients/obsidian/build.mjs');
  execFileSync(process.execPath, [build, built], { stdio: ['ignore', 'ignore', 'inherit'] });
  const manifestFile = join(built, 'manifest.json');
  const manifest = JSON.parse(readFileSync(manifestFile, 'utf8')) as Record<string, string>;
  const { id, version } = manifest;
  writeFileSync(manifestFile, `${JSON.stringify({ ...manifest, commit: builtCommit() }, null, 2)}\n`);
  const zip = new ZipFile();
  for (const name of readdirSync(built)) zip.addFile(join(built, name), `${id}/${name}`);
  zip.end();
  const file = join(process.argv[2] ?? process.cwd(), `notevault-obsidian-${version}.zip`);
  await pipeline(zip.outputStream, createWriteStream(file));
  console.log(file);
} finally {
  rmSync(built, { recursive: true, force: true });
}
