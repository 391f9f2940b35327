import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base64Body } from './base64-body.ts';

test('a body has its fields and all bytes, also of more than one slice', async () => {
  for (const size of [0, 1, 2, 3, 2_000_003]) {
    const bytes = Uint8Array.from({ length: size }, (_, at) => at % 251);
    const body = JSON.parse(await (await base64Body({ path: 'a "b".png' }, new Blob([bytes]))).text());
    assert.equal(body.path, 'a "b".png');
    assert.ok(Buffer.from(body.content_base64, 'base64').equals(bytes), `${size} bytes`);
  }
});
