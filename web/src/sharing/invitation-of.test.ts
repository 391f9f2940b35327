import assert from 'node:assert/strict';
import { test } from 'node:test';
import { invitationOf } from './invitation-of.ts';

function form(fields: Record<string, string>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.set(name, value);
  return made;
}

test('invitationOf asks for one link for several people, or for one for an e-mail', () => {
  const fields = { role: 'viewer', days: '7', uses: '5', email: ' ' };
  assert.deepEqual(invitationOf(form(fields)), { role: 'viewer', expires_in: 604_800, uses: 5 });
  const { uses: _, ...forOne } = { ...fields, role: 'editor', email: ' mira@example.org ' };
  assert.deepEqual(invitationOf(form(forOne)), { role: 'editor', expires_in: 604_800, email: 'mira@example.org' });
});
