import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameFault, portableName } from './file-names.ts';

test('portableName changes only names that a common file system cannot hold, into ones that it can', () => {
  for (const name of [
    'a.md',
    '.hidden',
    'console.md',
    'Ünï',
    'a:b',
    'Q: why?.md',
    'a.',
    'a . ',
    '...',
    'con',
    'CON .md',
    'nul.tar.gz',
    'con:',
  ]) {
    const portable = portableName(name);
    assert.equal(nameFault(portable), null, name);
    assert.equal(portable === name, nameFault(name) === null, name);
  }
  assert.equal(portableName('Q: why?.md'), 'Q_ why_.md');
});
