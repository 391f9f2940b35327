import assert from 'node:assert/strict';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Folder } from '../server/test/kit/programs/process.ts';
import { isReleased, namedVersions, setVersion } from './set-version.ts';

const root = join(import.meta.dirname, '..');
const APP_VERSIONS = 'clients/obsidian/export/versions.json';

test('all places name the same version, which is a release only if the changelog lists it', () => {
  const named = namedVersions(root);
  const [version = ''] = named['package.json'] ?? [];
  for (const [path, versions] of Object.entries(named)) assert.deepEqual([path, ...new Set(versions)], [path, version]);
  const changes = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  assert.equal(isReleased(version), changes.includes(`\n## [${version}] - `));
});

test('setVersion changes every place, and keeps which app a released plugin needs', () => {
  using folder = new Folder();
  for (const path of Object.keys(namedVersions(root))) cpSync(join(root, path), folder.at(path));
  const [{ minAppVersion }, known] = ['clients/obsidian/manifest.json', APP_VERSIONS].map((path) =>
    JSON.parse(readFileSync(join(root, path), 'utf8')),
  );
  const released = Object.entries(known).filter(([version]) => isReleased(version));
  for (const version of ['8.0.0-dev', '8.0.0', '8.1.0-dev']) {
    setVersion(folder.path, version);
    for (const [path, versions] of Object.entries(namedVersions(folder.path)))
      assert.deepEqual([path, ...new Set(versions)], [path, version]);
  }
  const kept = JSON.parse(readFileSync(folder.at(APP_VERSIONS), 'utf8'));
  assert.deepEqual(Object.entries(kept), [...released, ['8.0.0', minAppVersion], ['8.1.0-dev', minAppVersion]]);
});
