import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect, type TLSSocket } from 'node:tls';
import { WebSocket } from 'ws';
import { HOSTS, RENEWED } from '../../../test/kit/content/certificates.ts';
import { onSqlite } from '../../../test/kit/engines.ts';
import { Folder } from '../../../test/kit/programs/process.ts';
import { startServer } from '../../../test/kit/server.ts';
import { ask } from '../../public-address/http-checks.ts';
import { CertificateFiles } from './certificate.ts';

function filesIn(folder: Folder) {
  const paths = { cert: folder.at('cert.pem'), key: folder.at('key.pem') };
  writeFileSync(paths.cert, HOSTS.cert);
  writeFileSync(paths.key, HOSTS.key);
  return paths;
}

async function connected(port: number): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
}

const nameOf = (socket: TLSSocket) => socket.getPeerCertificate().subject.CN;

test('CertificateFiles takes changed files for new connections once both fit, and logs misfits once', async () => {
  using folder = new Folder();
  const paths = filesIn(folder);
  const logged: string[] = [];
  const log = { error: () => logged.push('error'), info: () => logged.push('info') } as never;
  const files = new CertificateFiles(paths, log);
  const server = createServer(files.current, (_request, response) => response.end('answer'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const before = await connected(port);
  assert.equal(nameOf(before), 'client.example');
  files.check(server);
  assert.deepEqual(logged, []);

  writeFileSync(paths.cert, RENEWED.cert);
  files.check(server);
  files.check(server);
  assert.deepEqual(logged, ['error'], 'the key is still the one before');
  const meanwhile = await connected(port);
  assert.equal(nameOf(meanwhile), 'client.example');

  writeFileSync(paths.key, RENEWED.key);
  files.check(server);
  assert.deepEqual(logged, ['error', 'info']);
  const after = await connected(port);
  assert.equal(nameOf(after), 'renewed.example');
  before.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  const [answer] = await once(before, 'data');
  assert.match(String(answer), /^HTTP\/1\.1 200 /);

  writeFileSync(paths.cert, 'no certificate');
  files.check(server);
  files.check(server);
  assert.deepEqual(logged, ['error', 'info', 'error']);
  for (const socket of [before, meanwhile, after]) socket.destroy();
  server.close();
});

const otherKind = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
});
const encrypted = createPrivateKey(HOSTS.key).export({
  ...({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const),
});
/** Files with which no handshake succeeds. */
const misfits: readonly (readonly [why: string, Partial<typeof HOSTS>])[] = [
  ['another key', { key: RENEWED.key }],
  ['a key of another kind', { key: String(otherKind) }],
  ['an encrypted key', { key: String(encrypted) }],
  ['an empty key', { key: '' }],
  ['an empty certificate', { cert: '' }],
  ['a certificate that is written in part', { cert: HOSTS.cert.slice(0, 400) }],
];

test('CertificateFiles refuses files that do not fit, and names them', () => {
  for (const [why, files] of misfits) {
    using folder = new Folder();
    const paths = filesIn(folder);
    for (const [name, text] of Object.entries(files)) writeFileSync(paths[name as 'cert' | 'key'], text);
    assert.throws(
      () => new CertificateFiles(paths, {} as never),
      { name: 'CertificateUnusable', message: /cert\.pem and .*key\.pem cannot be used: / },
      why,
    );
  }
});

test('CertificateFiles keeps the certificate before while the files do not fit, and logs each misfit once', async () => {
  for (const [why, misfit] of misfits) {
    using folder = new Folder();
    const paths = filesIn(folder);
    const logged: string[] = [];
    const log = { error: () => logged.push('error'), info: () => logged.push('info') } as never;
    const files = new CertificateFiles(paths, log);
    await using server = createServer(files.current).listen(0, '127.0.0.1');
    await once(server, 'listening');
    for (const [name, text] of Object.entries(misfit)) writeFileSync(paths[name as 'cert' | 'key'], text);
    files.check(server);
    files.check(server);
    assert.deepEqual(logged, ['error'], why);
    const socket = await connected((server.address() as AddressInfo).port);
    assert.equal(nameOf(socket), 'client.example', why);
    socket.destroy();
  }
});

onSqlite('https without a proxy', (open) => {
  test('https serves requests, sockets and assistants, whose tools call the server itself', async () => {
    using folder = new Folder();
    const { cert, key } = filesIn(folder);
    await using server = await startServer({ open, config: { tlsCert: cert, tlsKey: key } });
    const url = server.url.replace('http:', 'https:');
    const health = await ask(`${url}/api/health`, { anyCertificate: true });
    assert.equal(health?.status, 200);
    assert.equal(await ask(`${server.url}/api/health`), null, 'http is not served');
    const refused = await ask(`${url}/api/mcp`, { method: 'POST', anyCertificate: true });
    assert.match(String(refused?.headers['www-authenticate']), /resource_metadata="https:/);
    const socket = new WebSocket(`${url.replace('https', 'wss')}/api/sync/socket`, { rejectUnauthorized: false });
    await once(socket, 'open');
    socket.terminate();
    const post = async (path: string, body: object, headers: Record<string, string> = {}) => {
      const sent = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers };
      const options = { method: 'POST', headers: sent, body: JSON.stringify(body), anyCertificate: true };
      return (await ask(`${url}/api${path}`, options))?.text ?? '';
    };
    const setup_token = await server.app.accounts.setupToken();
    const account = { email: 'alice@example.org', password: 'correct horse battery', setup_token };
    const authorization = `Bearer ${JSON.parse(await post('/auth/register', account)).access_token}`;
    await post('/vaults', { name: 'Home' }, { authorization });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_vaults', arguments: {} } };
    assert.match(await post('/mcp', call, { authorization }), /Home/);
  });
});
