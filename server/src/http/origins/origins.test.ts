import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLocal, isOwnOrigin, type Sender } from './origins.ts';

const LISTENING = 'http://127.0.0.1:4100';

function sender({
  headers = {},
  ip = '127.0.0.1',
  protocol = 'http',
  host = 'localhost:4100',
}: Partial<Sender>): Sender {
  return { headers, ip, protocol, host };
}

test('isOwnOrigin accepts the public address, the address of the request, and programs', () => {
  const at = (origin: string | undefined, more: Partial<Sender> = {}) =>
    isOwnOrigin(sender({ headers: origin === undefined ? {} : { origin }, ...more }), 'https://notes.example');
  assert.equal(at(undefined), true);
  assert.equal(at('https://notes.example'), true);
  assert.equal(at('http://localhost:4100'), true);
  assert.equal(at('http://nas.local:4100', { host: 'NAS.local:4100' }), true);
  assert.equal(at('https://localhost:4100', { protocol: 'https' }), true);
  for (const origin of ['null', '', 'http://localhost', 'https://localhost:4100', 'https://evil.example']) {
    assert.equal(at(origin), false, origin);
  }
});

test('isLocal accepts programs and pages on the machine of the server', () => {
  const hosts = ['localhost:4100', '127.0.0.1:4100', '[::1]:4100', 'LOCALHOST'];
  for (const host of hosts) assert.equal(isLocal(sender({ host }), LISTENING), true, host);
  for (const ip of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1']) {
    assert.equal(isLocal(sender({ ip }), LISTENING), true, ip);
  }
  for (const listening of ['http://localhost:4100', 'http://[::1]:4100', 'http://0.0.0.0:4100', 'http://[::]:4100']) {
    assert.equal(isLocal(sender({}), listening), true, listening);
  }
  assert.equal(isLocal(sender({ headers: { origin: 'http://localhost:4100' } }), LISTENING), true);
});

test('isLocal refuses other addresses, proxies, other pages, names that resolve to the machine, and public servers', () => {
  for (const ip of ['10.0.0.1', '172.17.0.1', '203.0.113.9', '::ffff:10.0.0.1', 'fe80::1', '1270.0.0.1']) {
    assert.equal(isLocal(sender({ ip }), LISTENING), false, ip);
  }
  for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip', 'x-forwarded-host']) {
    assert.equal(isLocal(sender({ headers: { [name]: '127.0.0.1' } }), LISTENING), false, name);
  }
  for (const host of ['evil.example', 'evil.example:4100', '127.0.0.1.evil.example', '', 'localhost.evil.example']) {
    assert.equal(isLocal(sender({ host }), LISTENING), false, host);
  }
  assert.equal(isLocal(sender({ headers: { origin: 'https://evil.example' } }), LISTENING), false);
  assert.equal(isLocal(sender({}), 'https://notes.example'), false);
});
