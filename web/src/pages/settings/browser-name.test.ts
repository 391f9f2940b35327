import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserName } from './browser-name.ts';

test('browserName names browsers with their systems, and other programs by their first word', () => {
  const chrome =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36';
  assert.equal(browserName(chrome), 'Chrome, Linux');
  assert.equal(browserName(`${chrome} Edg/156.0.0.0`.replace('X11; Linux x86_64', 'Windows NT 10.0')), 'Edge, Windows');
  assert.equal(browserName('curl/8.1.2'), 'curl');
  assert.equal(browserName(''), null);
  assert.equal(browserName(null), null);
});
