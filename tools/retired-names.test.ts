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

test('a retired file name is found by its path', () => {
  assert.deepEqual(linesIn('server/src/engines.ts', ''), [1]);
  assert.deepEqual(linesIn('server/src/ports.ts', ''), []);
});

test('a retired identifier is found in code, as a whole word, not in comments or strings', () => {
  assert.deepEqual(linesIn('server/src/a.ts', "\nnew HotVaults();\n// HotVaults\nlog('HotVaults');\n"), [2]);
  assert.deepEqual(linesIn('server/src/a.ts', 'new MyHotVaults(); const breatherOf = 1;'), []);
});

test('a retired column is found in stores and tables, also inside strings', () => {
  assert.deepEqual(linesIn('server/src/domains/notes/notes.store.ts', "select(['notes.stamp'])"), [1]);
  assert.deepEqual(linesIn('server/src/domains/notes/notes.ts', "const label = 'stamp';"), []);
});

test('a retired metric or phrase is found in code, comments and documents', () => {
  assert.deepEqual(linesIn('server/src/a.ts', "\n'notevault_hot_vault_bytes'; // leans on it"), [2, 2]);
  assert.deepEqual(linesIn('docs/scaling.md', 'it leans on that'), [1]);
});

test('what the list allows for a path is not reported there', () => {
  assert.deepEqual(linesIn('server/src/wire.ts', 'new HotVaults(); breather();'), [1]);
  assert.deepEqual(linesIn('docs/adr/0001.md', 'it leans on that'), []);
});
