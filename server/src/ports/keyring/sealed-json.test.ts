import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { Type } from 'typebox';
import type { KeyOwner } from './keyring.ts';
import { MasterKeyring } from './master-key.ts';
import { SealedJson } from './sealed-json.ts';

const owner: KeyOwner = { kind: 'vault', id: 'v' };
const keyring = new MasterKeyring(randomBytes(32), randomBytes);
const key = keyring.openDataKey(owner, keyring.createDataKey(owner), 0);
const context = { kind: 'notes.meta', row: 'n', version: 1 };
const sealBytes = (bytes: Buffer) => key.seal(context, bytes);

const kind = new SealedJson(1, Type.Object({ path: Type.String(), size: Type.Optional(Type.Number()) }));

test('SealedJson reads a value as it was sealed, in format 1', () => {
  const sealed = kind.seal(key, context, { path: 'Ä/日本.md' });
  assert.deepEqual(kind.open(key, context, sealed), { path: 'Ä/日本.md' });
  assert.deepEqual([...key.open(context, sealed)].slice(0, 2), [1, '{'.charCodeAt(0)]);
});

test('SealedJson reads the bytes of format 1 as they are stored today', () => {
  assert.deepEqual(kind.open(key, context, sealBytes(Buffer.from('\x01{"path":"a.md","size":3}'))), {
    path: 'a.md',
    size: 3,
  });
});

test('SealedJson ignores a field that a later version added', () => {
  assert.equal(kind.open(key, context, sealBytes(Buffer.from('\x01{"path":"a.md","pinned":true}'))).path, 'a.md');
});

test('SealedJson refuses an unknown format by its number, and never returns an empty value', () => {
  for (const bytes of [Buffer.from('\x02{"path":"a.md"}'), Buffer.from('{"path":"a.md"}'), Buffer.alloc(0)])
    assert.throws(() => kind.open(key, context, sealBytes(bytes)), { name: 'KeyringError', code: 'unknown_format' });
});

test('SealedJson refuses a value that does not fit its format, without quoting it', () => {
  for (const json of ['{"path":1}', '{}', 'null', '{"path":"secret', '']) {
    assert.throws(
      () => kind.open(key, context, sealBytes(Buffer.from(`\x01${json}`))),
      (error: Error & { code?: string }) => error.code === 'damaged_value' && !error.message.includes('secret'),
    );
  }
});

test('SealedJson converts values of an earlier format to the current one', () => {
  const next = new SealedJson(2, Type.Object({ folder: Type.String(), name: Type.String() }), {
    1: (stored) => {
      const [folder = '', name = ''] = (stored as { path: string }).path.split('/');
      return { folder, name };
    },
  });
  const before = kind.seal(key, context, { path: 'f/a.md' });
  assert.deepEqual(next.open(key, context, before), { folder: 'f', name: 'a.md' });
  assert.deepEqual(next.open(key, context, next.seal(key, context, { folder: 'g', name: 'b' })), {
    folder: 'g',
    name: 'b',
  });
});
