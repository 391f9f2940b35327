import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkRetiredNames, type RetiredNames } from './retired-names.ts';

const retired: RetiredNames = {
  files: { 'server/src/engines.ts': 'server/src/ports.ts' },
  identifiers: { HotVaults: 'VaultCache', breather: 'createYield' },
  schema: { stamp: 'revision' },
  metrics: { notevault_hot_vault_bytes: 'notevault_vault_cache_bytes' },
  phrases: { 'leans on': 'depends on' },
  allowed: { 'server/src/wire.ts': ['HotVaults'], 'docs/adr/': ['*'] },
};

function linesIn(path: string, text: string): number[] {
  const source = { path, text };
  const isPage = path.endsWith('.md');
  return checkRetiredNames(isPage ? [] : [source], isPage ? [source] : [], retired).map(({ line }) => line);
}

test('checkRetiredNames finds a retired file name by its path', () => {
  assert.deepEqual(linesIn('server/src/engines.ts', ''), [1]);
  assert.deepEqual(linesIn('server/src/ports.ts', ''), []);
});

test('checkRetiredNames finds a retired identifier in code, as a whole word, not in comments or strings', () => {
  assert.deepEqual(linesIn('server/src/a.ts', "\nnew HotVaults();\n// HotVaults\nlog('HotVaults');\n"), [2]);
  assert.deepEqual(linesIn('server/src/a.ts', 'new MyHotVaults(); const breatherOf = 1;'), []);
});

test('checkRetiredNames finds a retired column in stores and tables, also in strings', () => {
  assert.deepEqual(linesIn('server/src/domains/notes/notes.store.ts', "select(['notes.stamp'])"), [1]);
  assert.deepEqual(linesIn('server/src/domains/notes/notes.ts', "const label = 'stamp';"), []);
});

test('checkRetiredNames finds a retired metric or phrase in code, comments and documents', () => {
  assert.deepEqual(linesIn('server/src/a.ts', "\n'notevault_hot_vault_bytes'; // leans on it"), [2, 2]);
  assert.deepEqual(linesIn('docs/scaling.md', 'it leans on that'), [1]);
});

test('checkRetiredNames does not report what the list allows for a path', () => {
  assert.deepEqual(linesIn('server/src/wire.ts', 'new HotVaults(); breather();'), [1]);
  assert.deepEqual(linesIn('docs/adr/0001.md', 'it leans on that'), []);
});
