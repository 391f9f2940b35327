import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newOwnerOf } from './new-owner.ts';

test('a vault that was handed over has a new owner for its members, and none for who has handed it over', () => {
  const of = (role: 'viewer' | 'editor' | 'owner', name: string | null) => ({ role, owner: { display_name: name } });
  assert.equal(newOwnerOf(of('editor', 'Alice'), of('owner', 'Bob')), 'you');
  assert.deepEqual(newOwnerOf(of('viewer', 'Alice'), of('viewer', 'Bob')), { name: 'Bob' });
  assert.equal(newOwnerOf(of('viewer', 'Alice'), of('editor', 'Alice')), null);
  assert.equal(newOwnerOf(of('owner', 'Alice'), of('editor', 'Bob')), null);
  assert.equal(newOwnerOf(null, of('owner', 'Bob')), null);
  assert.equal(newOwnerOf(of('editor', 'Alice'), null), null);
});
