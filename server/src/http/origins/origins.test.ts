import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOwnOrigin, type Sender } from './origins.ts';

function sender({ headers = {}, protocol = 'http', host = 'localhost:4100' }: Partial<Sender>): Sender {
  return { headers, protocol, host };
}

test('isOwnOrigin accepts the public address, the address of the request, and programs', () => {
  const at = (origin: string | undefined, more: Partial<Sender> = {}) =>
    isOwnOrigin(sender({ headers: origin === undefined ? {} : { origin }, ...more }), 'https://notes.example');
  assert.equal(at(undefined), true);
  assert.equal(at('https://notes.example'), true);
  assert.equal(at('http://localhost:4100'), true);
  assert.equal(at('http://nas.local:4100', { host: 'NAS.local:4100' }), true);
  assert.equal(at('https://localhost:4100', { protocol: 'https' }), true);
  for (const origin of ['null', '', 'http://localhost', 'https://localhost:4100', 'https://evil.example']) {
    assert.equal(at(origin), false, origin);
  }
});
