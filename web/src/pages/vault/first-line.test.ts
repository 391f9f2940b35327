import assert from 'node:assert/strict';
import { test } from 'node:test';
import { firstLine } from './first-line.ts';

test('the first line of a note comes after its properties, its title and its tags', () => {
  assert.equal(
    firstLine('---\ntags: [a]\n---\n# Soil\n\n#garden #plan\n\nClay below.\nSand above.', 'Soil'),
    'Clay below.',
  );
  assert.equal(firstLine('# Other\n', 'Soil'), 'Other');
  assert.equal(firstLine('---\n\n', 'Soil'), '');
});

test('the first line of a note has no marks of markdown', () => {
  assert.equal(firstLine('- [ ] **Sow** [[Beds/Peas|peas]] in [rows](x.md), ==twice==', ''), 'Sow peas in rows, twice');
  assert.equal(firstLine('An _early_ __frost__ in snake_case_names', ''), 'An early frost in snake_case_names');
  assert.equal(firstLine('> [!tip] Before the frost', ''), 'Before the frost');
});
