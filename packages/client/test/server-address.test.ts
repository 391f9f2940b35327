import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverAddress, socketAddress } from '../src/server-address.ts';

test('the address of a server and of its socket keep the path of the public URL', () => {
  for (const [url, address, socket] of [
    ['https://notes.example.org', 'https://notes.example.org', 'wss://notes.example.org/api/sync/socket'],
    ['http://127.0.0.1:4100/api', 'http://127.0.0.1:4100', 'ws://127.0.0.1:4100/api/sync/socket'],
    ['https://example.org/notes/', 'https://example.org/notes', 'wss://example.org/notes/api/sync/socket'],
    ['https://example.org/notes/api/', 'https://example.org/notes', 'wss://example.org/notes/api/sync/socket'],
  ] as const) {
    assert.deepEqual([serverAddress(url), socketAddress(url)], [address, socket]);
  }
});
