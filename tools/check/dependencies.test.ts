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

test('checkDependencies accepts imports with paths, workspaces, types of listed packages, and tools run by name', () => {
  const server = {
    path,
    dependencies: { ...dependencies, pg: '1' },
    devDependencies: { ...devDependencies, '@types/pg': '1' },
  };
  const pg = { path: 'server/src/database.ts', text: "import { x } from 'pg';" };
  const root = { path: 'package.json', devDependencies: { typescript: '1', '@types/node': '1' } };
  const tool = { path: 'tools/a.ts', text: "import { x } from '@notevault/server/a.ts';" };
  assert.equal(messages([root, server], [app, spec, pg, tool]), '');
});

test('checkDependencies reports a missing package where it is imported', () => {
  const findings = checkDependencies(
    [{ path, dependencies: { '@notevault/protocol': '*' }, devDependencies }],
    [app, spec],
  );
  assert.deepEqual(findings, [
    {
      path: 'server/src/app.ts',
      line: 1,
      rule: 'dependencies',
      message: 'add "@fastify/cors" to the dependencies of server/package.json.',
    },
  ]);
  assert.match(messages([{ path, dependencies }], [app, spec]), /"fast-check" to the devDependencies of server/);
});

test('checkDependencies reports a workspace that another one imports without listing it', () => {
  const server = { path, dependencies: { '@fastify/cors': '1' }, devDependencies };
  assert.match(messages([server], [app, spec]), /add "@notevault\/protocol" to the dependencies/);
});

test('checkDependencies reports an unused package, and a dependency that only tests use', () => {
  const server = {
    path,
    dependencies: { ...dependencies, 'fast-check': '1', lodash: '1' },
    devDependencies: { mocha: '1', '@types/mocha-x': '1' },
  };
  const told = messages([server], [app, spec]);
  assert.match(told, /nothing imports the dependency "fast-check" to run; .*move it to devDependencies/);
  assert.match(told, /"lodash" to run; remove it/);
  assert.match(told, /devDependency "mocha" is not used/);
  assert.match(told, /devDependency "@types\/mocha-x" is not used/);
});

test('checkDependencies reports a package that runs in devDependencies, but not in the web app, which is bundled', () => {
  const own = { '@fastify/cors': '1', '@notevault/protocol': '*' };
  assert.match(messages([{ path, devDependencies: own }], [app]), /"@fastify\/cors" to the dependencies/);
  const page = { path: 'web/src/app.ts', text: app.text };
  assert.equal(messages([{ path: 'web/package.json', devDependencies: own }], [page]), '');
});

test('checkDependencies reports two versions of one package', () => {
  const root = { path: 'package.json', devDependencies: { 'fast-check': '2' } };
  const tool = { path: 'tools/a.ts', text: "import 'fast-check';" };
  const told = messages([root, { path, dependencies, devDependencies }], [app, spec, tool]);
  assert.equal(told, '"fast-check" is 1 here and 2 in package.json; name one version.');
});
