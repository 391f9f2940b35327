import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import fc from 'fast-check';
import { anyCharacter } from '../../../../test/kit/content/any-character.ts';
import { checksumFrom, countFrom, expectedOf, fieldsFrom } from './upload-headers.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function headersOf(fields: Readonly<Record<string, string>>) {
  return (name: string) => fields[name] ?? null;
}

const ofMetadata = (metadata: string) =>
  fieldsFrom(headersOf({ 'tus-resumable': '1.0.0', 'upload-length': '9', 'upload-metadata': metadata }));

test('fieldsFrom reads metadata in any order, and keeps the fields as they were sent', () => {
  const metadata = `if_match ${base64('abc')}, device ${base64('phone')},other,mtime ${base64('1.25')},path ${base64('ü/a.png')}`;
  assert.deepEqual(ofMetadata(metadata), {
    ...{ path: 'ü/a.png', length: 9, mtime: 1.25, device: 'phone', ifMatch: 'abc', ifNoneMatch: null },
    metadata,
  });
});

test('fieldsFrom refuses metadata that are no pairs, twice the same, no base64, no UTF-8, or too many', () => {
  const path = `path ${base64('a.png')}`;
  const refused = [
    ...['', ',', `${path},`, `${path} more`, `${path},${path}`, 'path a', 'path ====', 'path /w==', ` ,${path}`],
    [path, ...Array.from({ length: 40 }, (_, at) => `k${at}`)].join(','),
    `${path},mtime ${base64('1e400')}`,
    `path ${base64('../a.png')}`,
  ];
  for (const metadata of refused) assert.throws(() => ofMetadata(metadata), { code: 'validation' }, metadata);
});

test('fieldsFrom, countFrom and checksumFrom refuse whatever else arrives with an error of the catalogue', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 200 }),
    fc.stringMatching(/^([a-z]{1,6}( [A-Za-z0-9+/=]{0,12})?,?){0,8}$/),
    fc.constantFrom(',', ' ', '=', 'path ', 'sha256 ', '\u0000', '9'.repeat(400)),
  );
  fc.assert(
    fc.property(text, text, text, (length, metadata, checksum) => {
      const header = headersOf({
        'tus-resumable': '1.0.0',
        'upload-length': length,
        'upload-offset': length,
        'upload-metadata': metadata,
        'upload-checksum': checksum,
      });
      for (const read of [
        () => fieldsFrom(header),
        () => countFrom(header, 'upload-offset'),
        () => checksumFrom(header),
        () => ofMetadata(metadata),
      ]) {
        try {
          read();
        } catch (error) {
          assert.ok(error instanceof NotevaultError, String(error));
        }
      }
    }),
  );
});

test('expectedOf takes a hash with the quotes of a tag or without, and any attachment for a star', () => {
  assert.deepEqual(expectedOf({ ifMatch: 'abc', ifNoneMatch: '*' }), { match: ['abc'], noneMatch: '*' });
  assert.deepEqual(expectedOf({ ifMatch: '"abc"', ifNoneMatch: null }), { match: ['abc'], noneMatch: null });
});
