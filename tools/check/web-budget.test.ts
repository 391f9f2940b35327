import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Chunk, measureSteps, type Step } from './web-budget.ts';

const chunks: Chunk[] = [
  { fileName: 'index.js', module: 'web/index.html', imports: ['shared.js'], modules: ['web/src/main.tsx'] },
  { fileName: 'shared.js', module: null, imports: [], modules: ['react/index.js'] },
  {
    fileName: 'vault.js',
    module: 'web/src/vault.tsx',
    imports: ['shared.js', 'yjs.js'],
    modules: ['web/src/vault.tsx'],
  },
  { fileName: 'yjs.js', module: null, imports: [], modules: ['yjs/dist/yjs.mjs'] },
];
const first: Step = { name: 'first', modules: ['web/index.html'], limitKiB: 1, forbidden: ['yjs/'] };
const vault: Step = { name: 'vault', modules: ['web/src/vault.tsx'], limitKiB: 1, forbidden: ['yjs/'] };
const sizes: Record<string, number> = { 'index.js': 1, 'shared.js': 10, 'vault.js': 100, 'yjs.js': 1000 };

test('measureSteps counts each chunk once, with what it imports', () => {
  const measured = measureSteps(chunks, [first, vault], (name) => sizes[name] ?? 0);
  assert.deepEqual(
    measured.map(({ bytes }) => bytes),
    [11, 1100],
  );
});

test('measureSteps names modules that are loaded too early, also through shared chunks', () => {
  const measured = measureSteps(chunks, [first, vault], () => 0);
  assert.deepEqual(
    measured.map(({ early }) => early),
    [[], ['yjs/dist/yjs.mjs']],
  );
});

test('measureSteps names the paths of a step that the build does not have', () => {
  const moved: Step = {
    ...vault,
    modules: [...vault.modules, 'web/src/moved.tsx'],
    forbidden: ['katex/', 'web/src/moved/', 'web/src/main'],
  };
  const measured = measureSteps(chunks, [first, moved], () => 0);
  assert.deepEqual(
    measured.map(({ unknown }) => unknown),
    [[], ['web/src/moved.tsx', 'web/src/moved/']],
  );
});
