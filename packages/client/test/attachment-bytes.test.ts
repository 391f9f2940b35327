import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { noToken } from '../src/tokens.ts';
import { Transport } from '../src/transport.ts';
import { VaultClient } from '../src/vault-client.ts';

test('VaultClient.readAttachment gives all bytes to a reader who starts late, after a garbage collection', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const server = createServer((_request, response) => response.end('bytes'));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const vault = new VaultClient(new Transport(url, noToken), 'id');
    const read = await vault.readAttachment('a.png');
    for (let turn = 0; turn < 20; turn++) {
      collect();
      await new Promise((resolve) => setImmediate(resolve));
    }
    let text = '';
    for await (const piece of read?.bytes ?? []) text += new TextDecoder().decode(piece);
    assert.equal(text, 'bytes');
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});
