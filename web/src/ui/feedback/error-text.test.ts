import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import type { TFunction } from 'i18next';
import { errorText } from './error-text.ts';

const t = ((key: string, values?: object) =>
  [key, ...Object.values(values ?? {})].join(' ')) as unknown as TFunction<'vault'>;

function textOf(status: number, body: Record<string, unknown>): string {
  return errorText(t, new ApiError(status, body, null));
}

test('errorText explains what an error is about, and otherwise what its status means', () => {
  assert.equal(textOf(409, { error: 'last_admin' }), 'error.lastAdmin');
  assert.equal(textOf(409, { error: 'import_in_progress' }), 'error.importing');
  assert.equal(textOf(403, { error: 'invalid_password' }), 'error.password');
  assert.equal(textOf(422, { error: 'invalid_password' }), 'error.password');
  assert.equal(textOf(409, { error: 'conflict' }), 'error.conflict');
  assert.equal(textOf(503, { error: 'storage_full' }), 'error.full');
  assert.equal(textOf(503, { error: 'unavailable' }), 'error.unavailable');
});

test('errorText names the vaults that an account must hand over before it goes', () => {
  const body = {
    error: 'owns_shared_vaults',
    vaults: [{ id: '1', name: 'Garden' }, { id: '2' }, { id: '3', name: 'Work' }],
  };
  assert.equal(textOf(409, body), 'error.ownsShared “Garden”, “Work”');
  assert.equal(textOf(403, { error: 'owner_required' }), 'error.ownerRequired');
  assert.equal(textOf(422, { error: 'too_many_members' }), 'error.tooManyMembers');
});

test('errorText tells an operation that the server does not have from a thing that is gone', () => {
  assert.equal(textOf(404, { error: 'not_found' }), 'error.missingOperation');
  assert.equal(textOf(404, { error: 'note_not_found' }), 'error.notFound');
});

test('errorText names the field that is not valid, and the code of what it does not know', () => {
  const body = { error: 'validation', errors: { name: ['is too long'] } };
  assert.equal(textOf(422, body), 'error.invalid name is too long');
  assert.equal(textOf(500, { error: 'internal' }), 'error.unknown internal');
  assert.equal(errorText(t, new ConnectionError('gone')), 'error.unreachable');
  assert.equal(errorText(t, new TypeError('x')), 'error.unknown TypeError: x');
});
