import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Secret } from '../../../src/config/values.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { startServer } from '../../kit/server.ts';

onEachEngine('/metrics', (open) => {
  test('returns 404 without a configured token, and answers only that token', async () => {
    await using closed = await startServer({ open });
    assert.equal((await closed.anyone.get('/../metrics')).status, 404);
    await using server = await startServer({ open, config: { metricsToken: new Secret('a-token') } });
    const session = (await server.alice.signed()).accessToken;
    for (const authorization of [
      '',
      'Bearer',
      'Bearer a-toke',
      'Bearer a-tokenx',
      'Basic a-token',
      `Bearer ${session}`,
    ]) {
      const { status } = await server.anyone.get('/../metrics', authorization === '' ? {} : { authorization });
      assert.equal(status, 401, authorization.slice(0, 16));
    }
    assert.equal((await server.bearer('a-token').get('/../metrics')).status, 200);
    const lowerCase = await server.anyone.get('/../metrics', { authorization: 'bearer a-token' });
    assert.equal(lowerCase.status, 200);
    const written = await server.bearer('a-token').call('POST', '/../metrics', undefined, {});
    assert.deepEqual([written.status, written.headers.get('allow')], [405, 'GET, HEAD']);
  });

  test('counts requests by route, writes, the database and the process, and shows nothing that people wrote', async () => {
    await using server = await startServer({ open, config: { metricsToken: new Secret('a-token') } });
    const { alice } = server;
    await alice.post('/vaults', { name: 'Secret-name' });
    for (const n of [1, 2, 3])
      await alice.post('/notes', { path: 'Secret-path.md', mtime: 1, content: `Secret-text ${n}` });
    // Those that share a transaction are counted too.
    const notes = [1, 2].map((n) => ({ path: `Secret ${n}.md`, mtime: 1, content: 'Secret' }));
    await alice.post('/notes/batch', { notes }, { 'x-idempotency-key': 'two' });
    await alice.get('/notes/Secret-path.md');
    await alice.get('/notes/Secret-other.md');
    await alice.get('/nowhere/Secret');
    await alice.post('/search', { query: 'Secret' });
    const { body, headers } = await server.bearer('a-token').get('/../metrics');
    assert.match(headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.equal(body.includes('Secret'), false);
    const lines = new Map(body.split('\n').map((line: string) => line.split(/ (?=\S+$)/) as [string, string]));
    const count = (labels: string) => lines.get(`notevault_http_request_seconds_count{${labels}}`);
    assert.equal(count('method="POST",route="/api/notes",status="200"'), '3');
    assert.equal(count('method="GET",route="/api/notes/*",status="200"'), '1');
    assert.equal(count('method="GET",route="/api/notes/*",status="404"'), '1');
    assert.equal(count('method="GET",route="none",status="404"'), '1');
    assert.equal(lines.get('notevault_vault_writes_total'), '5');
    assert.ok(Number(lines.get('notevault_database_seconds_count{call="transact"}')) >= 4);
    assert.ok(Number(lines.get('process_resident_memory_bytes')) > 1e6);
    const gauges = ['notevault_sockets', 'notevault_live_documents', 'notevault_edits_pending'];
    gauges.push('notevault_edit_bytes_pending', 'notevault_notes_to_flush', 'notevault_vault_cache_bytes');
    gauges.push(
      'notevault_uploads',
      'notevault_uploads_open',
      'notevault_public_links',
      'notevault_search_pending_requests',
      'notevault_embedding_notes',
    );
    for (const name of gauges) {
      assert.match(lines.get(name) as string, /^\d+$/, name);
    }
    // The search above has built an index.
    assert.ok(Number(lines.get('notevault_search_index_bytes')) > 0);
    // Every line has the format that Prometheus reads.
    for (const line of body.trimEnd().split('\n')) {
      assert.match(line, /^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"\n]*",?)+\})? (-?[\d.e+-]+(Inf)?|Nan))$/);
    }
  });
});
