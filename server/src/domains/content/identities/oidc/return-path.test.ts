import assert from 'node:assert/strict';
import { test } from 'node:test';
import { returnAddress, signInPageOf } from './return-path.ts';

const PUBLIC = 'https://example.org/notes';
const HOME = 'https://example.org/notes/';

test('an own path below the public URL is kept, with its query and fragment', () => {
  for (const path of ['/notes/', '/notes/settings?tab=1#end', '/notes/v/1//x']) {
    assert.equal(returnAddress(PUBLIC, path), `https://example.org${path}`);
  }
  assert.equal(returnAddress('http://127.0.0.1:4100', '/link?code=A'), 'http://127.0.0.1:4100/link?code=A');
});

test('anything else leads to the first page of the app', () => {
  const foreign = [
    'https://evil.example/notes/',
    '//evil.example/notes/',
    '/\\evil.example/notes/',
    '/\t/evil.example/',
  ];
  const schemes = [
    'javascript:alert(1)',
    'https:evil.example',
    'data:text/html,x',
    'https://example.org.evil.example/notes/',
  ];
  const above = [
    '/',
    '/other',
    '/notesx',
    '/notes/../other',
    '/notes/%2e%2e/other',
    '/notes/..\\..\\',
    `/notes/${'x'.repeat(1024)}`,
  ];
  const api = ['/notes/api/auth/oidc/start', '/notes/./api/x'];
  for (const sent of [...foreign, ...schemes, ...above, ...api, undefined, ['/notes/'], '']) {
    assert.equal(returnAddress(PUBLIC, sent), HOME, String(sent));
  }
});

test('no path becomes another host, and no user name is kept', () => {
  assert.equal(returnAddress('https://example.org', '/.//evil.example'), 'https://example.org//evil.example');
  assert.equal(returnAddress(PUBLIC, 'https://eve:pw@example.org/notes/a'), 'https://example.org/notes/a');
});

test('pages for one decision are told from the app', () => {
  const pageOf = (path: string) => signInPageOf(PUBLIC, returnAddress(PUBLIC, path));
  assert.equal(pageOf('/notes/link?code=AB-CD'), '/link?code=AB-CD');
  assert.equal(pageOf('/notes/oauth/interaction/a-1_b'), '/oauth/interaction/a-1_b');
  for (const path of [
    '/notes/',
    '/notes/link/x',
    '/notes/link',
    '/notes/link?code=A&x=1',
    '/notes/link?code=%20',
    '/notes/oauth/interaction/',
    '/notes/oauth/interaction/a/b',
  ]) {
    assert.equal(pageOf(path), null, path);
  }
});
