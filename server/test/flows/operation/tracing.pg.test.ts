/** OpenTelemetry traces, sent over HTTP to a collector of the test. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { otlpTracing } from '../../../src/ports/tracing/otlp.ts';
import { testClock } from '../../kit/clock.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { listen } from '../../kit/programs/free-port.ts';
import { startServer } from '../../kit/server.ts';

interface Sent {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly status: { readonly code: number };
  readonly labels: Readonly<Record<string, string | number>>;
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

/** Records what it receives, and answers according to `state`; with the status 0 it never answers. */
async function startCollector() {
  const bodies: string[] = [];
  const paths = new Set<string | undefined>();
  const state = { status: 200 };
  const http = createServer(async (request, response) => {
    bodies.push(await text(request));
    paths.add(request.url);
    if (state.status !== 0) response.writeHead(state.status, { 'content-type': 'application/json' }).end('{}');
  });
  return { ...(await listen(http)), bodies, paths, state, spans: () => bodies.flatMap(spansOf) };
}

function spansOf(body: string): Sent[] {
  // biome-ignore lint/suspicious/noExplicitAny: what came is what the test is about.
  const resources: any[] = JSON.parse(body).resourceSpans;
  return resources.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap(({ spans }: { spans: (Sent & { attributes: Attribute[] })[] }) =>
      spans.map((span) => ({
        ...span,
        labels: Object.fromEntries(
          span.attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? 'of another type']),
        ),
      })),
    ),
  );
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';

onEachEngine('OpenTelemetry traces', (open) => {
  test("hold a span for each request's route, in the trace that its caller names, with its database calls", async () => {
    await using collector = await startCollector();
    let engine = '';
    {
      await using server = await startServer({ open, config: { otlpUrl: `${collector.url}/` } });
      engine = server.db.engine === 'postgres' ? 'postgresql' : 'sqlite';
      await server.alice.post('/vaults', { name: 'V' });
      const note = { path: 'A.md', mtime: 1, content: 'text' };
      await server.alice.post('/notes', note, { traceparent: `00-${TRACE}-${CALLER}-01` });
      const large = `a,b\n${'1,2\n'.repeat(500_000)}`;
      const stored = await server.alice.put('/attachments/a.csv', Buffer.from(large));
      assert.ok(stored.status < 300, `${stored.status}`);
      await server.alice.get('/notes/Nowhere.md', { traceparent: 'nothing of the kind' });
    }
    assert.deepEqual([...collector.paths], ['/v1/traces']);
    const spans = collector.spans();
    const [written, ...others] = spans.filter(({ name }) => name === 'POST /api/notes');
    assert.ok(written);
    assert.equal(others.length, 0);
    assert.deepEqual([written.traceId, written.parentSpanId], [TRACE, CALLER]);
    assert.deepEqual(written.labels, {
      'http.request.method': 'POST',
      'http.route': '/api/notes',
      'http.response.status_code': 200,
    });
    const within = spans.filter(({ parentSpanId }) => parentSpanId === written.spanId);
    assert.ok(within.some(({ name }) => name === 'database transact'));
    for (const { name, traceId, labels } of within) {
      assert.equal(traceId, TRACE);
      const call = name.replace(/^database /, '');
      assert.deepEqual(labels, { 'db.system.name': engine, 'db.operation.name': call });
    }
    const upload = spans.find(({ name }) => name === 'PUT /api/attachments/*');
    // Includes what happens after a streamed body was read.
    const kept = spans.filter(
      ({ name, parentSpanId }) => name === 'database transact' && parentSpanId === upload?.spanId,
    );
    assert.ok(kept.length >= 2, `${kept.length}`);
    const missing = spans.find(({ name }) => name === 'GET /api/notes/*');
    assert.deepEqual([missing?.parentSpanId, missing?.labels['http.response.status_code']], [undefined, 404]);
    assert.notEqual(missing?.traceId, TRACE);
    // A 404 is an answer, not a failed span.
    assert.deepEqual(new Set(spans.map(({ status }) => status.code)), new Set([0]));
    // Every database call is inside the span of a request; calls outside any span are not recorded.
    const ids = new Set(spans.map(({ spanId }) => spanId));
    for (const { name, parentSpanId = '' } of spans) {
      if (name.startsWith('database')) assert.ok(ids.has(parentSpanId), name);
    }
  });

  test('contain nothing that people wrote, named or sent as a credential', async () => {
    await using collector = await startCollector();
    const secrets = ['Secret', 'alice', 'nv_'];
    {
      await using server = await startServer({ open, config: { otlpUrl: collector.url } });
      const { alice } = server;
      await alice.post('/vaults', { name: 'Secret-name' });
      const key = (await alice.post('/api-keys', { name: 'Secret-key' })).body.key;
      secrets.push(key, (await alice.signed()).accessToken, alice.password);
      const headers = { tracestate: 'Secret=state', 'x-request-id': 'Secret-request', baggage: 'Secret=1' };
      await alice.post('/notes', { path: 'Secret-path.md', mtime: 1, content: 'Secret-text' }, headers);
      await server.bearer(key).get('/notes/Secret-path.md?token=Secret-query', headers);
      await alice.post('/search', { query: 'Secret-question' }, headers);
      await alice.get('/notes/Secret-other.md');
      await alice.get('/nowhere/Secret');
      await alice.call('GET', `/search/status?Secret`, undefined, {
        traceparent: `00-${TRACE}-${CALLER}-01`,
        ...headers,
      });
      await server.anyone.post('/auth/login', { email: 'Secret@example.org', password: 'Secret-password' });
    }
    const names = new Set(collector.spans().map(({ name }) => name));
    const asked = [
      'POST /api/search',
      'GET /api/notes/*',
      'GET none',
      'GET /api/search/status',
      'POST /api/auth/login',
    ];
    for (const name of asked) assert.ok(names.has(name), name);
    for (const body of collector.bodies) {
      for (const secret of secrets) assert.equal(body.includes(secret), false, secret.slice(0, 8));
    }
  });

  test('hold a trace of its own for each background job', async () => {
    await using collector = await startCollector();
    {
      await using server = await startServer({ open, config: { otlpUrl: collector.url } });
      server.app.jobRunner.start();
      await server.alice.post('/vaults', { name: 'V' });
    }
    const spans = collector.spans();
    const job = spans.find(({ name }) => name === 'job purge');
    assert.ok(job);
    assert.equal(job.parentSpanId, undefined);
    assert.ok(spans.some(({ parentSpanId }) => parentSpanId === job.spanId));
  });

  test('delay nobody when the collector never answers', async () => {
    await using collector = await startCollector();
    collector.state.status = 0;
    const server = await startServer({ open, config: { otlpUrl: collector.url } });
    for (let n = 0; n < 5; n++) assert.equal((await server.alice.get('/me')).status, 200);
    await server[Symbol.asyncDispose]();
    assert.equal(collector.spans().filter(({ name }) => name === 'GET /api/me').length, 5);
  });
});

test('are given up at the end when the collector refuses, is down or never answers', async () => {
  await using collector = await startCollector();
  const { random } = testClock();
  // Nothing listens on port 9 here.
  const away = 'http://127.0.0.1:9';
  for (const [status, url] of [
    [500, collector.url],
    [503, collector.url],
    [0, collector.url],
    [200, away],
  ] as const) {
    collector.state.status = status;
    const tracing = otlpTracing({ url, version: '1', random, failed: () => undefined, sendMs: 100 });
    tracing.begin('request', { kind: 'server' }).end({ failed: false });
    await tracing[Symbol.asyncDispose]();
  }
});

test('OpenTelemetry spans are dropped past a bound when nobody accepts them, and the operator is told once', async () => {
  await using collector = await startCollector();
  collector.state.status = 400;
  let failures = 0;
  const { random } = testClock();
  {
    const failed = () => (failures += 1);
    await using tracing = otlpTracing({ url: collector.url, version: '1', random, failed, batchMs: 60_000 });
    for (let n = 0; n < 20_000; n++) tracing.begin('request', { kind: 'server' }).end({ failed: false });
  }
  assert.equal(failures, 1);
  assert.ok(collector.spans().length <= 5_000, `${collector.spans().length}`);
});

test('an OpenTelemetry span does not include what outlives it', async () => {
  await using collector = await startCollector();
  const { random } = testClock();
  {
    await using tracing = otlpTracing({ url: collector.url, version: '1', random, failed: () => undefined });
    const span = tracing.begin('request', { kind: 'server' });
    await span.within(async () => {
      assert.equal(tracing.isInside, true);
      await Promise.resolve();
      tracing.begin('early', { kind: 'client' }).end({ failed: true });
      span.end({ failed: false });
      span.end({ failed: true });
      assert.equal(tracing.isInside, false);
      tracing.begin('late', { kind: 'client' }).end({ failed: false });
    });
  }
  const [early, request, late, ...more] = collector.spans();
  assert.deepEqual([early?.name, request?.name, late?.name, more.length], ['early', 'request', 'late', 0]);
  assert.deepEqual([early?.parentSpanId, late?.parentSpanId], [request?.spanId, undefined]);
  assert.deepEqual([early?.status.code, request?.status.code], [2, 0]);
});
