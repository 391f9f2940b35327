import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { pack } from 'tar-stream';
import { bundleOf } from './web-mermaid.ts';

const FILES = [
  'LICENSE',
  'package.json',
  'dist/mermaid.esm.min.mjs',
  'dist/mermaid.esm.min.mjs.map',
  'dist/mermaid.core.mjs',
  'dist/chunks/mermaid.esm.min/pie-ABC.mjs',
  'dist/chunks/mermaid.core/pie-ABC.mjs',
];

async function tarballOf(files: readonly string[]): Promise<Uint8Array> {
  const packed = pack();
  for (const file of files) packed.entry({ name: `package/${file}` }, `text of ${file}`);
  packed.finalize();
  return gzipSync(Buffer.concat(await Array.fromAsync(packed)));
}

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'web-mermaid-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('bundleOf downloads the package once, and keeps only the bundle and its licence', async (t) => {
  const cache = temporaryFolder(t);
  const tarball = await tarballOf(FILES);
  const what = `mermaid@1.2.3 sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const downloaded: string[] = [];
  const download = (name: string, folder: string) => {
    downloaded.push(name);
    writeFileSync(join(folder, 'mermaid-1.2.3.tgz'), tarball);
  };
  const path = await bundleOf(what, cache, download);
  assert.equal(readFileSync(path, 'utf8'), 'text of dist/mermaid.esm.min.mjs');
  assert.equal(await bundleOf(what, cache, download), path);
  assert.deepEqual(downloaded, ['mermaid@1.2.3']);
  const kept = globSync('**/*', { cwd: cache, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.deepEqual(kept.map(({ name }) => name).sort(), [
    'LICENSE',
    'mermaid.esm.min.mjs',
    'package.json',
    'pie-ABC.mjs',
  ]);
});

test('bundleOf refuses a package with another digest, names its digest and leaves nothing', async (t) => {
  const cache = temporaryFolder(t);
  const tarball = await tarballOf(FILES);
  const digest = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
  const download = (_name: string, folder: string) => writeFileSync(join(folder, 'mermaid-1.2.3.tgz'), tarball);
  await assert.rejects(bundleOf('mermaid@1.2.3 sha512-other', cache, download), (error: Error) =>
    error.message.includes(`has the digest ${digest}, not sha512-other`),
  );
  assert.deepEqual(globSync('**/*', { cwd: cache }), []);
});
