import assert from 'node:assert/strict';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');
const sources = globSync('{cli,server,packages/*}/src/**/*.ts', { cwd: root });

test('a bundled server checks the encoding of a path as its sources do', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'notevault-test-'));
  try {
    const build = await rolldown({ input: join(root, 'server/src/http/request-context.ts'), platform: 'node' });
    await build.write({ file: join(folder, 'bundled.mjs'), format: 'esm' });
    const { routableUrl } = await import(pathToFileURL(join(folder, 'bundled.mjs')).href);
    assert.equal(routableUrl('/api/notes/100%.md?a=%'), '/api/notes/100%25.md?a=%');
    assert.equal(routableUrl('/api/notes/%C3%BC.md?a=%'), '/api/notes/%C3%BC.md?a=%');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('no source calls a function that a bundler takes for pure for its error alone', () => {
  const statement = /^\s*(?:void )?(?:(?:de|en)codeURI(?:Component)?|Number|String|parseInt|parseFloat)\([^\n]*\);$/m;
  const found = sources.filter((path) => statement.test(readFileSync(join(root, path), 'utf8')));
  assert.deepEqual(found, []);
});

test('no page, document or message names a package of npm that is not published', () => {
  const pages = globSync(['web/src/**/*.{ts,tsx}', 'docs/**/*.{md,json}', 'README.md'], { cwd: root });
  const found = [...sources, ...pages].filter((path) =>
    /npx (?:-\S+ )*notevault/.test(readFileSync(join(root, path), 'utf8')),
  );
  assert.deepEqual(found, []);
});
