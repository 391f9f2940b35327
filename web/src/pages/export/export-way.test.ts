import assert from 'node:assert/strict';
import { test } from 'node:test';
import { exportName, exportWay } from './export-way.ts';

test('exportWay leaves large vaults to the browser', () => {
  assert.equal(exportWay(0), 'page');
  assert.equal(exportWay(500_000_000), 'page');
  assert.equal(exportWay(500_000_001), 'browser');
});

test('exportName takes what file systems refuse out of the name of a vault', () => {
  assert.equal(exportName('Notes', '2026-11-22'), 'Notes 2026-11-22.zip');
  assert.equal(exportName('a/b: "c"?', '2026-11-22'), 'a b c 2026-11-22.zip');
  assert.equal(exportName('..', '2026-11-22'), 'vault 2026-11-22.zip');
});
