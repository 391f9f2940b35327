import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');

/** Returns the numbers of the spec's rules, in order. */
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

/** Returns the marks in test titles, such as `[M1]`. */
function marks(): Set<string> {
  const files = globSync('{server,packages,cli,clients}/**/*.test.ts', { cwd: root, exclude: ['**/node_modules/**'] });
  const more = globSync('{server/test/**/*.ts,e2e/*.spec.ts}', { cwd: root });
  const sources = [...files, ...more].map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const titles = [...sources.matchAll(/^\s*(?:test|it)\(\s*'((?:\[[\w.]+\] )+)/gm)].map(([, found = '']) => found);
  return new Set(titles.flatMap((found) => [...found.matchAll(/\[([\w.]+)\]/g)].map(([, mark = '']) => mark)));
}

test('each mistake that the page about security lists has a test named by its number', () => {
  const page = readFileSync(join(root, 'docs/security.md'), 'utf8');
  const listed = [...page.matchAll(/^\| (M\d+) \|/gm)].map(([, number = '']) => number);
  assert.equal(listed.length, 14);
  const found = [...marks()].filter((mark) => /^M\d+$/.test(mark));
  const byNumber = (one: string, other: string) => Number(one.slice(1)) - Number(other.slice(1));
  assert.deepEqual(found.sort(byNumber), listed);
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
