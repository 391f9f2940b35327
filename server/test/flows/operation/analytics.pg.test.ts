/** Tests what the server sends to analytics; the receiving end answers as PostHog does. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { Secret } from '../../../src/config/values.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { listen } from '../../kit/programs/free-port.ts';
import { startServer } from '../../kit/server.ts';

interface Got {
  readonly url: string | undefined;
  readonly authorization: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: what came is what the test is about.
  readonly body: any;
}

async function startSink() {
  const got: Got[] = [];
  const state = { status: 200 };
  const http = createServer(async (request, response) => {
    got.push({
      url: request.url,
      authorization: request.headers.authorization,
      body: JSON.parse(await text(request)),
    });
    response.writeHead(state.status).end('{}');
  });
  const listening = await listen(http);
  const config = {
    analytics: 'posthog' as const,
    analyticsUrl: `${listening.url}/`,
    analyticsKey: new Secret('project-key'),
    analyticsEraseKey: new Secret('personal-key'),
    analyticsProject: '7',
  };
  return { ...listening, got, state, config };
}

const ERASE = '/api/projects/7/persons/bulk_delete/';

onEachEngine('analytics', (open) => {
  test('report the opening of a vault under the analytics id, and nothing else', async () => {
    await using sink = await startSink();
    await using server = await startServer({ open, config: sink.config });
    const { alice, app, clock } = server;
    const { id } = (await alice.post('/vaults', { name: 'Secret plans' })).body.vault;
    await alice.get(`/vaults/${id}`);
    await alice.get('/vaults/00000000-0000-7000-8000-000000000000');
    await app.productEvents.flush();
    const analyticsId = (await alice.get('/me')).body.user.analytics_id;
    const event = {
      event: 'vault_opened',
      distinct_id: analyticsId,
      timestamp: new Date(clock.now()).toISOString(),
      properties: { $lib: 'notevault', $ip: null, $geoip_disable: true },
    };
    const sent = { url: '/batch/', authorization: undefined, body: { api_key: 'project-key', batch: [event] } };
    assert.deepEqual(sink.got, [sent]);
  });

  test('are erased for an account that objects once the sink accepts it, and report nothing about it later', async () => {
    await using sink = await startSink();
    await using server = await startServer({ open, config: sink.config });
    const { alice, app } = server;
    const { id } = (await alice.post('/vaults', { name: 'V' })).body.vault;
    const analyticsId = (await alice.get('/me')).body.user.analytics_id;
    const objected = await alice.patch('/me', { analytics_opt_out: true });
    assert.deepEqual([objected.body.user.analytics_id, objected.body.user.analytics_opt_out], [null, true]);
    await alice.get(`/vaults/${id}`);
    sink.state.status = 503;
    await assert.rejects(app.productEvents.flush());
    sink.state.status = 200;
    await app.productEvents.flush();
    await app.productEvents.flush();
    const body = { distinct_ids: [analyticsId], delete_events: true };
    const asked = { url: ERASE, authorization: 'Bearer personal-key', body };
    assert.deepEqual(sink.got, [asked, asked]);
    await alice.patch('/me', { analytics_opt_out: true });
    await alice.patch('/me', { display_name: 'Alice' });
    await app.productEvents.flush();
    assert.equal(sink.got.length, 2);
    // The user withdraws the objection.
    const again = await alice.patch('/me', { analytics_opt_out: false });
    assert.equal(again.body.user.analytics_id, analyticsId);
    await alice.get(`/vaults/${id}`);
    await app.productEvents.flush();
    assert.equal((sink.got as Got[])[2]?.body.batch[0].distinct_id, analyticsId);
  });

  test('are erased for a deleted account', async () => {
    await using sink = await startSink();
    await using server = await startServer({ open, config: sink.config });
    const { bob, app } = server;
    const analyticsId = (await bob.get('/me')).body.user.analytics_id;
    assert.equal((await bob.delete('/me', { password: bob.password })).status, 200);
    await app.productEvents.flush();
    assert.deepEqual(
      sink.got.map(({ url, body }) => [url, body.distinct_ids]),
      [[ERASE, [analyticsId]]],
    );
  });

  test('delay nobody while the sink is down, and deliver afterwards what fits their buffer', async () => {
    await using sink = await startSink();
    await using server = await startServer({ open, config: sink.config });
    const { alice, app } = server;
    const { id } = (await alice.post('/vaults', { name: 'V' })).body.vault;
    sink.state.status = 500;
    for (let n = 0; n < 5; n++) {
      assert.equal((await alice.get(`/vaults/${id}`)).status, 200);
      await assert.rejects(app.productEvents.flush());
    }
    sink.state.status = 200;
    await app.productEvents.flush();
    assert.equal(sink.got.at(-1)?.body.batch.length, 5);
  });

  test('send and remember nothing without a sink', async () => {
    await using server = await startServer({ open });
    const { alice, app } = server;
    await alice.patch('/me', { analytics_opt_out: true });
    assert.equal(await app.accounts.sendErasures(), 0);
  });
});
