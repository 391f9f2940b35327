import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { errors } from '@notevault/protocol/errors.ts';
import { listOptions, variableOf } from '@notevault/server/config/options.ts';
import { Ajv2020 } from 'ajv/dist/2020.js';
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

const written = readFileSync(join(import.meta.dirname, '../docs/openapi.json'), 'utf8');

test('the written OpenAPI document has at most 300 KB', () => {
  assert.ok(Buffer.byteLength(written) <= 300_000, `${Buffer.byteLength(written)} bytes`);
});

// The server compiles them without this check, which costs the first request after a start 30 ms.
test('every schema of the written document is a JSON schema', () => {
  const ajv = new Ajv2020();
  assert.equal(ajv.validateSchema({ type: 'no such type' }), false);
  const schemas: object[] = [];
  const document = JSON.parse(written, (key, value) => {
    if (key === 'schema') schemas.push(value);
    return value;
  });
  schemas.push(...Object.values<object>(document.components.schemas));
  assert.ok(schemas.length > 200, `${schemas.length} schemas`);
  for (const schema of schemas) assert.equal(ajv.validateSchema(schema), true, JSON.stringify(schema));
});

test('every reference of the written document leads to a component, and every component is used', () => {
  const used = new Set<string>();
  const { components } = JSON.parse(written, (key, value) => {
    if (key === '$ref') used.add(value);
    return value;
  });
  const { schemas, responses, parameters } = components;
  const known = Object.entries({ schemas, responses, parameters }).flatMap(([kind, parts]) =>
    Object.keys(parts).map((name) => `#/components/${kind}/${name}`),
  );
  assert.deepEqual([...used].sort(), known.sort());
  for (const name of known) assert.match(name.split('/').at(-1) ?? '', /^[\w.-]+$/);
});
