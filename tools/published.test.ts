import assert from 'node:assert/strict';
import { test } from 'node:test';
import { publishable } from './published.ts';

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

test('publishable throws for an import that would not exist after publishing', () => {
  assert.throws(() => publishable('a.js', "import { x } from '@notevault/protocol';"), /still imports @notevault/);
  assert.throws(() => publishable('a.js', "import { x } from './b.ts';"), /still imports \.\/b\.ts/);
});
