import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const LIBRARIES = ['@simplewebauthn/server', 'nodemailer', 'openid-client', 'otpauth'];
const SOURCES = join(import.meta.dirname, '../../../src');

test('libraries for ways to sign in are loaded at their first use', () => {
  const files = globSync('**/*.ts', { cwd: SOURCES }).filter((path) => !path.endsWith('.test.ts'));
  const texts = files.map((path) => readFileSync(join(SOURCES, path), 'utf8'));
  for (const library of LIBRARIES) {
    const atOnce = new RegExp(`^(import|export) (?!type )[^;]*'${library}';`, 'm');
    assert.deepEqual(
      texts.filter((text) => atOnce.test(text)),
      [],
      library,
    );
    assert.ok(
      texts.some((text) => text.includes(`import('${library}')`)),
      library,
    );
  }
});
