import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SLICE_MIN } from '@notevault/protocol/upload-limits.ts';
import { KB, MB } from '@notevault/protocol/values/byte-units.ts';
import { builtinPlans } from '../../src/domains/foundation/plans/plans.ts';
import { fileOf, readRaw } from '../kit/content/files.ts';
import { askUpload, createUpload, offsetOf, sendSlice, tus } from '../kit/content/slices.ts';
import { assertConsistent } from '../kit/database/assert-consistent.ts';
import { onEachEngine, rawOf } from '../kit/engines.ts';
import type { Caller } from '../kit/person.ts';
import { startServer, type TestServerOptions } from '../kit/server.ts';

/** Two servers over one database and one blob store, like two processes. */
async function startPair(options: TestServerOptions) {
  const opened = new AsyncDisposableStack();
  const server = opened.use(await startServer(options));
  const { db, blobs, clock, masterKey } = server;
  const twin = opened.use(await startServer({ ...options, open: async () => db, blobs, clock, masterKey }));
  await server.alice.post('/vaults', { name: 'Files' });
  const { key } = (await server.alice.post('/api-keys', { name: 'pair' })).body;
  const pair: readonly [Caller, Caller] = [server.bearer(key), twin.bearer(key)];
  const stored = async () => (await Array.fromAsync(blobs.list())).flat().length;
  return { server, pair, alice: pair[0], stored, [Symbol.asyncDispose]: () => opened.disposeAsync() };
}

const tally = (statuses: readonly number[]) =>
  Object.fromEntries([...new Set(statuses)].sort().map((each) => [each, statuses.filter((s) => s === each).length]));

onEachEngine('slices of one upload on two servers at once', (open) => {
  test('are taken once each, and the others are told where it has come', async () => {
    await using both = await startPair({ open });
    const { alice, pair, server } = both;
    const bytes = fileOf('png', 5 * SLICE_MIN + 3);
    const url = await createUpload(alice, 'a.png', bytes.length);
    for (let at = 0; at < bytes.length; at += SLICE_MIN) {
      const slice = bytes.subarray(at, at + SLICE_MIN);
      const isLast = at + slice.length === bytes.length;
      const sent = Array.from({ length: 8 }, (_, n) => sendSlice(pair[n % 2 === 0 ? 0 : 1], url, at, slice));
      const answers = await Promise.all(sent);
      for (const { status, headers } of answers) {
        if (status === 409) assert.equal(headers.get('upload-offset'), `${at + slice.length}`);
      }
      const statuses = tally(answers.map(({ status }) => status));
      // The last slice of an upload that is done is known again.
      if (isLast) assert.equal((statuses[204] ?? 0) + (statuses[409] ?? 0), 8);
      else assert.deepEqual(statuses, { 204: 1, 409: 7 });
      assert.equal(await offsetOf(pair[1], url), at + slice.length);
    }
    const [{ seq }] = (await alice.get('/attachments')).body.attachments;
    assert.equal(seq, 1);
    assert.ok((await readRaw(alice, 'a.png')).bytes.equals(bytes));
    assert.equal(await both.stored(), 1);
    await assertConsistent(server);
  });

  test('slices of one upload on two servers at once that hold other bytes make a file of whole slices', async () => {
    await using both = await startPair({ open });
    const { alice, pair } = both;
    const files = [fileOf('png', 4 * SLICE_MIN), fileOf('png', 4 * SLICE_MIN)] as const;
    const url = await createUpload(alice, 'a.png', 4 * SLICE_MIN);
    for (let at = 0; at < 4 * SLICE_MIN; at += SLICE_MIN) {
      const slices = files.map((file) => file.subarray(at, at + SLICE_MIN));
      const sent = slices.map((slice, n) => sendSlice(pair[n === 0 ? 0 : 1], url, at, slice));
      assert.deepEqual(tally((await Promise.all(sent)).map(({ status }) => status)), { 204: 1, 409: 1 });
    }
    const { bytes } = await readRaw(alice, 'a.png');
    for (let at = 0; at < bytes.length; at += SLICE_MIN) {
      const slice = bytes.subarray(at, at + SLICE_MIN);
      assert.ok(
        files.some((file) => file.subarray(at, at + SLICE_MIN).equals(slice)),
        `${at}`,
      );
    }
  });

  test('leave nothing when it is ended beside them', async () => {
    await using both = await startPair({ open });
    const { pair, server, stored } = both;
    for (let round = 0; round < 6; round++) {
      const bytes = fileOf('png', 2 * SLICE_MIN);
      const url = await createUpload(pair[0], `${round}.png`, bytes.length);
      await sendSlice(pair[0], url, 0, bytes.subarray(0, SLICE_MIN));
      const [last, ended] = await Promise.all([
        sendSlice(pair[0], url, SLICE_MIN, bytes.subarray(SLICE_MIN)),
        pair[1].delete(url, undefined, tus),
      ]);
      assert.equal(ended.status, 204);
      assert.ok([204, 404, 409].includes(last.status), `${last.status} ${JSON.stringify(last.body)}`);
      const there = (await readRaw(pair[0], `${round}.png`)).status === 200;
      assert.equal(there, last.status === 204);
    }
    server.clock.advance({ hours: 25 });
    await server.app.attachments.collect();
    assert.equal(await stored(), (await pair[0].get('/attachments')).body.attachments.length);
    await assertConsistent(server);
  });
});

onEachEngine('uploads begun on two servers at once', (open) => {
  test('are sixteen of an account, whoever asks first', async () => {
    await using both = await startPair({ open });
    const asked = Array.from({ length: 40 }, (_, at) => askUpload(both.pair[at % 2 === 0 ? 0 : 1], `${at}.png`, 9));
    assert.deepEqual(tally((await Promise.all(asked)).map(({ status }) => status)), { 201: 16, 429: 24 });
  });

  test('reserve no more than the cap, nor take what an upload by PUT needs', async () => {
    const plans = { ...builtinPlans, self_hosted: { ...builtinPlans.self_hosted, attachment_bytes_cap: 1 * MB } };
    await using both = await startPair({ open, config: { plans } });
    const asked = Array.from({ length: 9 }, (_, at) =>
      askUpload(both.pair[at % 2 === 0 ? 0 : 1], `${at}.png`, 300 * KB),
    );
    assert.deepEqual(tally((await Promise.all(asked)).map(({ status }) => status)), { 201: 3, 402: 6 });
    await using raw = await rawOf(both.server.db);
    assert.equal((await raw.all('select id from uploads')).length, 3);
  });
});
