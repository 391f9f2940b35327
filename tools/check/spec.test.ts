import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

/** The numbers of the spec's rules, in order. */
function rules(): string[] {
  const spec = readFileSync(join(root, 'docs/sync-spec.md'), 'utf8');
  return [...spec.matchAll(/^- \*\*(\d+\.\d+)\*\*/gm)].map(([, number = '']) => number);
}

test('each rule of the sync spec has a unique number, in order', () => {
  const numbers = rules();
  assert.ok(numbers.length > 60);
  const [sorted, keyOf] = [
    [...numbers],
    (number: string) =>
      number
        .split('.')
        .map((part) => part.padStart(3, '0'))
        .join('.'),
  ];
  sorted.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  assert.deepEqual(numbers, sorted);
  assert.equal(new Set(numbers).size, numbers.length);
});

test('the rules that test titles quote exist in the sync spec', () => {
  const numbers = new Set(rules());
  const quoted = globSync('{server,packages,cli}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] }).flatMap(
    (file) => {
      const source = readFileSync(join(root, file), 'utf8');
      const titles = [...source.matchAll(/^\s*(?:test|it|describe|onEachEngine)\(\s*(['`])(\[.*?)\1/gm)];
      return titles.flatMap(([, , title = '']) =>
        [...title.matchAll(/\[(\d+\.\d+)\]/g)].map(([, number = '']) => ({ file, number })),
      );
    },
  );
  assert.ok(quoted.length > 30, `${quoted.length} quotes were found`);
  assert.deepEqual(
    quoted.filter(({ number }) => !numbers.has(number)),
    [],
  );
});
