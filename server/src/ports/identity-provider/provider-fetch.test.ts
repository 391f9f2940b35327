import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPrivate, providerFetch } from './provider-fetch.ts';

test('providerFetch sends nothing over plain http to a public address', async () => {
  await assert.rejects(providerFetch('http://203.0.113.1/', {}), /plain http/);
});

test('isPrivate tells loopback and private addresses from public ones', async () => {
  for (const hostname of ['127.0.0.1', '10.1.2.3', '192.168.0.1', '100.64.0.1', '[::1]', '[fd00::1]', 'localhost']) {
    assert.equal(await isPrivate({ hostname }), true, hostname);
  }
  for (const hostname of ['8.8.8.8', '172.32.0.1', '[2606:4700::1]', '[::ffff:8.8.8.8]']) {
    assert.equal(await isPrivate({ hostname }), false, hostname);
  }
});
