import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namesTag, revalidated, stateTag } from './revalidation.ts';

test('namesTag parses If-None-Match as a list and compares weakly', () => {
  assert.deepEqual(
    ['*', '"a"', 'W/"a"', '"b", "a"', '"b",W/"a" ,"c"', '"b"', 'a', ''].map((header) => namesTag(header, '"a"')),
    [true, true, true, true, true, false, false, false],
  );
  assert.equal(namesTag(null, '"a"'), false);
});

test('stateTag differs by state, URL and version of the server', () => {
  const tags = [
    stateTag('1', 'vault 1 7', '/api/tags'),
    stateTag('1', 'vault 1 8', '/api/tags'),
    stateTag('1', 'vault 1 7', '/api/folders'),
    stateTag('2', 'vault 1 7', '/api/tags'),
  ];
  assert.equal(new Set(tags).size, 4);
  assert.equal(tags[0], stateTag('1', 'vault 1 7', '/api/tags'));
});

test('revalidated leaves the body out when the client has the answer', () => {
  const answer = { body: { a: 1 }, headers: { 'x-own': 'b' } };
  const headers = { 'x-own': 'b', 'cache-control': 'private, no-cache', vary: 'Authorization, X-Vault-ID' };
  assert.deepEqual(revalidated(answer, 't', null), { body: { a: 1 }, headers, etag: 't' });
  assert.deepEqual(revalidated(answer, 't', '"t"'), { status: 304, headers, etag: 't' });
});

test('revalidated recognises the tag of every coding, and names the one that the client has', () => {
  const tagsFor = (ifNoneMatch: string) => {
    const { status, etag } = revalidated({ body: {} }, 't', ifNoneMatch, 'br');
    return [status, etag];
  };
  assert.deepEqual(tagsFor('"t"'), [304, 't']);
  assert.deepEqual(tagsFor('W/"t-gzip"'), [304, 't-gzip']);
  assert.deepEqual(tagsFor('"t", "t-br"'), [304, 't-br']);
  assert.deepEqual(tagsFor('*'), [304, 't-br']);
  assert.deepEqual(tagsFor('"t-zstd"'), [undefined, 't']);
});
