import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { errors } from '@notevault/protocol/errors.ts';
import { listOptions, variableOf } from '@notevault/server/config/options.ts';
import { configPage, errorsPage, generateDocs, writeOpenApi } from './docs.ts';

const root = mkdtempSync(join(tmpdir(), 'notevault-docs-'));
after(() => rmSync(root, { recursive: true, force: true }));

test('generateDocs puts every error and every option on its page', () => {
  const page = errorsPage(errors);
  for (const code of Object.keys(errors)) assert.ok(page.includes(`\`${code}\``), code);
  for (const { name } of listOptions()) assert.ok(configPage().includes(`\`${variableOf(name)}\``), name);
});

test('generateDocs escapes bars in table cells', () => {
  const page = errorsPage({ odd: { status: 400, error: 'a|b', help: 'c | d' } });
  assert.match(page, /\| `odd` +\| 400 +\| `a\\\|b` +\| +\| c \\\| d +\|/);
});

test('generateDocs finds a written page fresh, and stale after an edit by hand', () => {
  assert.equal(generateDocs(root, true).length, 2);
  assert.deepEqual(generateDocs(root, false), []);
  assert.deepEqual(generateDocs(root, true), []);
  writeFileSync(join(root, 'docs/errors.md'), 'mine');
  assert.deepEqual(
    generateDocs(root, true).map(({ path, rule }) => [path, rule]),
    [['docs/errors.md', 'stale-docs']],
  );
});

test('writeOpenApi writes the document, then finds it fresh, then stale when the app changes', () => {
  assert.equal(writeOpenApi(root, { openapi: '3.1.0' }, true).length, 1);
  assert.deepEqual(writeOpenApi(root, { openapi: '3.1.0' }, false), []);
  assert.deepEqual(writeOpenApi(root, { openapi: '3.1.0' }, true), []);
  assert.equal(writeOpenApi(root, { openapi: '3.1.1' }, true).length, 1);
});
