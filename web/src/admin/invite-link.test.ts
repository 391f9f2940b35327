import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inviteLink } from './invite-link.ts';

test('inviteLink puts the token where no server sees it', () => {
  const link = new URL(inviteLink('https://notes.example.org', 'a+b/c='));
  assert.deepEqual([link.pathname, link.search], ['/', '']);
  assert.equal(new URLSearchParams(link.hash.slice(1)).get('invite'), 'a+b/c=');
});
