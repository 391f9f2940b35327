import { cpSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.ts';
import { npmPack } from './npm-pack.ts';

/*
 * node tools/pack.ts [folder]
 *
 * Packs the program with its web app into notevault-<version>.tgz, as it is published. The folder is the current one by
 * default.
 */
const root = join(import.meta.dirname, '..');
const packed = mkdtempSync(join(tmpdir(), 'notevault-pack-'));

try {
  await build();
  cpSync(join(root, 'dist'), packed, { recursive: true, filter: (path) => !path.endsWith('build.stamp') });
  // A package cannot hold the link that dist/ has in its place.
  rmSync(join(packed, 'web/dist'), { recursive: true });
  cpSync(realpathSync(join(root, 'web/dist')), join(packed, 'web/dist'), { recursive: true });
  for (const name of ['README.md', 'LICENSE', 'CHANGELOG.md', 'docs']) {
    cpSync(join(root, name), join(packed, name), { recursive: true });
  }
  npmPack(packed, process.argv[2] ?? process.cwd());
} finally {
  rmSync(packed, { recursive: true, force: true });
}
