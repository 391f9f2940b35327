import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { MUTANTS } from './mutants.ts';

const EDITOR = join(import.meta.dirname, '..');
const SETUP = join(EDITOR, '../../../tools/test-setup.ts');

function exitOf(file: string, env: Readonly<Record<string, string>>, imports: readonly string[]): number | null {
  const args = [SETUP, ...imports].flatMap((module) => ['--import', module]);
  const { NODE_TEST_CONTEXT: _, ...inherited } = process.env;
  const options = { env: { ...inherited, TEST_RUNS: '3000', ...env } };
  return spawnSync(process.execPath, [...args, join(EDITOR, file)], options).status;
}

describe('the property tests of two writers', () => {
  for (const file of new Set(MUTANTS.map(({ test }) => test))) {
    test(`${file} passes with every guard`, () => assert.equal(exitOf(file, {}, []), 0));
  }
  for (const { name, file: source, guard, test: file } of MUTANTS) {
    test(`fail when ${name}`, () => {
      assert.ok(readFileSync(join(EDITOR, source), 'utf8').includes(guard), 'the guard is another one by now');
      assert.equal(exitOf(file, { MUTANT: name }, [join(import.meta.dirname, 'mutate.ts')]), 1);
    });
  }
});
