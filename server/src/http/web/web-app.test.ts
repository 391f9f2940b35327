import assert from 'node:assert/strict';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { onSqlite } from '../../../test/kit/engines.ts';
import { Folder } from '../../../test/kit/programs/process.ts';
import { startServer, type TestServer } from '../../../test/kit/server.ts';
import { findWebApp } from './web-app.ts';

const PAGE = '<!doctype html><title>Notevault</title><script type="module" src="/assets/index-1.js"></script>';
const SCRIPT = 'document.title = "Notevault";'.repeat(40);
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' blob: data:; " +
  "media-src 'self' blob:; connect-src 'self'; font-src 'self'; worker-src 'self'; manifest-src 'self'; " +
  "frame-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'; " +
  "require-trusted-types-for 'script'; trusted-types notevault-worker dompurify";

interface Served extends AsyncDisposable {
  readonly server: TestServer;
  /** Folder of the app. */
  readonly folder: Folder;
  get(path: string, headers?: Record<string, string>, method?: string): Promise<Answer>;
}

interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

/** Sends a request with exactly these headers; `fetch` would add its own. */
function ask(url: string, method: string, headers: Record<string, string>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    request(url, { method, headers }, (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces) }),
      );
    })
      .on('error', reject)
      .end();
  });
}

async function serveApp(open: Parameters<typeof startServer>[0]['open']): Promise<Served> {
  const folder = new Folder();
  await mkdir(folder.at('assets'));
  await mkdir(folder.at('frames'));
  await writeFile(folder.at('index.html'), PAGE);
  await writeFile(folder.at('index.html.gz'), gzipSync(PAGE));
  await writeFile(folder.at('assets/index-1.js'), SCRIPT);
  await writeFile(folder.at('assets/index-1.js.br'), brotliCompressSync(SCRIPT));
  await writeFile(folder.at('assets/index-1.js.gz'), gzipSync(SCRIPT));
  await writeFile(folder.at('frames/diagram.html'), '<!doctype html>');
  await writeFile(folder.at('frames/image.html'), '<!doctype html>');
  await writeFile(folder.at('build.stamp'), 'not a page');
  const webApp = await findWebApp(folder.path);
  assert.ok(webApp);
  const server = await startServer({ open, webApp });
  return {
    server,
    folder,
    get: (path, headers = {}, method = 'GET') => ask(server.url + path, method, headers),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    },
  };
}

const HTML = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

onSqlite('the web app', (open) => {
  test('is served as one page at the root, below /vaults, and at the addresses of its other pages', async () => {
    await using app = await serveApp(open);
    for (const path of ['/', '/?reset=x', '/invite', '/vaults/', '/vaults/a/notes/b', '/settings/profile', '/admin']) {
      const { status, headers, body } = await app.get(path, HTML);
      assert.deepEqual(
        [status, headers['content-type'], body.toString()],
        [200, 'text/html; charset=utf-8', PAGE],
        path,
      );
    }
  });

  test('is served to clients that accept anything, say nothing, or ask for the head only', async () => {
    await using app = await serveApp(open);
    for (const path of ['/', '/index.html', '/vaults/a/', '/settings/', '/admin/']) {
      for (const headers of [{ accept: '*/*' }, { accept: 'text/*;q=0.1, application/json' }, {}, HTML]) {
        assert.equal((await app.get(path, headers)).body.toString(), PAGE, path);
        const head = await app.get(path, headers, 'HEAD');
        assert.deepEqual([head.status, head.body.length], [200, 0], path);
        assert.equal(head.headers['content-type'], 'text/html; charset=utf-8');
      }
    }
  });

  test('answers pages with the content security policy, and must be checked for a newer one', async () => {
    await using app = await serveApp(open);
    const { headers } = await app.get('/', HTML);
    assert.equal(headers['content-security-policy'], POLICY);
    assert.equal(headers['cache-control'], 'no-cache');
    assert.equal(headers['x-content-type-options'], 'nosniff');
    assert.equal(headers['cross-origin-opener-policy'], 'same-origin');
    assert.equal(headers['referrer-policy'], 'same-origin');
    assert.match(String(headers['permissions-policy']), /camera=\(\), .*microphone=\(\)/);
    assert.equal(headers['access-control-allow-origin'], undefined);
    const again = await app.get('/', { ...HTML, 'if-none-match': String(headers.etag) });
    assert.deepEqual([again.status, again.body.length], [304, 0]);
  });

  test('answers 404 as JSON to programs, to other addresses, and to other methods', async () => {
    await using app = await serveApp(open);
    const all: [string, Record<string, string>, string?][] = [
      ['/', { accept: 'application/json' }],
      ['/', { accept: 'text/html;q=0, */*' }],
      ['/vaults/a', { accept: 'application/json' }],
      ['/nowhere', HTML],
      ['/vaultsx', HTML],
      ['/build.stamp', HTML],
      ['/assets/', HTML],
      ['/assets/nothing.js', {}],
      ['/assets/..%2findex.html', HTML],
      ['/api/nowhere', HTML],
      ['/vaults/a', HTML, 'POST'],
    ];
    for (const [path, headers, method] of all) {
      const answer = await app.get(path, headers, method);
      assert.deepEqual([answer.status, JSON.parse(answer.body.toString())], [404, { error: 'not_found' }], path);
    }
  });

  test('answers HEAD like GET, without the body', async () => {
    await using app = await serveApp(open);
    const { status, headers, body } = await app.get('/', HTML, 'HEAD');
    assert.deepEqual([status, headers['content-type'], body.length], [200, 'text/html; charset=utf-8', 0]);
  });

  test('sends its scripts in the coding that the client prefers, and lets them be cached for ever', async () => {
    await using app = await serveApp(open);
    const path = '/assets/index-1.js';
    const coded = async (accepted: string) => {
      const { headers, body } = await app.get(path, { 'accept-encoding': accepted });
      return { coding: headers['content-encoding'], body };
    };
    const br = await coded('gzip, deflate, br');
    assert.deepEqual([br.coding, brotliDecompressSync(br.body).toString()], ['br', SCRIPT]);
    const gzip = await coded('gzip, br;q=0');
    assert.deepEqual([gzip.coding, gunzipSync(gzip.body).toString()], ['gzip', SCRIPT]);
    const plain = await app.get(path);
    assert.deepEqual([plain.headers['content-encoding'], plain.body.toString()], [undefined, SCRIPT]);
    assert.equal(plain.headers['content-type'], 'text/javascript; charset=utf-8');
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(plain.headers.vary, 'accept-encoding');
    assert.equal((await app.get(path, { 'if-none-match': String(plain.headers.etag) })).status, 304);
  });

  test('has frames for foreign text, which browsers open without the origin of the app', async () => {
    await using app = await serveApp(open);
    const { status, headers } = await app.get('/frames/diagram.html');
    assert.equal(status, 200);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /; sandbox allow-scripts$/);
    assert.match(policy, /frame-ancestors 'self'/);
    assert.doesNotMatch(policy, /connect-src|allow-same-origin|https:/);
  });

  test('lets only the frame of an image load images of other servers', async () => {
    await using app = await serveApp(open);
    const policy = String((await app.get('/frames/image.html')).headers['content-security-policy']);
    assert.match(policy, /; img-src https: http:;.*; sandbox allow-scripts$/);
    assert.doesNotMatch(policy, /connect-src|allow-same-origin/);
  });
});

onSqlite('a web app that is built anew', (open) => {
  test('is served with its new files once the build is complete, without a restart', async () => {
    await using app = await serveApp(open);
    const html = { accept: 'text/html' };
    const before = await app.get('/', html);
    const next = PAGE.replaceAll('index-1', 'index-22');
    await rm(app.folder.at('assets/index-1.js'));
    await writeFile(app.folder.at('assets/index-22.js'), SCRIPT);
    await rm(app.folder.at('index.html.gz'));
    await writeFile(app.folder.at('index.html'), next);
    await writeFile(app.folder.at('frames/image.html'), '<!doctype html><p>');
    await rm(app.folder.at('build.stamp'));
    assert.equal((await app.get('/', html)).headers.etag, before.headers.etag, 'the build is not complete');
    await writeFile(app.folder.at('build.stamp'), 'the next one');
    assert.equal((await app.get('/assets/index-22.js')).status, 200);
    const after = await app.get('/', { ...html, 'if-none-match': String(before.headers.etag) });
    assert.deepEqual([after.status, String(after.body)], [200, next]);
    assert.equal((await app.get('/assets/index-1.js')).status, 404);
    assert.equal(String((await app.get('/frames/image.html')).body), '<!doctype html><p>');
    assert.equal((await app.get('/', { ...html, 'if-none-match': String(after.headers.etag) })).status, 304);
  });
});

test('findWebApp does not read files with a hash in their names', async () => {
  using folder = new Folder();
  await writeFile(folder.at('index.html'), PAGE);
  // A folder cannot be read as a file.
  await mkdir(folder.at('assets/index-1.js'), { recursive: true });
  const found = await findWebApp(folder.path);
  assert.deepEqual(
    [...(found?.build.files.values() ?? [])].map(({ etag }) => etag),
    ['W/"index-1.js"'],
  );
});

test('findWebApp returns null for a folder without a build', async () => {
  assert.equal(await findWebApp(join(tmpdir(), 'notevault-no-such-folder')), null);
});
