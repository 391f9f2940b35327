import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

const workspace = join(import.meta.dirname, '..');
const { buildPlugin, licencesOf, LICENCES } = (await import(join(workspace, 'build.mjs'))) as {
  readonly buildPlugin: (folder: string) => Promise<{ readonly modules: readonly string[] }>;
  readonly licencesOf: (modules: readonly string[]) => string;
  readonly LICENCES: string;
};

test('the build of the plugin has the licence of each package in it, and refuses one without', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'notevault-build-'));
  try {
    await buildPlugin(folder);
    const licences = readFileSync(join(folder, LICENCES), 'utf8');
    for (const name of ['yjs', 'lib0', '@noble/hashes', 'typebox', 'ignore'])
      assert.match(licences, new RegExp(`^${name} \\d+\\.\\d+\\.\\d+$`, 'm'), name);
    assert.match(licences, /Permission is hereby granted/);
    const module = join(folder, 'node_modules/@alice/new/index.js');
    mkdirSync(join(module, '..'), { recursive: true });
    writeFileSync(join(module, '../package.json'), '{"version":"1.0.0"}');
    assert.throws(() => licencesOf([module]), /@alice\/new .* no licence/);
    writeFileSync(join(module, '../LICENCE.md'), 'You may.\n');
    assert.match(licencesOf([module, join(folder, 'own.js')]), /^@alice\/new 1\.0\.0\n\nYou may\.$/m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
