import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mediaAddress } from '../src/media/media-address.ts';
import { headersFor, mediaRequestOf } from './media-request.ts';

const ORIGIN = 'https://notes.example.org';

function read(path: string, change: { destination?: RequestDestination; method?: string } = {}) {
  return mediaRequestOf({ url: new URL(path, ORIGIN).href, method: 'GET', destination: 'image', ...change }, ORIGIN);
}

test('mediaRequestOf reads the addresses that mediaAddress makes, whatever the name of the file', () => {
  assert.deepEqual(read(mediaAddress('vault-1', 'img/a b#?%庭.png')), {
    vault: 'vault-1',
    path: '/api/attachments/img/a%20b%23%3F%25%E5%BA%AD.png?raw=1',
  });
});

test('mediaRequestOf leaves all other requests to the browser', () => {
  assert.equal(read('/api/attachments/a.png'), null);
  assert.equal(read('/media/vault-1/'), null);
  assert.equal(
    mediaRequestOf({ url: `${ORIGIN}/media/v/a.png`, method: 'GET', destination: 'image' }, `${ORIGIN}/b/`),
    null,
  );
  assert.equal(read('https://elsewhere.example/media/vault-1/a.png'), null);
  assert.equal(read('/media/vault-1/a.png', { method: 'POST' }), null);
});

test('mediaRequestOf answers nothing that would run, or be shown as a page', () => {
  for (const destination of ['script', 'worker', 'document', 'iframe', 'style', 'object', 'embed'] as const) {
    assert.equal(read('/media/vault-1/a.js', { destination }), null, destination);
  }
  assert.notEqual(read('/media/vault-1/a.mp4', { destination: 'video' }), null);
});

test('mediaRequestOf cannot be led out of the attachments', () => {
  assert.equal(read('/media/vault-1/../../api/me'), null);
  assert.equal(read('/media/vault-1/%2e%2e/%2e%2e/api/me'), null);
  assert.equal(read('/media/vault-1/..%2f..%2fme')?.path, '/api/attachments/..%2f..%2fme?raw=1');
});

test('headersFor adds the token and the vault, and passes on which part is wanted', () => {
  const asked = new Headers({ range: 'bytes=5-9', cookie: 'a=b', accept: 'image/*' });
  const headers = headersFor({ vault: 'vault-1', path: '/x' }, 'secret', asked);
  assert.deepEqual(Object.fromEntries(headers), {
    accept: '*/*',
    authorization: 'Bearer secret',
    range: 'bytes=5-9',
    'x-vault-id': 'vault-1',
  });
});
