import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { noChromium } from '../../../../tools/chromium.ts';
import { MUTANTS } from './mutants.ts';

const SETUP = join(import.meta.dirname, '../../../../tools/test-setup.ts');
const SOURCES = join(import.meta.dirname, '../../src');

/** TEST_FROM=5 TEST_RUNS=4 tries four of them, from the fifth on. */
const [FIRST, COUNT] = [Number(process.env.TEST_FROM ?? 1), Number(process.env.TEST_RUNS ?? MUTANTS.length)];
const chosen = MUTANTS.slice(FIRST - 1, FIRST - 1 + COUNT);

/** A mutant may wait for ever for what the guard does. */
const TIMEOUT = '--test-timeout=120000';

/** Runs the tests with this in their titles. */
function exitOf(titles: string, env: Readonly<Record<string, string>>): number | null {
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const pattern = titles.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const file = join(import.meta.dirname, 'browser.test.ts');
  const args = ['--import', SETUP, '--test', TIMEOUT, `--test-name-pattern=${pattern}`, file];
  return spawnSync(process.execPath, args, { env: { ...inherited, ...env } }).status;
}

describe('the tests of live notes', { skip: noChromium ?? false }, () => {
  for (const titles of new Set(chosen.map(({ test }) => test))) {
    test(`pass with every guard: ${titles}`, () => assert.equal(exitOf(titles, {}), 0));
  }
  for (const { name, test: titles, and, ...guarded } of chosen) {
    test(`fail when ${name}`, () => {
      for (const { file, guard } of and === undefined ? [guarded] : [guarded, and])
        assert.ok(readFileSync(join(SOURCES, file), 'utf8').includes(guard), 'the guard is another one by now');
      assert.equal(exitOf(titles, { MUTANT: name }), 1);
    });
  }
});
