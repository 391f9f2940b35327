import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPublicAddress } from './public-addresses.ts';

const REFUSED = [
  ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255'],
  ...['192.168.1.1', '169.254.169.254', '100.64.0.1', '100.127.255.255', '192.0.0.8', '192.0.2.1', '198.18.0.1'],
  ...['198.19.255.255', '198.51.100.7', '203.0.113.7', '224.0.0.1', '239.255.255.255', '240.0.0.1'],
  ...['255.255.255.255', '192.88.99.1'],
  ...['::', '::1', '::ffff:127.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::7f00:1', '64:ff9b::7f00:1'],
  ...['64:ff9b::808:808', '64:ff9b:1::1', '100::1', '2001::1', '2001:db8::1', '2002:7f00:1::', '2002:808:808::1'],
  ...['3fff::1', '5f00::1', 'fc00::1', 'fd12:3456::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'ff02::1', '4000::1'],
  ...['2606:4700::1111%1', '', 'localhost', '127.1', '0x7f.1', '2130706433', '010.0.0.1', '1.2.3', 'x'],
];
const PUBLIC = ['8.8.8.8', '1.1.1.1', '93.184.216.34', '172.15.0.1', '172.32.0.1', '100.63.0.1', '100.128.0.1'];
const PUBLIC_6 = ['2606:4700:4700::1111', '2a00:1450:4001:80b::200e', '2003:db8::1', '2001:4860:4860::8888'];

test('isPublicAddress accepts only addresses that are reachable from the whole internet', () => {
  for (const address of REFUSED) assert.equal(isPublicAddress(address), false, address);
  for (const address of [...PUBLIC, ...PUBLIC_6]) assert.equal(isPublicAddress(address), true, address);
});
