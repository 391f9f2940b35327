import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

/** The earliest time that a zip can name; local, as zips name it. */
const PACKED_AT = new Date(1980, 0, 1);
const BUILD = join(import.meta.dirname, '../clients/obsidian/build.mjs');

/**
 * Builds the plugin for Obsidian, and packs it as it is unpacked in `.obsidian/plugins` of a vault. The same sources and
 * commit give the same bytes.
 */
export async function packObsidian(commit: string | undefined): Promise<{ version: string; bytes: Buffer }> {
  const built = mkdtempSync(join(tmpdir(), 'notevault-obsidian-'));
  try {
    execFileSync(process.execPath, [BUILD, built], { stdio: ['ignore', 'ignore', 'inherit'] });
    const zip = new ZipFile();
    const read = (name: string) => readFileSync(join(built, name));
    const manifest = JSON.parse(read('manifest.json').toString()) as { id: string; version: string };
    for (const name of readdirSync(built).sort()) {
      const bytes = name === 'manifest.json' ? `${JSON.stringify({ ...manifest, commit }, null, 2)}\n` : read(name);
      const options = { mtime: PACKED_AT, mode: 0o100644, forceDosTimestamp: true };
      zip.addBuffer(Buffer.from(bytes), `${manifest.id}/${name}`, options);
    }
    zip.end();
    return { version: manifest.version, bytes: await buffer(zip.outputStream) };
  } finally {
    rmSync(built, { recursive: true, force: true });
  }
}
