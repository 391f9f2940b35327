import { globSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'vite';
import { digestOf, isBuilt, webApp } from './digest.ts';
import { webConfig } from './web-config.ts';

const root = join(import.meta.dirname, '..');
const folder = join(root, 'web/dist');
const COMPRESSIBLE = /\.(css|html|js|json|svg|wasm|webmanifest|ttf)$/;
/** Level 9, because the maximum takes ten times as long to save another hundredth of the size. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/**
 * Builds the web app into web/dist, with each file compressed beside it. Does nothing if the build there was made of the
 * same sources.
 */
export async function buildWeb(): Promise<void> {
  if (isBuilt(root, webApp)) return;
  const digest = digestOf(root, webApp.sources);
  rmSync(folder, { recursive: true, force: true });
  await build(webConfig(root));
  await Promise.all(globSync('**/*', { cwd: folder }).map((name) => compress(join(folder, name))));
  writeFileSync(join(root, webApp.stamp), digest);
}

async function compress(path: string): Promise<void> {
  if (!COMPRESSIBLE.test(path)) return;
  const bytes = await readFile(path);
  const [br, gz] = await Promise.all([promisify(brotliCompress)(bytes, BROTLI), promisify(gzip)(bytes, { level: 9 })]);
  // A tiny file only grows.
  if (br.length < bytes.length) await writeFile(`${path}.br`, br);
  if (gz.length < bytes.length) await writeFile(`${path}.gz`, gz);
}

if (import.meta.main) await buildWeb();
