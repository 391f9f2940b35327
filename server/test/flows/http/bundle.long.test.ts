import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertCatalogued, assertHeaders, exchange } from '../../kit/clients/raw-http.ts';
import { assertRequestsRefused } from '../../kit/clients/refused-requests.ts';
import { freshPostgres, whyNoPostgres } from '../../kit/database/postgres.ts';
import { NEEDS } from '../../kit/operation-variants.ts';
import { knownOperations, makeWorld } from '../../kit/operations.ts';
import { Caller, Person } from '../../kit/person.ts';
import { BUNDLED, Folder, type ServeProcess, startServe } from '../../kit/programs/process.ts';

// A bundler removes and reorders code. So the program that is shipped is asked everything too, not only its sources.
const root = join(import.meta.dirname, '../../../..');
before(() => execFileSync(process.execPath, [join(root, 'tools/build.ts')], { cwd: root, stdio: 'pipe' }));

describe('the bundled server on sqlite', () => defineBundled(async () => ({})));
describe('the bundled server on postgres', { skip: whyNoPostgres() ?? false }, () =>
  defineBundled(async (opened) => ({ NOTEVAULT_DATABASE_URL: opened.use(await freshPostgres()).url })),
);

function defineBundled(databaseOf: (opened: AsyncDisposableStack) => Promise<Record<string, string>>): void {
  const opened = new AsyncDisposableStack();
  let server: ServeProcess & { readonly url: string };
  let alice: Person;

  before(async () => {
    const env = { NOTEVAULT_DATA_DIR: opened.use(new Folder()).path, ...(await databaseOf(opened)) };
    server = opened.use(await startServe({ env, main: BUNDLED }));
    alice = new Person(server.url, 'alice', async () => undefined);
    await alice.signed();
  });
  after(() => opened.disposeAsync());

  it('the bundled server answers every operation as its rule says, and HEAD as GET', async (t) => {
    const anyone = new Caller(server.url);
    for (const { name, method, rule, answers, request } of await knownOperations(anyone)) {
      await t.test(name, async () => {
        const owner = new Person(server.url, name.toLowerCase(), async () => undefined);
        const world = await makeWorld(owner, name, NEEDS);
        const caller = rule.who === 'anyone' ? anyone : rule.who === 'admin' ? alice : owner;
        const { url, body, headers = {} } = request(world);
        const answer = await caller.call(method, url, body, headers);
        assert.equal(answer.status, answers, JSON.stringify(answer.body));
        if (method !== 'GET') return;
        const head = await caller.call('HEAD', url, undefined, headers);
        assert.deepEqual([head.status, head.bytes.length], [answers, 0]);
        if (rule.who === 'anyone') return;
        const { status, body: refused } = await anyone.call(method, url, undefined, headers);
        assert.deepEqual([status, refused.error], [401, 'unauthorized']);
      });
    }
  });

  it('the bundled server refuses requests that no client library sends, and methods that a path has not', async () => {
    await assertRequestsRefused(server.url);
    for (const path of ['/api/notes', '/api/notes/a.md', '/api/health', '/healthz', '/oauth/token', '/link']) {
      const answer = await exchange(server.url, `PROPFIND ${path} HTTP/1.1\r\nhost: a\r\n\r\n`);
      assertCatalogued(answer, 405, 'method_not_allowed', path);
      assert.notEqual(answer?.headers.get('allow') ?? '', '', path);
    }
  });

  it('the bundled server reads paths by segment, and refuses those that are not percent-encoded itself', async () => {
    await alice.post('/vaults', { name: 'Paths' });
    assert.equal((await alice.post('/notes', { path: 'a b/ü.md', content: 'x', mtime: 1 })).status, 200);
    for (const path of ['a%20b/%C3%BC.md', 'a%20b%2F%c3%bc.md', 'a%20b/%C3%BC%2Emd'])
      assert.equal((await alice.get(`/notes/${path}`)).body.path, 'a b/ü.md', path);
    const authorization = `authorization: Bearer ${(await alice.signed()).accessToken}`;
    for (const path of ['notes/100%.md', 'notes/%ff.md', 'notes/%c3%28.md', 'attachments/100%.png']) {
      const answer = await exchange(server.url, `GET /api/${path} HTTP/1.1\r\nhost: a\r\n${authorization}\r\n\r\n`);
      assert.deepEqual([answer?.status, Object.keys(JSON.parse(answer?.body ?? '').errors)], [422, ['path']], path);
      assertHeaders(answer ?? assert.fail(), path);
    }
  });

  it('the bundled server answers ranges of attachments, also those that it cannot satisfy', async () => {
    await alice.post('/vaults', { name: 'Ranges' });
    await alice.put('/attachments/a.txt', 'some text', { 'content-type': 'text/plain' });
    for (const [range, status, says, text] of [
      ['bytes=0-3', 206, 'bytes 0-3/9', 'some'],
      ['bytes=-4', 206, 'bytes 5-8/9', 'text'],
      ['bytes=9-', 416, 'bytes */9', null],
    ] as const) {
      const answer = await alice.get('/attachments/a.txt', { range, accept: 'text/plain' });
      assert.deepEqual([answer.status, answer.headers.get('content-range')], [status, says]);
      if (text !== null) assert.equal(answer.bytes.toString(), text);
    }
  });

  it('the bundled server gives out the web app with its scripts', async () => {
    const page = await fetch(server.url);
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
    const [, script = ''] = /<script[^>]* src="([^"]+)"/.exec(await page.text()) ?? [];
    const answer = await fetch(new URL(script, server.url));
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type') ?? '', /^text\/javascript/);
    await answer.body?.cancel();
  });
}
