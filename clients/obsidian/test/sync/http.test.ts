import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { it } from 'node:test';
import { NotevaultClient } from '@notevault/client/notevault-client.ts';
import { SLICE_BYTES } from '@notevault/client/sliced-upload.ts';
import { fixedToken } from '@notevault/client/tokens.ts';
import { ConnectionError, type Http, Transport } from '@notevault/client/transport.ts';
import { VaultServer } from '@notevault/sync/adapters/vault-server.ts';
import { onSqlite } from '../../../../server/test/kit/engines.ts';
import { startServer } from '../../../../server/test/kit/server.ts';
import { appHttp } from '../../src/sync/http.ts';
import { network } from '../stand-in/network.ts';
import { vaultOf } from './plugin-device.ts';

const MB = 1024 * 1024;
/** The address of the server, by which it names itself. */
const PUBLIC = 'https://notes.example';

/** The page may ask nobody, as where its origin is not let through. */
const refusing: Http = async () => {
  throw new TypeError('Failed to fetch');
};

async function listening(answer: RequestListener) {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

onSqlite('the plugin’s requests', (open) => {
  it('go by the page, or by the app where the page is refused, in parts that an Android phone survives', async () => {
    await using server = await startServer({ open, config: { publicUrl: PUBLIC } });
    const { key, vaultId } = await vaultOf(server, 'slices');
    const transport = (http: Http) => new Transport(PUBLIC, fixedToken(key), { fetch: http, tries: 1 });
    const bytes = new Uint8Array(9 * MB).map((_, index) => (index * 2_654_435_761) >>> 24);
    let [longest, ranges] = [0, 0];
    const sent = network.fetch;
    network.fetch = async (url, init) => {
      const answer = await sent(url.replace(PUBLIC, server.url), init);
      const lengths = [(await answer.clone().arrayBuffer()).byteLength, (init.body as ArrayBuffer)?.byteLength ?? 0];
      longest = Math.max(longest, ...lengths);
      if (answer.status === 206) ranges += 1;
      return answer;
    };
    try {
      const vault = new NotevaultClient(transport(appHttp({ fetch: refusing }))).vault(vaultId);
      const files = new VaultServer(vault, undefined, {});
      const written = await files.putAttachment(
        'film.mp4',
        async function* () {
          yield bytes;
        },
        bytes.length,
        1,
        null,
      );
      assert.equal(written.kind, 'written');
      const read = await files.read({ id: '', path: 'film.mp4' });
      assert.ok(Buffer.from(bytes).equals(Buffer.concat(await Array.fromAsync(read?.bytes ?? []))));
      assert.deepEqual([longest, ranges], [SLICE_BYTES, 3]);
      await vault.upsertNote({ path: 'a.md', content: 'text\n', mtime: 1 });
      assert.equal((await vault.readNote('a.md'))?.content, 'text\n');
      // It is refused here, where the app would end.
      await assert.rejects(vault.putAttachment('other.mp4', { bytes: () => bytes, mtime: 1 }), ConnectionError);
    } finally {
      network.fetch = sent;
    }
  });
});

it('the plugin’s requests tell no token to a host to which a server redirects, whatever the app follows', async () => {
  const heard: (string | undefined)[] = [];
  await using other = await listening((request, response) => {
    heard.push(request.headers.authorization);
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ issuer: `http://${request.headers.host}` }));
  });
  await using server = await listening((request, response) => {
    response.writeHead(307, { location: other.url + request.url }).end();
  });
  const transport = new Transport(server.url, fixedToken('secret'), { fetch: appHttp({ fetch: refusing }), tries: 1 });
  await assert.rejects(transport.json({ method: 'GET', path: '/vaults' }), ConnectionError);
  assert.deepEqual(heard, [undefined]);
});

it('the plugin’s requests go by the page again after the network was another one for a moment', async () => {
  await using server = await listening((request, response) => {
    const answer = { issuer: `http://${request.headers.host}`, at: request.url };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  });
  const asked: string[] = [];
  let failures = 0;
  const http = appHttp({
    fetch: async (url, request) => {
      asked.push(url.pathname);
      if (failures-- > 0) throw new TypeError('Failed to fetch');
      return fetch(url, request);
    },
  });
  const ask = async (path: string) =>
    (await http(new URL(path, server.url), { method: 'GET', headers: new Headers(), redirect: 'manual' })).json();
  failures = 1;
  assert.equal((await ask('/a')).at, '/a');
  assert.equal((await ask('/b')).at, '/b');
  failures = 1;
  assert.equal((await ask('/c')).at, '/c');
  assert.deepEqual(asked, ['/a', '/a', '/b', '/c', '/c']);
});
