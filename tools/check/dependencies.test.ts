import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkDependencies } from './dependencies.ts';

const path = 'package.json';
const app = {
  path: 'server/src/app.ts',
  text: "import { x } from '@fastify/cors/y';\nimport 'node:fs';\nimport 'fs';",
};
const spec = { path: 'server/src/app.test.ts', text: "import { x } from 'fast-check';" };

function messages(...args: Parameters<typeof checkDependencies>): string {
  return checkDependencies(...args)
    .map(({ message }) => message)
    .join('\n');
}

test('checkDependencies accepts imports with paths, types of listed packages, and tools run by name', () => {
  const dependencies = { '@fastify/cors': '1', pg: '1' };
  const devDependencies = { 'fast-check': '1', typescript: '1', '@types/pg': '1', '@types/node': '1' };
  const pg = { path: 'cli/src/main.ts', text: "import { x } from 'pg';" };
  assert.equal(messages({ path, dependencies, devDependencies }, [{ path: 'cli/package.json' }], [app, spec, pg]), '');
});

test('checkDependencies reports a missing package where it is imported', () => {
  const findings = checkDependencies({ path, devDependencies: { 'fast-check': '1' } }, [], [app, spec]);
  assert.deepEqual(findings, [
    {
      path: 'server/src/app.ts',
      line: 1,
      rule: 'dependencies',
      message: 'add "@fastify/cors" to the dependencies of package.json.',
    },
  ]);
  assert.match(messages({ path, dependencies: { '@fastify/cors': '1' } }, [], [app, spec]), /"fast-check" to the dev/);
});

test('checkDependencies reports an unused package, and a dependency that only tests use', () => {
  const dependencies = { '@fastify/cors': '1', 'fast-check': '1', lodash: '1' };
  const told = messages(
    { path, dependencies, devDependencies: { mocha: '1', '@types/mocha-x': '1' } },
    [],
    [app, spec],
  );
  assert.match(told, /"fast-check" is not imported by what is published; .*move it to devDependencies/);
  assert.match(told, /"lodash" is not imported by what is published; remove it/);
  assert.match(told, /devDependency "mocha" is not used/);
  assert.match(told, /devDependency "@types\/mocha-x" is not used/);
});

test('checkDependencies reports a published package in devDependencies', () => {
  assert.match(messages({ path, devDependencies: { '@fastify/cors': '1' } }, [], [app]), /to the dependencies/);
});

test('checkDependencies reports dependencies listed in a workspace', () => {
  const workspace = { path: 'server/package.json', dependencies: { pg: '1' } };
  assert.match(messages({ path }, [workspace], []), /list pg in the root package\.json/);
});

test('checkDependencies lets published code import an optional peer that the tests install', () => {
  const peer = { path, peerDependencies: { '@fastify/cors': '1' }, devDependencies: { '@fastify/cors': '1' } };
  const peerDependenciesMeta = { '@fastify/cors': { optional: true } };
  assert.equal(messages({ ...peer, peerDependenciesMeta }, [], [app]), '');
  assert.match(messages(peer, [], [app]), /make the peer "@fastify\/cors" optional/);
  assert.match(messages({ ...peer, peerDependenciesMeta }, [], []), /peer dependency "@fastify\/cors" is not imported/);
  assert.match(messages({ ...peer, peerDependenciesMeta, devDependencies: {} }, [], [app]), /in devDependencies too/);
});
