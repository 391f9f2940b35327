/** The official conformance suite for authorization servers against our issuer; a script signs in and consents. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { Browser, signedIn } from '../../server/test/kit/clients/oauth.ts';
import { OAuthApp } from '../../server/test/kit/clients/oauth-app.ts';
import { onSqlite } from '../../server/test/kit/engines.ts';
import { freePort } from '../../server/test/kit/programs/free-port.ts';
import { startServer } from '../../server/test/kit/server.ts';

const program = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');

/** Forwards a port, which is known before the server whose public address it becomes. */
async function startForward() {
  const target = { url: '' };
  const server = createServer((incoming, answer) => {
    const { hostname, port } = new URL(target.url);
    const { url: path, method, headers } = incoming;
    const passed = request({ hostname, port, path, method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return { target, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, [Symbol.asyncDispose]: close };
}

onSqlite('the conformance suite for authorization servers', (open) => {
  test('metadata and the code grant pass', async () => {
    await using forward = await startForward();
    await using server = await startServer({ open, config: { publicUrl: forward.url } });
    forward.target.url = server.url;
    await server.alice.post('/vaults', { name: 'Home' });
    const port = await freePort();
    const { client } = await OAuthApp.register(server, { redirect_uris: [`http://127.0.0.1:${port}/callback`] });
    const args = ['authorization', '--url', forward.url, '--client-id', client.client_id, '--port', String(port)];
    const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    let printed = '';
    let consented: Promise<unknown> | undefined;
    child.stderr.on('data', (text) => {
      printed += text;
    });
    child.stdout.on('data', (text) => {
      printed += text;
      const url = /^http\S+\/oauth\/authorize\?\S+$/m.exec(printed)?.[0];
      if (url !== undefined && printed.includes('Waiting')) consented ??= consent(url);
    });
    const consent = async (url: string) => {
      const browser = new Browser(server);
      const page = await signedIn(browser, url, server.alice);
      return fetch((await browser.submit(page, 'allow')).url);
    };
    const [code] = await once(child, 'close');
    await consented;
    assert.equal(code, 0, printed);
    assert.match(printed, /authorization-server-metadata[^\n]*: [1-9]\d* passed, 0 failed/);
    assert.match(printed, /authorization-code-grant[^\n]*: [1-9]\d* passed, 0 failed/);
  });
});
