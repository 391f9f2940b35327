import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wellKnownUrl } from '@notevault/protocol/public-url.ts';
import { SOCKET_LIMITS } from '../../../src/http/connections/socket-limits.ts';
import { probeValue } from '../../../src/http/monitoring/seen-request.ts';
import { MasterKeyring } from '../../../src/ports/keyring/master-key.ts';
import { examinePublicAddress } from '../../../src/public-address/examine.ts';
import { bytes, RawSocket } from '../../kit/clients/raw-socket.ts';
import { fileOf, readRaw, sha256, uploadRaw } from '../../kit/content/files.ts';
import { onSqlite } from '../../kit/engines.ts';
import { Caller } from '../../kit/person.ts';
import { type RunningProxy, startCaddy, startNginx, whyNoProgram } from '../../kit/programs/proxies.ts';
import { startServer, type TestServer } from '../../kit/server.ts';
import { until } from '../../kit/until.ts';

const noNginx = whyNoProgram('nginx', '-v');
const noCaddy = whyNoProgram('caddy', 'version');
for (const skip of [noNginx, noCaddy]) if (skip !== false) process.stderr.write(`NOT TESTED BEHIND A PROXY: ${skip}\n`);

const FILE_BYTES = 50_000_000;
const CUT_SHORT_SECONDS = 3;
/** Twenty ticks, after which a silent peer is pinged, are a third of the shortened timeout. */
const TICK_MS = 50;
const asShipped = (settings: string) => settings;

/** Returns the faults that `doctor` finds behind a proxy; `trusted` is the value of NOTEVAULT_TRUST_PROXY. */
async function faultsBehind(server: TestServer, proxy: RunningProxy): Promise<string[]> {
  const probe = probeValue(new MasterKeyring(server.masterKey, server.clock.random), server.clock.now());
  const settings = { publicUrl: proxy.url, host: '127.0.0.1', port: 1 };
  const findings = await Array.fromAsync(examinePublicAddress(settings, probe));
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
    ['nginx below a path', noNginx, (url: string) => startNginx(url, asShipped, '/notes')],
    ['Caddy', noCaddy, (url: string) => startCaddy(url)],
    ['Caddy below a path', noCaddy, (url: string) => startCaddy(url, '/notes')],
  ] as const) {
    test(`notes, an upload of 50 MB, a socket and /api/mcp work through ${name} as it is shipped`, {
      skip,
    }, async () => {
      const path = name.endsWith('path') ? '/notes' : '';
      // The port of the proxy is chosen later.
      const publicUrl = { publicUrl: `http://127.0.0.1${path}` };
      await using server = await startServer({ open, config: { ...config, ...publicUrl } });
      await using proxy = await start(server.url);
      await checkThrough(server, proxy);
      const faults = await faultsBehind(server, proxy);
      // Its metadata names the server's own public address, which is another one in this test.
      assert.deepEqual(
        faults.filter((fault) => !fault.startsWith('/api/mcp')),
        [],
      );
      const found = await fetch(wellKnownUrl(proxy.url, 'oauth-protected-resource'));
      assert.equal(((await found.json()) as { resource: string }).resource, `http://127.0.0.1${path}`);
      if (path === '') return;
      assert.equal((await fetch(new URL('/api/health', proxy.url))).ok, false, 'the host has other sites');
    });
  }

  test('a quiet socket outlives the read timeout of nginx, because the server pings it', {
    skip: noNginx,
  }, async () => {
    await using server = await startServer({ open, config });
    let shippedSeconds = 0;
    await using proxy = await startNginx(server.url, (settings) =>
      settings.replace(/^proxy_read_timeout (\d+)h;$/m, (_, hours) => {
        shippedSeconds = Number(hours) * 3600;
        return `proxy_read_timeout ${CUT_SHORT_SECONDS}s;`;
      }),
    );
    await server.alice.post('/vaults', { name: 'Proxied' });
    const note = (await server.alice.post('/notes', { path: 'a.md', content: 'quiet', mtime: 1 })).body.note.id;
    const { accessToken } = await server.alice.signed();
    const quietSocket = async () => {
      const socket = await RawSocket.open(proxy.url, `/api/sync/notes/${note}?token=${accessToken}`);
      socket.send(0, 0, bytes(Uint8Array.of(0)));
      await until(() => socket.frames.length === 2, 'the text of the note');
      return { socket, since: performance.now() };
    };
    const { socket: left, since: leftSince } = await quietSocket();
    await until(() => left.closed !== null, 'the timeout of nginx');
    const lifetime = performance.now() - leftSince;

    using pinged = (await quietSocket()).socket;
    let pings = 0;
    pinged.ws.on('ping', () => {
      pings += 1;
    });
    // The server's seconds pass faster, in proportion to the shortened timeout.
    const ticks = setInterval(() => server.app.sockets.tick(), TICK_MS);
    const since = performance.now();
    await until(() => pinged.closed !== null || (pings >= 3 && performance.now() - since > 2 * lifetime), 'pings');
    clearInterval(ticks);
    assert.equal(pinged.closed, null);
    // Half of the default of nginx, for the first ping of a proxy whose owner left the shipped settings out.
    assert.ok(SOCKET_LIMITS.silentTicks <= 30 && shippedSeconds > 2 * SOCKET_LIMITS.silentTicks);
  });

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
    [
      'passes on /api only',
      (settings) => settings.replace('location / {', 'location /api {'),
      /paths: .*not all paths/,
    ],
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
