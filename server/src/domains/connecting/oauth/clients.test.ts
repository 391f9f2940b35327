import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanLink, isVerified, normalizeClient, redirectKind, slugOf } from './clients.ts';

test('redirectKind recognises sites, local programs and private-use schemes, and refuses the rest', () => {
  const kinds: [string, ReturnType<typeof redirectKind>][] = [
    ['https://app.example/cb', 'web'],
    ['https://app.example:8443/cb?x=1', 'web'],
    ['http://127.0.0.1/cb', 'loopback'],
    ['http://localhost:99/cb', 'loopback'],
    ['http://[::1]/cb', 'loopback'],
    ['com.example.app:/cb', 'private'],
    ['cursor://anysphere.cursor-retrieval/oauth/cb', 'private'],
    ['http://app.example/cb', null],
    ['http://127.0.0.2/cb', null],
    ['https://localhost/cb', null],
    ['https://user@app.example/cb', null],
    ['javascript:alert(1)', null],
    ['JAVASCRIPT:alert(1)', null],
    ['data:text/html,x', null],
    ['file:///x', null],
    ['mailto:x@example.org', null],
    ['xmpp:x@example.org', null],
    ['xmpp://example.org/x', null],
    ['matrix:u/x:example.org', null],
    ['com.example.app:cb', null],
    ['/cb', null],
    ['', null],
    ['https://app.example/cb\r\nset-cookie: a=b', null],
    ['https://app.example/\ncb', null],
    ['https://app.example/cb\t', null],
    [' https://app.example/cb', null],
    ['https://app.example/c b', null],
    ['https://app.example/cb\u0000', null],
    ['https://app.example/\u0085cb', null],
    ['https://app.example/\u202ecb', null],
    ['https://app.example/\ud800', null],
    ['com.example.app:/cb\r\n', null],
    ['http://127.0.0.1/cb\n', null],
    [`https://app.example/${'x'.repeat(2000)}`, null],
  ];
  for (const [uri, kind] of kinds) assert.equal(redirectKind(uri), kind, uri);
});

test('isVerified considers only where the code is sent', () => {
  const id = 'https://client.example/oauth.json';
  const listed = ['https://listed.example/cb'];
  const verified: [string, string, boolean][] = [
    [id, 'https://client.example/cb', true],
    [id, 'https://client.example:8443/cb', false],
    [id, 'https://www.client.example/cb', false],
    [id, 'https://client.example.evil.example/cb', false],
    [id, 'http://127.0.0.1/cb', false],
    [id, 'com.client.example:/cb', false],
    ['a-registered-id', 'https://client.example/cb', false],
    ['http://client.example/x', 'https://client.example/cb', false],
    ['a-registered-id', 'https://listed.example/cb', true],
    ['a-registered-id', 'https://listed.example/cb/', false],
    ['a-registered-id', 'https://listed.example/cb?x', false],
  ];
  for (const [client, redirect, is] of verified) assert.equal(isVerified(client, redirect, listed), is, redirect);
});

test('normalizeClient overrides what a client may not decide', () => {
  const told: Record<string, unknown> = {
    redirect_uris: ['https://app.example/cb', 'http://localhost/cb'],
    application_type: 'web',
    scope: 'openid mcp:read email',
    sector_identifier_uri: 'https://evil.example',
    default_max_age: 1,
  };
  assert.equal(normalizeClient(told), null);
  assert.deepEqual(told, {
    redirect_uris: ['https://app.example/cb', 'http://localhost/cb'],
    application_type: 'native',
    scope: 'mcp:read',
  });
  const none: Record<string, unknown> = { redirect_uris: ['https://app.example/cb'], scope: 'openid' };
  assert.equal(normalizeClient(none), null);
  assert.deepEqual(none, { redirect_uris: ['https://app.example/cb'], application_type: 'web' });
});

test('cleanLink accepts https only, and slugOf makes slugs of the letters of a name', () => {
  assert.equal(cleanLink('https://app.example/logo.png'), 'https://app.example/logo.png');
  for (const bad of ['http://app.example/x', 'javascript:x', 'x', 7]) assert.equal(cleanLink(bad), null);
  assert.deepEqual([slugOf('Note Pad (v2)!'), slugOf('Übung'), slugOf('?!')], ['note-pad-v2', 'ubung', null]);
});
