import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fakeFetch, json } from '../../../test/kit/clients/fake-fetch.ts';
import { createSafeFetch } from './public-fetch.ts';
import { FetchError } from './safe-fetch.ts';

const PUBLIC = '93.184.216.34';
const URL = 'https://client.example/oauth.json';

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'none';
  } catch (error) {
    assert.ok(error instanceof FetchError);
    return error.code;
  }
}

test('SafeFetch fetches a document from the very address that was checked', async () => {
  await using fake = await fakeFetch();
  fake.names.set('client.example', [[PUBLIC]]);
  fake.documents.set(URL, json({ client_id: URL }, { 'cache-control': 'max-age=60' }));
  const { status, headers, body } = await fake.fetcher.get(URL);
  assert.deepEqual(
    [status, headers.get('cache-control'), JSON.parse(body.toString())],
    [200, 'max-age=60', { client_id: URL }],
  );
  assert.deepEqual([fake.dialled, fake.requests], [[PUBLIC], [URL]]);
});

test('SafeFetch resolves a name once, so that a later change of its address has no effect', async () => {
  await using fake = await fakeFetch();
  const url = 'https://rebind.example/';
  fake.names.set('rebind.example', [[PUBLIC], ['127.0.0.1']]);
  fake.documents.set(url, json({}));
  await fake.fetcher.get(url);
  assert.deepEqual(fake.dialled, [PUBLIC]);
  assert.equal(await codeOf(fake.fetcher.get(url)), 'not_public');
  assert.deepEqual(fake.dialled, [PUBLIC]);
});

test('SafeFetch never connects to a non-public host, by name, by address, or mixed with public ones', async () => {
  await using fake = await fakeFetch();
  for (const address of [
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '::1',
    '::ffff:127.0.0.1',
    'fd00::1',
    '64:ff9b::a00:1',
  ]) {
    fake.names.set('inside.example', [[address]]);
    assert.equal(await codeOf(fake.fetcher.get('https://inside.example/')), 'not_public', address);
  }
  fake.names.set('mixed.example', [[PUBLIC, '127.0.0.1']]);
  assert.equal(await codeOf(fake.fetcher.get('https://mixed.example/')), 'not_public');
  fake.names.set('empty.example', [[]]);
  assert.equal(await codeOf(fake.fetcher.get('https://empty.example/')), 'not_public');
  const literals = ['127.0.0.1', '[::1]', '2130706433', '0x7f000001', '127.1', '017700000001', '[::ffff:127.0.0.1]'];
  for (const host of literals) assert.equal(await codeOf(fake.fetcher.get(`https://${host}/`)), 'not_public', host);
  assert.deepEqual(fake.dialled, []);
});

test('SafeFetch refuses loopback on the real network as well', async () => {
  for (const url of ['https://localhost:9/', 'https://127.0.0.1:9/', 'https://[::1]:9/']) {
    assert.equal(await codeOf(createSafeFetch().get(url)), 'not_public', url);
  }
});

test('SafeFetch fetches only https URLs without a user', async () => {
  await using fake = await fakeFetch();
  for (const url of [
    'http://client.example/',
    'file:///etc/passwd',
    'https://a:b@client.example/',
    'client.example',
    '',
  ]) {
    assert.equal(await codeOf(fake.fetcher.get(url)), 'not_https', url);
  }
});

test('SafeFetch does not follow redirects', async () => {
  await using fake = await fakeFetch();
  fake.names.set('client.example', [[PUBLIC]]);
  fake.documents.set(URL, (response) => response.writeHead(302, { location: 'https://127.0.0.1/' }).end());
  assert.equal((await fake.fetcher.get(URL)).status, 302);
  assert.deepEqual(fake.dialled, [PUBLIC]);
});

test('SafeFetch accepts documents of at most 64 KB', async () => {
  await using fake = await fakeFetch();
  fake.names.set('client.example', [[PUBLIC]]);
  const of = (bytes: number) => fake.documents.set(URL, (response) => response.end(Buffer.alloc(bytes)));
  of(64 * 1024);
  assert.equal((await fake.fetcher.get(URL)).body.length, 64 * 1024);
  of(64 * 1024 + 1);
  assert.equal(await codeOf(fake.fetcher.get(URL)), 'too_large');
  fake.documents.set(URL, (response) => {
    const more = () => response.write(Buffer.alloc(16 * 1024)) && setImmediate(more);
    response.on('drain', more);
    more();
  });
  assert.equal(await codeOf(fake.fetcher.get(URL)), 'too_large', 'also when it never says how long it is');
});

test('SafeFetch gives up a document that is late, wherever it stalls', async () => {
  await using fake = await fakeFetch(200);
  fake.names.set('client.example', [[PUBLIC]]);
  fake.documents.set(URL, () => undefined);
  assert.equal(await codeOf(fake.fetcher.get(URL)), 'too_slow');
  fake.documents.set(URL, (response) => response.writeHead(200).write('{'));
  assert.equal(await codeOf(fake.fetcher.get(URL)), 'too_slow');
  const silent = createSafeFetch({ ...fake.network, resolve: () => new Promise(() => undefined) }, 50);
  assert.equal(await codeOf(silent.get(URL)), 'too_slow');
});

test('SafeFetch refuses a certificate for another name', async () => {
  await using fake = await fakeFetch();
  fake.names.set('other.example', [[PUBLIC]]);
  assert.equal(await codeOf(fake.fetcher.get('https://other.example/')), 'unreachable');
  assert.deepEqual(fake.requests, []);
  const { ca: _, ...untrusting } = fake.network;
  fake.names.set('client.example', [[PUBLIC]]);
  assert.equal(await codeOf(createSafeFetch(untrusting).get(URL)), 'unreachable', 'nor one that nobody signed');
});

test('SafeFetch bounds the number of concurrent fetches', async () => {
  await using fake = await fakeFetch(300);
  fake.names.set('client.example', [[PUBLIC]]);
  fake.documents.set(URL, () => undefined);
  const codes = await Promise.all(Array.from({ length: 17 }, () => codeOf(fake.fetcher.get(URL))));
  assert.deepEqual(codes.sort(), ['overloaded', ...Array(16).fill('too_slow')]);
});
