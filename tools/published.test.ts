import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishable, withLauncher } from './published.ts';

test('publishable makes workspace imports relative, static and dynamic ones', () => {
  const code = [
    "import { a } from '@notevault/protocol/errors.ts';",
    'export { b } from "@notevault/server/http/http.ts";',
    "const c = await import('@notevault/note-text/scan/links.ts');",
    "import '@notevault/cli/serve.ts';",
  ].join('\n');
  assert.equal(
    publishable('cli/src/main.js', code),
    [
      "import { a } from '../../packages/protocol/src/errors.js';",
      'export { b } from "../../server/src/http/http.js";',
      "const c = await import('../../packages/note-text/src/scan/links.js');",
      "import './serve.js';",
    ].join('\n'),
  );
});

test('publishable gives a worker loaded by URL its compiled name', () => {
  const code = "new Worker(new URL('./worker.ts', import.meta.url));";
  assert.equal(publishable('server/src/a.js', code), "new Worker(new URL('./worker.js', import.meta.url));");
});

test('publishable throws for an import that would not exist after publishing', () => {
  assert.throws(() => publishable('a.js', "import { x } from '@notevault/protocol';"), /still imports @notevault/);
  assert.throws(() => publishable('a.js', "import { x } from './b.ts';"), /still imports \.\/b\.ts/);
});

test('the launcher replaces the first line, for shells, and is valid JavaScript', () => {
  const code = withLauncher('#!/usr/bin/env node\nglobalThis.done = true;\n');
  assert.match(code, /^#!\/bin\/sh\n':' \/\/; exec node .*\nglobalThis/);
});
