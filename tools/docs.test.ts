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

test('the written OpenAPI document has at most 340 KB', () => {
  assert.ok(Buffer.byteLength(written) <= 340_000, `${Buffer.byteLength(written)} bytes`);
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

type Json = Readonly<Record<string, unknown>>;

/** Calls `visit` with every schema in a part of the document, and where it is. */
function eachSchema(part: Json, where: string, visit: (schema: Json, where: string) => void): void {
  const under = (parts: unknown, name: string) => {
    for (const [key, schema] of Object.entries(parts ?? {})) visitSchema(schema, `${where} ${name} ${key}`);
  };
  const visitSchema = (schema: unknown, at: string) => {
    // `true` and `false` are schemas, too.
    if (typeof schema !== 'object' || schema === null) return;
    visit(schema as Json, at);
    eachSchema(schema as Json, at, visit);
  };
  for (const name of ['properties', 'patternProperties', 'anyOf', 'oneOf', 'allOf']) under(part[name], name);
  under({ items: part.items, more: part.additionalProperties, schema: part.schema }, '');
}

function allSchemas(visit: (schema: Json, where: string) => void): void {
  const document = JSON.parse(written);
  eachSchema({ properties: document.components.schemas }, 'components', visit);
  JSON.parse(written, (_key, value) => {
    const { name, description, schema } = Object(value);
    if (typeof schema === 'object') eachSchema({ schema }, name ?? description ?? 'body', visit);
    return value;
  });
}

test('every schema of the written document says which values it has', () => {
  const kinds = ['type', '$ref', 'enum', 'const', 'anyOf', 'oneOf', 'allOf'];
  const open: string[] = [];
  let seen = 0;
  allSchemas((schema, where) => {
    seen += 1;
    if (!kinds.some((kind) => kind in schema)) open.push(where);
  });
  assert.ok(seen > 900, `${seen} schemas`);
  assert.deepEqual(open, []);
  assert.doesNotMatch(written, /x-documented/);
});

test('the written document names the values of a mode and of fields, and the form of an id', () => {
  const { components, paths } = JSON.parse(written);
  assert.deepEqual(components.schemas.SearchRequest.properties.mode.enum, ['keyword', 'vector', 'hybrid', null]);
  const parametersOf = (operation: { parameters?: { $ref?: string }[] }) =>
    (operation.parameters ?? []).map((each) => components.parameters[each.$ref?.split('/').at(-1) ?? ''] ?? each);
  const fields = parametersOf(paths['/api/sync/changes'].get).find(({ name }) => name === 'fields');
  assert.deepEqual(fields.schema, { type: 'string', enum: ['meta', 'all'] });
  const ids = Object.values<object>(paths)
    .flatMap((methods) => Object.values(methods).flatMap(parametersOf))
    .filter((each) => each.in === 'path' && /^(family_)?id$/.test(each.name));
  assert.ok(ids.length > 20, `${ids.length} ids`);
  for (const { schema } of ids) assert.deepEqual(schema, { type: 'string', format: 'uuid' });
});
