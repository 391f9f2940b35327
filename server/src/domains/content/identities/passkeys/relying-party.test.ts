import assert from 'node:assert/strict';
import { test } from 'node:test';
import { relyingPartyOf } from './relying-party.ts';

test('relyingPartyOf takes names with https and localhost, and no addresses', () => {
  const [host, origin] = ['notes.example.org', 'https://notes.example.org:8443'];
  assert.deepEqual(relyingPartyOf('https://notes.example.org:8443/notes'), { host, origin });
  assert.equal(relyingPartyOf('http://localhost:4100')?.host, 'localhost');
  for (const url of [
    'http://notes.example.org',
    'https://192.0.2.1',
    'https://[2001:db8::1]',
    'http://127.0.0.1:4100',
  ]) {
    assert.equal(relyingPartyOf(url), null, url);
  }
});
