import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startLink } from './start-link.ts';

test('startLink puts the token where no server sees it', () => {
  const link = new URL(startLink('https://notes.example.org', 'invite', 'a+b/c='));
  assert.deepEqual([link.pathname, link.search], ['/', '']);
  assert.equal(new URLSearchParams(link.hash.slice(1)).get('invite'), 'a+b/c=');
});
