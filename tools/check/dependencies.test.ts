import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDependencies } from './dependencies.ts';

const path = 'server/package.json';
const app = {
  path: 'server/src/app.ts',
  text: "import { x } from '@fastify/cors/y';\nimport '@notevault/protocol/a.ts';\nimport 'node:fs';\nimport 'fs';",
};
const spec = { path: 'server/src/app.test.ts', text: "import { x } from 'fast-check';" };
const dependencies = { '@fastify/cors': '1', '@notevault/protocol': '*' };
const devDependencies = { 'fast-check': '1' };

function messages(...args: Parameters<typeof checkDependencies>): string {
  return checkDependencies(...args)
    .map(({ message }) => message)
    .join('\n');
}

test('checkDependencies accepts path imports, workspaces, types of listed packages, and tools run by name', () => {
  const server = {
    path,
    dependencies: { ...dependencies, pg: '1' },
    devDependencies: { ...devDependencies, '@types/pg': '1', '@types/scope__name': '1' },
  };
  const pg = { path: 'server/src/database.ts', text: "import 'pg';\nimport type { X } from '@scope/name';" };
  const root = { path: 'package.json', devDependencies: { typescript: '1', '@types/node': '1' } };
  assert.equal(messages([root, server], [app, spec, pg]), '');
});

test('checkDependencies reports an unused package, and a dependency that only tests use', () => {
  const server = {
    path,
    dependencies: { ...dependencies, 'fast-check': '1', lodash: '1' },
    devDependencies: { mocha: '1', '@types/mocha-x': '1' },
  };
  const told = messages([server], [app, spec]);
  assert.match(told, /nothing imports "fast-check" to run: move it to devDependencies/);
  assert.match(told, /nothing imports "lodash" to run/);
  assert.match(told, /devDependency "mocha" is not used/);
  assert.match(told, /devDependency "@types\/mocha-x" is not used/);
});

test('checkDependencies reports two versions of one package', () => {
  const root = { path: 'package.json', devDependencies: { 'fast-check': '2' } };
  const tool = { path: 'tools/a.ts', text: "import 'fast-check';" };
  const told = messages([root, { path, dependencies, devDependencies }], [app, spec, tool]);
  assert.equal(told, '"fast-check" is 1 here and 2 in package.json; name one version.');
});
