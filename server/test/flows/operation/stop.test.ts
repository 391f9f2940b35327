import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { Caller } from '../../kit/person.ts';
import { type Environment, Folder, ServeProcess, startServe } from '../../kit/programs/process.ts';
import { registerAt } from '../../kit/setup-tokens.ts';
import { until } from '../../kit/until.ts';

describe('a server told to stop', { concurrency: true }, () => {
  it('finishes the running upload, accepts nothing new, does not wait for idle clients, and exits with 0', async () => {
    await using running = await start();
    const { server, token } = running;
    using upload = beginUpload(server.url, token, 'a slow note');
    // An idle connection from before the stop, which sends a request now.
    using idle = keptAlive(server.url);
    await idle.get('/api/health');
    await upload.arrived;
    server.child.kill('SIGTERM');
    await refusesConnections(server.url);
    const answer = await upload.finish();
    assert.equal(answer.status, 200);
    assert.equal(JSON.parse(answer.body).note.content, 'a slow note');
    const { code, stderr } = await server.ended;
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Stopping: waiting for running requests\.\nStopped\.\n$/);

    await using again = await startServe({ env: running.env });
    const alice = new Caller(again.url, async () => ({ authorization: `Bearer ${token}` }));
    assert.equal((await alice.get('/notes/slow.md')).body.content, 'a slow note');
  });

  it('stops at once at the second signal', async () => {
    await using running = await start();
    const { server, token } = running;
    using upload = beginUpload(server.url, token, 'never finished');
    await upload.arrived;
    server.child.kill('SIGTERM');
    await refusesConnections(server.url);
    server.child.kill('SIGTERM');
    const { signal } = await server.ended;
    assert.equal(signal, 'SIGKILL');
  });

  it('gives a request that never ends only the configured time', async () => {
    await using running = await start({ NOTEVAULT_SHUTDOWN_SECONDS: '1' });
    const { server, token } = running;
    using upload = beginUpload(server.url, token, 'never finished');
    await upload.arrived;
    server.child.kill('SIGINT');
    assert.equal((await server.ended).signal, 'SIGKILL');
  });
});

describe('a data folder', () => {
  it('is used by one server; a second one refuses to start, and the first keeps running', async () => {
    await using running = await start();
    await using second = new ServeProcess({ env: running.env });
    await assert.rejects(second.listening());
    const { code, stderr } = await second.ended;
    assert.equal(code, 1);
    assert.match(
      stderr,
      /^notevault: Another notevault process works in .*: stop it first, or give this one its own --data-dir\.\n$/,
    );
    assert.equal((await new Caller(running.server.url).get('/health')).status, 200);
    assert.equal((await running.server.stop()).code, 0);
  });

  it('is used by the next server as soon as the first is gone, however it ended', async () => {
    await using running = await start();
    await running.server.kill();
    await using next = await startServe({ env: running.env });
    assert.equal((await new Caller(next.url).get('/health')).status, 200);
  });
});

/** Starts a server with alice and her vault in a folder that is removed with it. */
async function start(env: Environment = {}) {
  const folder = new Folder();
  const all = { ...env, NOTEVAULT_DATA_DIR: folder.at('data') };
  const server = await startServe({ env: all });
  const signed = await registerAt(server.url, {
    email: 'alice@example.org',
    password: 'long enough',
  });
  const token: string = signed.body.access_token;
  const alice = new Caller(server.url, async () => ({ authorization: `Bearer ${token}` }));
  assert.equal((await alice.post('/vaults', { name: 'notes' })).status, 201);
  return {
    server,
    token,
    env: all,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

/** Starts to write a note; the second half of the body is held back until `finish`. */
function beginUpload(url: string, token: string, content: string) {
  const body = Buffer.from(JSON.stringify({ path: 'slow.md', content, mtime: 1 }));
  const half = body.length >> 1;
  const agent = new Agent({ keepAlive: true });
  const asked = request(`${url}/api/notes`, {
    agent,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': body.length,
      authorization: `Bearer ${token}`,
      expect: '100-continue',
    },
  });
  // The connection is closed when the server stops at once.
  asked.on('error', () => undefined);
  asked.flushHeaders();
  return {
    /** Resolves when the server has the request and waits for its body. */
    arrived: once(asked, 'continue').then(() => asked.write(body.subarray(0, half))),
    async finish() {
      const [answer] = (await once(asked.end(body.subarray(half)), 'response')) as [IncomingMessage];
      return { status: answer.statusCode, body: await text(answer) };
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** One connection, kept open between requests. */
function keptAlive(url: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    async get(path: string) {
      const asked: ClientRequest = request(url + path, { agent }).end();
      const [answer] = (await once(asked, 'response')) as [IncomingMessage];
      return { status: answer.statusCode, body: await text(answer) };
    },
    [Symbol.dispose]: () => agent.destroy(),
  };
}

/** Resolves when nothing listens there any more. */
async function refusesConnections(url: string): Promise<void> {
  const refused = () =>
    fetch(`${url}/healthz`, { headers: { connection: 'close' } }).then(
      (answer) => answer.status === 503,
      () => true,
    );
  await until(refused, 'a refused request');
}
