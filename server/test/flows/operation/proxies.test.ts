import assert from 'node:assert/strict';
import { test } from 'node:test';
import { examinePublicAddress } from '../../../src/public-address/examine.ts';
import { RawSocket } from '../../kit/clients/raw-socket.ts';
import { fileOf, readRaw, sha256, uploadRaw } from '../../kit/content/files.ts';
import { onSqlite } from '../../kit/engines.ts';
import { Caller } from '../../kit/person.ts';
import { type RunningProxy, startCaddy, startNginx, whyNoProgram } from '../../kit/programs/proxies.ts';
import { startServer, type TestServer } from '../../kit/server.ts';

const noNginx = whyNoProgram('nginx', '-v');
const noCaddy = whyNoProgram('caddy', 'version');
for (const skip of [noNginx, noCaddy]) if (skip !== false) process.stderr.write(`NOT TESTED BEHIND A PROXY: ${skip}\n`);

const FILE_BYTES = 50_000_000;
const asShipped = (settings: string) => settings;

/** What the doctor finds wrong behind a proxy; `trusted` as an operator sets NOTEVAULT_TRUST_PROXY. */
async function faultsBehind(server: TestServer, proxy: RunningProxy): Promise<string[]> {
  const probe = server.app.connectionProbe;
  const probes = {
    expectProbe: async () => probe.expect(),
    probeResult: async (secret: string) => probe.result(secret),
  };
  const settings = { publicUrl: proxy.url, host: '127.0.0.1', port: 1 };
  const findings = await Array.fromAsync(examinePublicAddress(settings, probes));
  return findings.filter(({ ok }) => !ok).map(({ what, says }) => `${what}: ${says}`);
}

/** Uses a server through a proxy as clients do. */
async function checkThrough(server: TestServer, proxy: RunningProxy): Promise<void> {
  const { accessToken } = await server.alice.signed();
  await server.alice.post('/vaults', { name: 'Proxied' });
  const alice = new Caller(proxy.url, async () => ({ authorization: `Bearer ${accessToken}` }));
  assert.equal((await alice.post('/notes', { path: 'Ä b.md', content: 'through a proxy', mtime: 1 })).status, 200);
  assert.equal((await alice.get('/notes/%C3%84%20b.md')).body.content, 'through a proxy');
  const file = fileOf('png', FILE_BYTES);
  assert.equal((await uploadRaw(alice, 'large.png', file)).status, 200);
  assert.equal(sha256((await readRaw(alice, 'large.png')).bytes), sha256(file));
  using socket = await RawSocket.open(proxy.url);
  assert.equal(socket.closed, null);
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const tools = await alice.post('/mcp', call, { accept: 'application/json, text/event-stream' });
  assert.notEqual(tools.status, 404, 'assistants reach their endpoint');
}

onSqlite('behind a proxy', (open) => {
  const config = { trustProxy: ['127.0.0.1'] };

  for (const [name, skip, start] of [
    ['nginx', noNginx, (url: string) => startNginx(url, asShipped)],
    ['Caddy', noCaddy, startCaddy],
  ] as const) {
    test(`notes, an upload of 50 MB, a socket and /api/mcp work through ${name} as it is shipped`, {
      skip,
    }, async () => {
      await using server = await startServer({ open, config });
      await using proxy = await start(server.url);
      await checkThrough(server, proxy);
      const faults = await faultsBehind(server, proxy);
      // Its metadata names the server's own public address, which is another one in this test.
      assert.deepEqual(
        faults.filter((fault) => !fault.startsWith('/api/mcp')),
        [],
      );
    });
  }

  const without = (line: RegExp) => (settings: string) => settings.replace(line, '');
  const broken: [name: string, change: (settings: string) => string, says: RegExp][] = [
    [
      'drops web sockets',
      without(/^proxy_set_header (?:Upgrade|Connection).*$/gm),
      /web sockets: .*nginx: proxy_http_version 1\.1/s,
    ],
    [
      'limits bodies',
      without(/^client_max_body_size.*$/m),
      /uploads: the proxy refuses 50 MB.*client_max_body_size 0/s,
    ],
    [
      'hides the client',
      without(/^proxy_set_header X-Forwarded-For.*$/m),
      /client address: every client seems to come from 127\.0\.0\.1/,
    ],
    ['changes the host', without(/^proxy_set_header Host.*$/m), /host header: the server sees the host "notevault"/],
    ['passes on /api only', (settings) => (settings === 'LOCATION' ? '/api' : settings), /paths: .*not all paths/],
  ];
  for (const [name, change, says] of broken) {
    test(`the doctor recognises a proxy that ${name}`, { skip: noNginx }, async () => {
      await using server = await startServer({ open, config });
      await using proxy = await startNginx(server.url, change);
      const faults = await faultsBehind(server, proxy);
      assert.ok(
        faults.some((fault) => says.test(fault)),
        faults.join('\n'),
      );
    });
  }

  test('the doctor recognises a proxy that is not trusted', { skip: noNginx }, async () => {
    await using server = await startServer({ open });
    await using proxy = await startNginx(server.url, asShipped);
    const faults = await faultsBehind(server, proxy);
    assert.ok(
      faults.some((fault) => /set NOTEVAULT_TRUST_PROXY=127\.0\.0\.1/.test(fault)),
      faults.join('\n'),
    );
  });
});
