import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as names from '../src/data/kept-names.ts';
import { KEPT_FILES, partOf } from './kept-file.ts';

const whole = () => new Response('0123456789', { headers: { 'content-type': 'video/mp4' } });

test('a kept file is answered as a whole, or in the part that is asked for', async () => {
  assert.equal(await (await partOf(whole(), null)).text(), '0123456789');
  for (const [range, text, content] of [
    ['bytes=2-4', '234', 'bytes 2-4/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
  ] as const) {
    const part = await partOf(whole(), range);
    assert.deepEqual([part.status, part.headers.get('content-range'), await part.text()], [206, content, text]);
    assert.equal(part.headers.get('content-type'), 'video/mp4');
  }
  assert.equal((await partOf(whole(), 'bytes=10-')).status, 416);
  assert.equal((await partOf(whole(), 'lines=1-2')).status, 200);
});

test('the worker looks for kept files where pages put them', () => assert.equal(KEPT_FILES, names.KEPT_FILES));
