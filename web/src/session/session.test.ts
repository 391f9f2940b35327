import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@notevault/client/transport.ts';
import { Session } from './session.ts';
import type { SessionChannel, SessionMessage } from './session-channel.ts';

/** A browser: a server with one session, whose tabs share a cookie, a channel and a lock. */
function browser({ isSignedIn = true, refuses = 0 } = {}) {
  const tabs: ((message: SessionMessage) => void)[] = [];
  const requests: string[] = [];
  let now = 1_000_000;
  let signedIn = isSignedIn;
  let isReachable = true;
  let made = 0;
  let refusal: string | null = null;
  let last: Promise<unknown> = Promise.resolve();
  const fetch = async (input: unknown) => {
    if (!isReachable) throw new TypeError('no network');
    const path = String(input);
    requests.push(path);
    if (path === '/api/auth/login') signedIn = true;
    if (path === '/api/auth/logout') {
      signedIn = false;
      return new Response(null, { status: 204 });
    }
    if (refusal !== null) return Response.json({ error: refusal }, { status: refusal === 'suspended' ? 403 : 401 });
    if (refuses > 0) return Response.json({ error: 'foreign_origin' }, { status: refuses });
    if (!signedIn) return Response.json({ error: 'no_refresh_token' }, { status: 401 });
    made += 1;
    return Response.json({ access_token: `token ${made}`, expires_in: 900 });
  };
  const exclusively = <T>(run: () => Promise<T>): Promise<T> => {
    const next = last.then(run);
    last = next.catch(() => undefined);
    return next;
  };
  const openTab = () => {
    const own: { listener?: (message: SessionMessage) => void } = {};
    const channel: SessionChannel = {
      send(message) {
        for (const tab of tabs) if (tab !== own.listener) tab(message);
      },
      listen(listener) {
        own.listener = listener;
        tabs.push(listener);
      },
    };
    return new Session({ fetch: fetch as typeof globalThis.fetch, channel, now: () => now, exclusively });
  };
  return {
    openTab,
    requests,
    pass: (ms: number) => {
      now += ms;
    },
    disconnect: () => {
      isReachable = false;
    },
    refuseWith: (code: string) => {
      refusal = code;
    },
    endOnServer: () => {
      signedIn = false;
    },
  };
}

test('a session starts from the cookie, and keeps its token until shortly before the end', async () => {
  const { openTab, requests, pass } = browser();
  const session = openTab();
  await session.start();
  assert.equal(session.state.get().status, 'in');
  pass(860_000);
  assert.equal(await session.token(), 'token 1');
  pass(20_000);
  assert.equal(await session.token(), 'token 2');
  assert.deepEqual(requests, ['/api/auth/refresh', '/api/auth/refresh']);
});

test('a session that the server refuses is out, and one whose server is away or too busy is unreachable', async () => {
  const visitor = browser({ isSignedIn: false }).openTab();
  await visitor.start();
  assert.equal(visitor.state.get().status, 'out');
  const offline = browser();
  offline.disconnect();
  const session = offline.openTab();
  await session.start();
  assert.equal(session.state.get().status, 'unreachable');
  const busy = browser({ refuses: 429 }).openTab();
  await busy.start();
  assert.equal(busy.state.get().status, 'unreachable');
  const refused = browser({ refuses: 403 }).openTab();
  await refused.start();
  assert.equal(refused.state.get().status, 'out');
});

test('tabs share one refresh of a token that was refused', async () => {
  const { openTab, requests } = browser();
  const [one, other] = [openTab(), openTab()];
  await one.start();
  const tokens = await Promise.all([one.refresh('token 1'), other.refresh('token 1'), one.refresh('token 1')]);
  assert.deepEqual(tokens, ['token 2', 'token 2', 'token 2']);
  assert.equal(requests.length, 2);
});

test('signing in and out in one tab does so in the others', async () => {
  const { openTab, requests } = browser({ isSignedIn: false });
  const [one, other] = [openTab(), openTab()];
  const seen: string[] = [];
  other.state.subscribe(() => seen.push(other.state.get().status));
  await one.enter('/auth/login', { email: 'alice@example.org', password: 'correct horse' });
  assert.equal(await other.token(), 'token 1');
  await one.signOut();
  assert.deepEqual(seen, ['in', 'out']);
  assert.deepEqual(requests, ['/api/auth/login', '/api/auth/logout']);
});

test('a session that the server ended is out after the next refresh', async () => {
  const { openTab, endOnServer } = browser();
  const session = openTab();
  await session.start();
  endOnServer();
  await assert.rejects(session.refresh('token 1'), ApiError);
  assert.equal(session.state.get().status, 'out');
});

test('a session that runs out or is ended in one tab is so in the others, which learn why', async () => {
  for (const [code, reason] of [
    ['no_refresh_token', 'expired'],
    ['invalid_refresh_token', 'revoked'],
    ['suspended', 'revoked'],
  ] as const) {
    const { openTab, refuseWith } = browser();
    const [one, other] = [openTab(), openTab()];
    await one.start();
    await other.start();
    refuseWith(code);
    await assert.rejects(one.refresh('token 1'));
    const out = { status: 'out', reason };
    assert.deepEqual([one.state.get(), other.state.get()], [out, out], code);
    const visitor = openTab();
    await visitor.start();
    assert.deepEqual(visitor.state.get(), { status: 'out', reason: reason === 'expired' ? null : reason });
  }
});
