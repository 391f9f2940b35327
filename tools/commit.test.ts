import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openPromise } from 'yauzl';
import { commitOf } from '../server/src/version.ts';
import { builtCommit } from './commit.ts';

const root = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'notevault-commit-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a build names the commit that it is given, and otherwise that of the repository', () => {
  const { NOTEVAULT_COMMIT: before } = process.env;
  try {
    process.env.NOTEVAULT_COMMIT = '1b2c3d4e';
    assert.equal(builtCommit(), '1b2c3d4e');
    // A build argument that is not given is empty.
    process.env.NOTEVAULT_COMMIT = '';
    assert.equal(builtCommit(), commitOf(root) ?? undefined);
  } finally {
    if (before === undefined) delete process.env.NOTEVAULT_COMMIT;
    else process.env.NOTEVAULT_COMMIT = before;
  }
});

test('the packed plugin names the commit in its manifest', async () => {
  const env = { ...process.env, NOTEVAULT_COMMIT: '1b2c3d4e' };
  const zip = execFileSync(process.execPath, [join(root, 'tools/pack-obsidian.ts'), folder], { env, encoding: 'utf8' });
  const opened = await openPromise(zip.trim());
  let manifest: unknown;
  for await (const entry of opened.eachEntry()) {
    if (!entry.fileName.endsWith('/manifest.json')) continue;
    manifest = JSON.parse((await (await opened.openReadStreamPromise(entry)).toArray()).join(''));
  }
  const source = JSON.parse(readFileSync(join(root, 'clients/obsidian/manifest.json'), 'utf8'));
  assert.deepEqual(manifest, { ...source, commit: '1b2c3d4e' });
});
