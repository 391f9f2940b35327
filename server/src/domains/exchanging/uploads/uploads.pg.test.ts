import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { PART_BYTES, SLICE_MIN } from '@notevault/protocol/upload-limits.ts';
import { GB, KB, MB } from '@notevault/protocol/values/byte-units.ts';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import { OAuthApp } from '../../../../test/kit/clients/oauth-app.ts';
import { fileOf, readRaw, sha256, uploadRaw } from '../../../../test/kit/content/files.ts';
import {
  askUpload,
  checksumOf,
  createUpload,
  metadataOf,
  offsetOf,
  sendSlice,
  tus,
} from '../../../../test/kit/content/slices.ts';
import { assertConsistent } from '../../../../test/kit/database/assert-consistent.ts';
import { onEachEngine, rawOf } from '../../../../test/kit/engines.ts';
import { linkDevice } from '../../../../test/kit/operations.ts';
import type { Caller } from '../../../../test/kit/person.ts';
import { startServer, type TestServer } from '../../../../test/kit/server.ts';
import { tokenOf } from '../../../../test/kit/shared-vault.ts';
import { builtinPlans, type Plan } from '../../foundation/plans/plans.ts';

/** How many blobs are stored. */
const stored = async ({ blobs }: TestServer) => (await Array.fromAsync(blobs.list())).flat().length;

/** A server whose first account has a vault. */
async function start(options: Parameters<typeof startServer>[0]): Promise<TestServer> {
  const server = await startServer(options);
  assert.equal((await server.alice.post('/vaults', { name: 'Home' })).status, 201);
  return server;
}

async function keyOf({ alice, bearer }: TestServer, reach: object): Promise<Caller & { id: string }> {
  const { key, id } = (await alice.post('/api-keys', { name: 'key', ...reach })).body;
  return Object.assign(bearer(key), { id });
}

onEachEngine('an upload in slices', (open) => {
  test('becomes one attachment with the last of them, as PUT makes it', async () => {
    await using server = await start({ open });
    const { alice } = server;
    const bytes = fileOf('png', 3 * SLICE_MIN + 17);
    const url = await createUpload(alice, 'img/a.png', bytes.length, { mtime: '12.5' });
    for (let at = 0; at < bytes.length; at += SLICE_MIN) {
      assert.equal(await offsetOf(alice, url), at);
      assert.equal((await readRaw(alice, 'img/a.png')).status, 404);
      const slice = bytes.subarray(at, at + SLICE_MIN);
      const { status, headers } = await sendSlice(alice, url, at, slice, at === SLICE_MIN ? checksumOf(slice) : {});
      assert.deepEqual([status, headers.get('upload-offset')], [204, `${at + slice.length}`]);
      assert.equal(headers.get('tus-resumable'), '1.0.0');
    }
    const { body } = await alice.get(url, tus);
    assert.deepEqual([body.length, body.offset, body.path], [bytes.length, bytes.length, 'img/a.png']);
    const [listed] = (await alice.get('/attachments')).body.attachments;
    assert.deepEqual(body.attachment, listed);
    assert.deepEqual([listed.content_hash, listed.mtime, listed.mime_type], [sha256(bytes), 12.5, 'image/png']);
    assert.ok((await readRaw(alice, 'img/a.png')).bytes.equals(bytes));
    assert.equal(await stored(server), 1);
    await assertConsistent(server);
  });

  test('cuts long ones into parts of its own, none of them short, also without a length', async () => {
    await using server = await start({ open });
    const { alice } = server;
    const bytes = fileOf('png', 2 * PART_BYTES + 3 * SLICE_MIN);
    const url = await createUpload(alice, 'a.png', bytes.length);
    const first = bytes.subarray(0, PART_BYTES + 1000);
    assert.equal((await sendSlice(alice, url, 0, first)).status, 204);
    await using raw = await rawOf(server.db);
    const sizes = await raw.all('select size_bytes from upload_parts order by from_byte');
    assert.deepEqual(
      sizes.map((row) => Number(row.size_bytes)),
      [PART_BYTES + 1000 - SLICE_MIN, SLICE_MIN],
    );
    // A body of unknown length whose end is too short for a part: that end is to be sent again.
    const rest = bytes.subarray(first.length, first.length + SLICE_MIN + 5 + PART_BYTES - SLICE_MIN);
    const answer = await chunked(server, url, first.length, rest);
    assert.deepEqual(answer, [204, `${first.length + PART_BYTES}`]);
    assert.equal(
      (await sendSlice(alice, url, first.length + PART_BYTES, bytes.subarray(first.length + PART_BYTES))).status,
      204,
    );
    assert.ok((await readRaw(alice, 'a.png')).bytes.equals(bytes));
  });

  test('keeps what had arrived when the connection breaks, but nothing of a checked slice', async () => {
    await using server = await start({ open });
    const { alice } = server;
    const bytes = fileOf('png', 4 * SLICE_MIN);
    const url = await createUpload(alice, 'a.png', bytes.length);
    const checksum = Buffer.from(sha256(bytes), 'hex');
    await assert.rejects(cutOff(server, url, bytes.subarray(0, SLICE_MIN - 1), null), BROKEN);
    await assert.rejects(cutOff(server, url, bytes.subarray(0, 2 * SLICE_MIN), checksum), BROKEN);
    assert.deepEqual([await offsetOf(alice, url), await stored(server)], [0, 0]);
    await assert.rejects(cutOff(server, url, bytes.subarray(0, 2 * SLICE_MIN + 1), null), BROKEN);
    assert.deepEqual([await offsetOf(alice, url), await stored(server)], [2 * SLICE_MIN + 1, 1]);
    assert.equal((await sendSlice(alice, url, 2 * SLICE_MIN + 1, bytes.subarray(2 * SLICE_MIN + 1))).status, 204);
    assert.ok((await readRaw(alice, 'a.png')).bytes.equals(bytes));
    assert.equal(await stored(server), 1);
  });

  test('refuses a wrong checksum, a wrong place, a short slice, too many bytes, and other media', async () => {
    await using server = await start({ open });
    const { alice } = server;
    const bytes = fileOf('png', 2 * SLICE_MIN);
    const half = bytes.subarray(0, SLICE_MIN);
    const url = await createUpload(alice, 'a.png', bytes.length);
    const refusals: [Awaited<ReturnType<typeof sendSlice>>, number, string | undefined][] = [
      [await sendSlice(alice, url, 0, half, checksumOf(bytes)), 460, 'checksum_mismatch'],
      [await sendSlice(alice, url, 0, bytes, checksumOf(half)), 460, 'checksum_mismatch'],
      [await sendSlice(alice, url, 0, half, { 'upload-checksum': 'md5 AAAA' }), 400, 'checksum_algorithm'],
      [await sendSlice(alice, url, 0, half, { 'upload-checksum': 'sha256 AAAA' }), 400, 'checksum_algorithm'],
      [await sendSlice(alice, url, 1, half), 409, 'upload_offset'],
      [await sendSlice(alice, url, 0, half.subarray(1)), 400, 'slice_too_short'],
      [await sendSlice(alice, url, 0, Buffer.concat([bytes, Buffer.alloc(1)])), 413, 'body_too_large'],
      [
        await sendSlice(alice, url, 0, half, { 'content-type': 'application/octet-stream' }),
        415,
        'unsupported_media_type',
      ],
      [await sendSlice(alice, url, 0, half, { 'upload-offset': '-1' }), 422, undefined],
      [await sendSlice(alice, url, 0, half, { 'tus-resumable': '0.2.2' }), 412, 'tus_version'],
    ];
    for (const [{ status, body, headers }, wanted, error] of refusals) {
      assert.deepEqual([status, body.error, headers.get('tus-version')], [wanted, error, '1.0.0']);
      if (error === 'upload_offset') assert.deepEqual([headers.get('upload-offset'), body.upload_offset], ['0', 0]);
    }
    assert.deepEqual([await offsetOf(alice, url), await stored(server)], [0, 0]);
    assert.deepEqual((await chunked(server, url, 0, Buffer.concat([bytes, Buffer.alloc(1)])))[0], 413);
    assert.deepEqual([await offsetOf(alice, url), await stored(server)], [0, 0]);
    assert.equal((await sendSlice(alice, url, 0, bytes, checksumOf(bytes))).status, 204);
  });

  test('an upload in slices refused at its end answers 412 with the conflict of a PUT, and 410 afterwards', async () => {
    await using server = await start({ open });
    const { alice } = server;
    const [old, new_, other] = [fileOf('png'), fileOf('png'), fileOf('png')];
    await uploadRaw(alice, 'a.png', old);
    const url = await createUpload(alice, 'a.png', new_.length, { if_match: sha256(old) });
    const making = await createUpload(alice, 'b.png', new_.length, { if_none_match: '*' });
    const program = fileOf('exe');
    const programUrl = await createUpload(alice, 'c.png', program.length);
    await uploadRaw(alice, 'a.png', other);
    await uploadRaw(alice, 'b.png', other);
    const put = await uploadRaw(alice, 'a.png', new_, { 'if-match': `"${sha256(old)}"` });
    for (const each of [url, making]) {
      const { status, body } = await sendSlice(alice, each, 0, new_);
      assert.deepEqual([status, body.error, body.conflict], [412, 'version_conflict', true]);
      assert.deepEqual(Object.keys(body), Object.keys(put.body));
      assert.equal(body.server_attachment.content_hash, sha256(other));
    }
    const refused = await sendSlice(alice, programUrl, 0, program);
    assert.deepEqual([refused.status, refused.body.error], [412, 'mime_not_allowed']);
    for (const each of [url, making, programUrl]) {
      assert.equal((await sendSlice(alice, each, 0, new_)).status, 410);
      assert.equal((await alice.call('HEAD', each, undefined, tus)).status, 410);
      assert.equal((await alice.delete(each, undefined, tus)).status, 204);
      assert.equal((await alice.get(each, tus)).status, 404);
    }
    assert.equal((await alice.get('/attachments')).body.attachments.length, 2);
    server.clock.advance({ minutes: 11 });
    await server.app.attachments.collect();
    assert.equal(await stored(server), 1);
  });

  test('is refused at its beginning for what PUT refuses whatever the bytes', async () => {
    await using server = await start({ open });
    const { alice } = server;
    await uploadRaw(alice, 'a.png', fileOf('png'));
    await alice.post('/notes', { path: 'n.md', content: '', mtime: 1 });
    const asked: [Awaited<ReturnType<typeof askUpload>>, number, string | undefined][] = [
      [await askUpload(alice, 'a.png', 9, { if_match: 'other' }), 409, 'version_conflict'],
      [await askUpload(alice, 'a.png', 9, { if_none_match: '*' }), 409, 'version_conflict'],
      [await askUpload(alice, 'a.exe', 9), 415, 'extension_not_allowed'],
      [await askUpload(alice, 'a.png/b.png', 9), 409, 'conflict'],
      [await askUpload(alice, 'b.png', 500 * MB + 1), 413, 'file_too_large'],
      [await askUpload(alice, '../b.png', 9), 422, undefined],
      [await askUpload(alice, 'b.png', 9, { mtime: 'now' }), 422, undefined],
      [await askUpload(alice, 'b.png', 9, {}, { 'upload-metadata': '' }), 422, undefined],
      [await askUpload(alice, 'b.png', 9, {}, { 'upload-metadata': 'path !' }), 422, undefined],
      [await askUpload(alice, 'b.png', 9, {}, { 'upload-length': '1e3' }), 422, undefined],
      [await askUpload(alice, 'b.png', 9, {}, { 'tus-resumable': '' }), 412, 'tus_version'],
    ];
    for (const [{ status, body }, wanted, error] of asked) assert.deepEqual([status, body.error], [wanted, error]);
    await using raw = await rawOf(server.db);
    assert.deepEqual(await raw.all('select id from uploads'), []);
  });

  test('an upload in slices of an empty file is done at its beginning', async () => {
    await using server = await start({ open });
    const { alice } = server;
    const { status, body, headers } = await askUpload(alice, 'empty.txt', 0);
    assert.deepEqual([status, body.upload.attachment.size_bytes], [201, 0]);
    const url = (headers.get('location') ?? '').slice('/api'.length);
    assert.equal(await offsetOf(alice, url), 0);
    assert.equal((await sendSlice(alice, url, 0, Buffer.alloc(0))).status, 204);
    assert.equal((await readRaw(alice, 'empty.txt')).status, 200);
  });

  test('an upload in slices that is done is known for a day, and its last slice may be sent again', async () => {
    await using server = await start({ open });
    const caller = await keyOf(server, {});
    const bytes = fileOf('png', SLICE_MIN + 10);
    const url = await createUpload(caller, 'a.png', bytes.length);
    await sendSlice(caller, url, 0, bytes.subarray(0, SLICE_MIN));
    server.clock.advance({ hours: 23 });
    const last = bytes.subarray(SLICE_MIN);
    assert.equal((await sendSlice(caller, url, SLICE_MIN, last)).status, 204);
    server.clock.advance({ hours: 23 });
    await server.app.uploads.sweep();
    for (const [at, sent] of [
      [SLICE_MIN, last],
      [bytes.length, Buffer.alloc(0)],
    ] as const) {
      const { status, headers } = await sendSlice(caller, url, at, sent);
      assert.deepEqual([status, headers.get('upload-offset')], [204, `${bytes.length}`]);
    }
    const others: [number, Buffer][] = [
      [SLICE_MIN, Buffer.alloc(10)],
      [SLICE_MIN, last.subarray(1)],
      [0, bytes],
    ];
    for (const [at, sent] of others) {
      const { status, headers } = await sendSlice(caller, url, at, sent);
      assert.deepEqual([status, headers.get('upload-offset')], [409, `${bytes.length}`]);
    }
    assert.equal((await caller.get('/attachments')).body.attachments[0].seq, 1);
    server.clock.advance({ hours: 2 });
    assert.equal((await caller.get(url, tus)).status, 410);
    await server.app.uploads.sweep();
    assert.equal((await caller.get(url, tus)).status, 404);
  });

  test('an upload in slices that nobody ends is gone after a day with its bytes', async () => {
    await using server = await start({ open });
    const caller = await keyOf(server, {});
    const url = await createUpload(caller, 'a.png', 3 * SLICE_MIN);
    server.clock.advance({ hours: 12 });
    assert.equal((await sendSlice(caller, url, 0, fileOf('png', SLICE_MIN))).status, 204);
    await server.app.uploads.sweep();
    await server.app.attachments.collect();
    assert.equal(await stored(server), 1);
    server.clock.advance({ hours: 12 });
    assert.equal((await sendSlice(caller, url, SLICE_MIN, fileOf('png', SLICE_MIN))).status, 410);
    await server.app.uploads.sweep();
    assert.equal(await stored(server), 0);
    const ended = await createUpload(caller, 'a.png', 3 * SLICE_MIN);
    await sendSlice(caller, ended, 0, fileOf('png', SLICE_MIN));
    assert.equal((await caller.delete(ended, undefined, tus)).status, 204);
    assert.deepEqual([(await caller.get(ended, tus)).status, await stored(server)], [404, 0]);
    await assertConsistent(server);
  });

  test('belongs to its account, credential and vault, with the access that they have now', async () => {
    await using server = await start({ open });
    const { alice, bob, anyone } = server;
    const { vault } = (await alice.post('/vaults', { name: 'Files' })).body;
    const { vault: elsewhere } = (await alice.post('/vaults', { name: 'Other' })).body;
    const of = { 'x-vault-id': vault.id };
    const maker = await keyOf(server, {});
    const bytes = fileOf('png', 2 * SLICE_MIN);
    const url = await createUpload(maker, 'a.png', bytes.length, {}, of);
    const reader = await keyOf(server, { default_access: 'read' });
    const sibling = await keyOf(server, {});
    const device = server.bearer((await linkDevice(alice, vault.id)).access);
    const application = server.bearer((await (await OAuthApp.register(server)).connect()).access_token);
    assert.equal((await askUpload(reader, 'b.png', 9, {}, of)).status, 403);
    for (const [stranger, status] of [
      [bob, 404],
      [device, 404],
      [application, 404],
      [alice, 404],
      [reader, 404],
      [sibling, 404],
      [anyone, 401],
    ] as const) {
      const answers = [
        await stranger.get(url, tus),
        await sendSlice(stranger, url, 0, bytes),
        await stranger.delete(url, undefined, tus),
      ];
      for (const answer of answers) assert.equal(answer.status, status);
      if (status === 404) assert.equal(answers[0]?.body.error, 'not_found');
    }
    const foreign = { 'x-vault-id': elsewhere.id };
    assert.equal((await sendSlice(maker, url, 0, bytes, foreign)).status, 404);
    assert.equal((await sendSlice(maker, url, 0, bytes.subarray(0, SLICE_MIN))).status, 204);
    assert.equal(await offsetOf(maker, url, of), SLICE_MIN);
    await alice.delete(`/api-keys/${maker.id}`);
    assert.equal((await sendSlice(maker, url, SLICE_MIN, bytes.subarray(SLICE_MIN))).status, 401);
    const own = await createUpload(alice, 'c.png', 9, {}, of);
    await alice.delete(`/vaults/${vault.id}`);
    assert.equal((await alice.get(own, tus)).status, 404);
    await alice.post(`/vaults/${vault.id}/purge`, {});
    await server.app.vaults.purgeDue(server.clock.now());
    await using raw = await rawOf(server.db);
    assert.deepEqual(await raw.all('select id from uploads'), []);
    assert.equal(await stored(server), 0);
  });

  test('goes on with a device whose token was refreshed, as with the one before', async () => {
    await using server = await start({ open });
    const { alice, anyone, bearer } = server;
    const [{ id: vault }] = (await alice.get('/vaults')).body.vaults;
    const { access, refresh } = await linkDevice(alice, vault);
    const bytes = fileOf('png', 2 * SLICE_MIN);
    const url = await createUpload(bearer(access), 'a.png', bytes.length);
    await sendSlice(bearer(access), url, 0, bytes.subarray(0, SLICE_MIN));
    const { access_token } = (await anyone.post('/auth/token/refresh', { refresh_token: refresh })).body;
    assert.equal((await sendSlice(bearer(access_token), url, SLICE_MIN, bytes.subarray(SLICE_MIN))).status, 204);
    assert.ok((await readRaw(alice, 'a.png')).bytes.equals(bytes));
  });

  test('ends with the membership of whoever began it, and waits for a role that was lowered', async () => {
    await using server = await start({ open });
    const { alice, bob } = server;
    const [{ id: vault }] = (await alice.get('/vaults')).body.vaults;
    const { id: member } = (await bob.get('/me')).body.user;
    const { url: link } = (await alice.post(`/vaults/${vault}/invitations`, { role: 'editor' })).body;
    await bob.post(`/invitations/${tokenOf(link)}/accept`);
    const of = { 'x-vault-id': vault };
    const bytes = fileOf('png', 2 * SLICE_MIN);
    const url = await createUpload(bob, 'a.png', bytes.length, {}, of);
    assert.equal((await sendSlice(bob, url, 0, bytes.subarray(0, SLICE_MIN))).status, 204);
    await alice.patch(`/vaults/${vault}/members/${member}`, { role: 'viewer' });
    assert.equal((await sendSlice(bob, url, SLICE_MIN, bytes.subarray(SLICE_MIN))).status, 403);
    await alice.patch(`/vaults/${vault}/members/${member}`, { role: 'editor' });
    assert.equal(await offsetOf(bob, url), SLICE_MIN);
    await alice.delete(`/vaults/${vault}/members/${member}`);
    assert.equal((await sendSlice(bob, url, SLICE_MIN, bytes.subarray(SLICE_MIN))).status, 404);
    const { url: again } = (await alice.post(`/vaults/${vault}/invitations`, { role: 'editor' })).body;
    await bob.post(`/invitations/${tokenOf(again)}/accept`);
    assert.equal((await bob.get(url, tus)).status, 404);
  });

  test('counts among sixteen of an account and ten GB without a cap, but not once its credential has ended', async () => {
    const plans = planWith({ max_file_bytes: null });
    await using server = await start({ open, config: { plans } });
    const caller = await keyOf(server, {});
    const { status, body } = await askUpload(caller, 'x.png', 10 * GB + 1);
    assert.deepEqual([status, body.error, body.max], [413, 'body_too_large', 10 * GB]);
    const whole = await createUpload(caller, 'all.png', 10 * GB);
    assert.equal((await askUpload(caller, 'b.png', 1)).status, 429);
    await caller.delete(whole, undefined, tus);
    for (let at = 0; at < 16; at++) await createUpload(caller, `${at}.png`, 9);
    const beyond = await askUpload(server.alice, 'b.png', 9);
    assert.deepEqual([beyond.status, beyond.body.error, beyond.body.max], [429, 'too_many_uploads', 16]);
    assert.equal((await askUpload(server.bob, 'b.png', 9)).status, 404, 'bob has no vault');
    await server.alice.delete(`/api-keys/${caller.id}`);
    await createUpload(server.alice, 'b.png', 9);
    await using raw = await rawOf(server.db);
    assert.equal((await raw.all('select id from uploads')).length, 1);
  });

  test('reserves its length: no other takes the room, and its own end has it', async () => {
    const plans = planWith({ attachment_bytes_cap: 1 * MB });
    await using server = await start({ open, config: { plans } });
    const { alice } = server;
    const bytes = fileOf('png', 700 * KB);
    const url = await createUpload(alice, 'a.png', bytes.length);
    const refused = [
      await uploadRaw(alice, 'b.png', fileOf('png', 400 * KB)),
      await askUpload(alice, 'b.png', 400 * KB),
    ];
    for (const { status, body } of refused)
      assert.deepEqual([status, body.reason], [402, 'attachments_quota_exceeded']);
    assert.equal((await uploadRaw(alice, 'b.png', fileOf('png', 300 * KB))).status, 200);
    assert.equal((await sendSlice(alice, url, 0, bytes)).status, 204);
    assert.equal((await askUpload(alice, 'c.png', 400 * KB)).status, 402);
    const replacing = await createUpload(alice, 'a.png', bytes.length);
    await alice.delete(replacing, undefined, tus);
    assert.equal((await askUpload(alice, 'c.png', 20 * KB)).status, 201);
  });

  test('is begun once for an idempotency key', async () => {
    await using server = await start({ open });
    const { alice } = server;
    const keyed = { 'x-idempotency-key': 'once' };
    const [first, second] = [
      await askUpload(alice, 'a.png', 9, {}, keyed),
      await askUpload(alice, 'a.png', 9, {}, keyed),
    ];
    assert.equal(first.headers.get('location'), second.headers.get('location'));
    assert.deepEqual([second.headers.get('idempotency-replayed'), second.status], ['true', 201]);
    assert.equal((await askUpload(alice, 'b.png', 9, {}, keyed)).status, 422);
  });

  test('says what it offers, and takes methods that a client cannot send from a header', async () => {
    await using server = await start({ open });
    const { alice, anyone } = server;
    for (const path of ['/uploads', '/uploads/x']) {
      const { status, headers } = await anyone.call('OPTIONS', path, undefined, {});
      assert.equal(status, 204);
      assert.equal(headers.get('tus-extension'), 'creation,expiration,termination,checksum');
      assert.equal(headers.get('tus-checksum-algorithm'), 'sha256');
    }
    const bytes = fileOf('png');
    const url = await createUpload(alice, 'a.png', bytes.length);
    const { status, headers } = await alice.post(url, bytes, {
      ...tus,
      ...{ 'content-type': 'application/offset+octet-stream', 'upload-offset': '0', 'x-http-method-override': 'PATCH' },
    });
    assert.deepEqual([status, headers.get('upload-offset')], [204, `${bytes.length}`]);
    const head = await alice.call('HEAD', url, undefined, tus);
    assert.equal(head.headers.get('upload-metadata'), metadataOf({ path: 'a.png', mtime: '1' }));
    assert.equal(head.headers.get('cache-control'), 'no-store');
    assert.equal((await alice.post('/notes', {}, { 'x-http-method-override': 'DELETE' })).status, 422);
  });
});

function planWith(change: Partial<Plan>) {
  return { ...builtinPlans, self_hosted: { ...builtinPlans.self_hosted, ...change } };
}

/** Sends a slice without its length. */
async function chunked(server: TestServer, url: string, offset: number, bytes: Buffer) {
  const { accessToken } = await server.alice.signed();
  return new Promise<[number | undefined, string | undefined]>((resolve, reject) => {
    const sent = request(`${server.url}/api${url}`, { method: 'PATCH', headers: headersOf(accessToken, offset) });
    sent.on('response', (answer) => {
      answer.resume();
      resolve([answer.statusCode, answer.headers['upload-offset'] as string | undefined]);
    });
    sent.on('error', reject);
    for (let at = 0; at < bytes.length; at += MB) sent.write(bytes.subarray(at, at + MB));
    sent.end();
  });
}

const BROKEN = { code: 'bad_request' };

/** Sends a slice whose body breaks off. */
async function cutOff({ app, alice }: TestServer, url: string, bytes: Buffer, checksum: Buffer | null) {
  const { accessToken, id: userId } = await alice.signed();
  const principal = await app.credentials.authenticate(`Bearer ${accessToken}`);
  async function* broken() {
    yield bytes;
    throw new NotevaultError('bad_request');
  }
  const slice = { offset: 0, checksum, bytes: broken(), declaredBytes: null };
  const actor = { kind: 'session' as const, name: '', userId: userId as UserId };
  const id = url.slice('/uploads/'.length);
  return app.uploads.append({ principal, id, vaultHeader: null }, slice, { actor, device: null });
}

function headersOf(token: string, offset: number) {
  return {
    ...tus,
    authorization: `Bearer ${token}`,
    'content-type': 'application/offset+octet-stream',
    'upload-offset': `${offset}`,
  };
}
