import assert from 'node:assert/strict';
import { test } from 'node:test';
import { importsOf, resolveImport } from './sources.ts';

function importsIn(...lines: string[]) {
  return importsOf({ path: 'server/src/app.ts', text: lines.join('\n') });
}

test('importsOf finds static, multi-line, bare, dynamic and re-exporting imports with their lines', () => {
  const found = importsIn(
    "import { a } from './a.ts';",
    'import {',
    '  b,',
    "} from './b.ts';",
    "import './c.ts';",
    "export { d } from './d.ts';",
    "const e = await import('./e.ts');",
  );
  assert.deepEqual(
    found.map(({ specifier, line }) => [specifier, line]),
    [
      ['./a.ts', 1],
      ['./b.ts', 2],
      ['./c.ts', 5],
      ['./d.ts', 6],
      ['./e.ts', 7],
    ],
  );
  assert.ok(found.every(({ typeOnly }) => !typeOnly));
});

test('importsOf distinguishes type imports from inline types, which remain at run time', () => {
  const found = importsIn(
    "import type { A } from './a.ts';",
    "import { type B } from './b.ts';",
    "export type { C } from './c.ts';",
    "type D = typeof import('./d.ts');",
  );
  assert.deepEqual(
    found.map(({ typeOnly }) => typeOnly),
    [true, false, true, true],
  );
});

test('importsOf ignores imports in comments and templates', () => {
  const found = importsIn(
    "// import './a.ts';",
    '/*',
    "import './b.ts';",
    '*/',
    'const c = `',
    "import './c.ts';",
    '`;',
  );
  assert.deepEqual(found, []);
});

test('resolveImport returns a file of the repository, or null', () => {
  assert.equal(resolveImport('server/src/http/http.ts', '../app.ts'), 'server/src/app.ts');
  assert.equal(resolveImport('cli/src/main.ts', '@notevault/server/app.ts'), 'server/src/app.ts');
  assert.equal(resolveImport('cli/src/main.ts', '@notevault/note-text/scan/x.ts'), 'packages/note-text/src/scan/x.ts');
  assert.equal(resolveImport('cli/src/main.ts', 'node:fs'), null);
  assert.equal(resolveImport('cli/src/main.ts', '@fastify/cors'), null);
});
