import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { codedTags, compressed, preferredCoding } from './compression.ts';

test('preferredCoding prefers what the client does, and brotli among equals', () => {
  const headers = {
    'gzip, deflate, br': 'br',
    '*': 'br',
    gzip: 'gzip',
    'br;q=0.5, gzip': 'gzip',
    'br;q=0, *': 'gzip',
    'gzip;q=0': 'identity',
    'identity, br;q=0.1': 'identity',
    'identity;q=0': 'identity',
    deflate: 'identity',
    '': 'identity',
  };
  for (const [header, coding] of Object.entries(headers)) assert.equal(preferredCoding(header), coding, header);
  assert.equal(preferredCoding(undefined), 'identity');
});

test('codedTags lists a different tag for each coding', () => {
  assert.deepEqual(codedTags('t', 'gzip').slice(0, 2), ['t-gzip', 't-br']);
  assert.deepEqual(new Set(codedTags('t')), new Set(['t', 't-br', 't-gzip']));
});

test('compressed makes what the client decodes to the same bytes, of texts and of pieces', async () => {
  const decoders = { br: brotliDecompressSync, gzip: gunzipSync };
  const text = 'größere Antwort\n'.repeat(20_000);
  const pieces = [Buffer.from(text), randomBytes(300_000), Buffer.alloc(0), Buffer.from('end')];
  for (const coding of ['br', 'gzip'] as const) {
    const decode = async (answer: string | readonly Buffer[]) =>
      decoders[coding](Buffer.concat((await compressed(answer, coding)) ?? []));
    assert.equal((await decode(text)).toString(), text);
    assert.deepEqual(await decode(pieces), Buffer.concat(pieces));
  }
});

test('compressed leaves an answer of 1 KB or less as it is', async () => {
  assert.equal(await compressed('a'.repeat(1024), 'br'), null);
  assert.equal(await compressed([Buffer.alloc(1000), Buffer.alloc(24)], 'gzip'), null);
  assert.notEqual(await compressed('a'.repeat(1025), 'gzip'), null);
  assert.equal(await compressed('a'.repeat(5000), 'identity'), null);
});
