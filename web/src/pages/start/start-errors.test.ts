import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import { startErrorOf } from './start-errors.ts';

test('startErrorOf explains the refusals of the server, a lost connection, and anything else by its code', () => {
  const refused = (status: number, body: Record<string, unknown>) => startErrorOf(new ApiError(status, body, null));
  assert.equal(refused(401, { error: 'invalid_credentials' }).key, 'error.invalidCredentials');
  assert.equal(refused(403, { error: 'invite_required' }).key, 'error.inviteRequired');
  assert.equal(refused(422, { errors: { display_name: ['must not have …'] } }).key, 'error.name');
  assert.equal(refused(429, { error: 'rate_limited' }).key, 'error.rateLimited');
  assert.deepEqual(refused(500, { error: 'internal' }), {
    key: 'error.unknown',
    values: { code: 'internal', seconds: '' },
  });
  assert.equal(startErrorOf(new ConnectionError('gone')).key, 'error.unreachable');
});
