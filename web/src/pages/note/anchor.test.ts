import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anchorOf } from './anchor.ts';

test('anchorOf decodes the hash of an address, also of a heading with a percent sign', () => {
  assert.equal(anchorOf(''), '');
  assert.equal(anchorOf('#Heading%20two'), 'Heading two');
  assert.equal(anchorOf('#100%25%20of%20it'), '100% of it');
  assert.equal(anchorOf('#100%%20of%20it'), '100% of it');
  assert.equal(anchorOf('#100%'), '100%');
  assert.equal(anchorOf('#%ff%E3%81'), '%ff%E3%81');
});
