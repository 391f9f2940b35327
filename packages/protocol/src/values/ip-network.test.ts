import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './ip-network.ts';

test('networkOf returns an IPv4 address itself, however it is written', () => {
  assert.equal(networkOf('192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf('::ffff:192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf('::FFFF:192.0.2.7'), '192.0.2.7');
  assert.equal(networkOf('::ffff:c000:207'), '192.0.2.7');
});

test('networkOf returns one network for all IPv6 addresses of a client', () => {
  const spellings = [
    '2001:db8:1:2::7',
    '2001:DB8:1:2:aaaa:bbbb:cccc:dddd',
    '2001:0db8:0001:0002::',
    '2001:db8:1:2::1%eth0',
  ];
  assert.deepEqual(new Set(spellings.map(networkOf)), new Set(['2001:db8:1:2::/64']));
  assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0::/64');
  assert.equal(networkOf('2001:db8:1:3::7'), '2001:db8:1:3::/64');
  assert.equal(networkOf('::1'), '0:0:0:0::/64');
  assert.equal(networkOf('64:ff9b::192.0.2.1'), '64:ff9b:0:0::/64');
  assert.equal(networkOf('2001:db8:1:2:3:4:192.0.2.1'), '2001:db8:1:2::/64');
});

test('networkOf returns a text that is not an address as it is', () => {
  for (const text of ['', 'unknown', '@', '1:2', '::1::2', '127.1']) assert.equal(networkOf(text), text);
});
