import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SLICE_MIN } from '@notevault/protocol/upload-limits.ts';
import { KB, MB } from '@notevault/protocol/values/byte-units.ts';
import { fileOf, readRaw, uploadRaw } from '../../../../test/kit/content/files.ts';
import { askUpload, createUpload, offsetOf, sendSlice } from '../../../../test/kit/content/slices.ts';
import { onEachEngine, rawOf } from '../../../../test/kit/engines.ts';
import type { Caller } from '../../../../test/kit/person.ts';
import { startShared } from '../../../../test/kit/shared-vault.ts';
import { builtinPlans } from '../../foundation/plans/plans.ts';

const CAP = 1 * MB;
const plans = { ...builtinPlans, self_hosted: { ...builtinPlans.self_hosted, attachment_bytes_cap: CAP } };
const INTO = '/user/storage/uploads';

const storageOf = async (caller: Caller): Promise<{ used_bytes: number; reserved_bytes: number }> =>
  (await caller.get('/user/storage')).body;
const reservedOf = async (caller: Caller): Promise<number> => (await storageOf(caller)).reserved_bytes;

/** Keys of alice and of bob, who may write into her vault, and new sessions of alice: they outlive an hour. */
async function keysOf({ server, alice, bob, vault, join, headers }: Awaited<ReturnType<typeof startShared>>) {
  await join(bob, 'editor');
  const keyOf = async (caller: Caller) =>
    server.bearer((await caller.post('/api-keys', { name: 'key', vault_access: { [vault]: 'write' } })).body.key);
  const owner = async () => server.bearer((await server.app.accounts.login(server.alice)).accessToken);
  return { alice: await keyOf(alice), bob: await keyOf(bob), owner, headers };
}

onEachEngine('the room of uploads in slices', (open) => {
  test('counts in the storage of the owner, who sees and ends each of them', async () => {
    await using shared = await startShared({ open, config: { plans } });
    const { alice, bob, carol, vault, headers } = shared;
    const bobId = await shared.join(bob, 'editor');
    await bob.patch('/me', { display_name: 'Bob' });
    const url = await createUpload(bob, 'img/a.png', 700 * KB, {}, headers);
    await sendSlice(bob, url, 0, fileOf('png', SLICE_MIN), headers);
    assert.deepEqual(
      [await storageOf(alice), await reservedOf(bob)].map((one) =>
        typeof one === 'number' ? one : one.reserved_bytes,
      ),
      [700 * KB, 0],
    );
    assert.equal((await storageOf(alice)).used_bytes, 0);
    const { uploads } = (await alice.get(INTO)).body;
    const { reserved_until, expires_at, ...listed } = uploads[0];
    const id = url.slice('/uploads/'.length);
    const of = { id, vault_id: vault, vault_name: 'Shared', by: { user_id: bobId, display_name: 'Bob' } };
    assert.deepEqual([uploads.length, listed], [1, { ...of, path: 'img/a.png', length: 700 * KB, offset: SLICE_MIN }]);
    const { clock } = shared.server;
    assert.deepEqual(
      [Date.parse(reserved_until) - clock.now(), Date.parse(expires_at) > clock.now()],
      [3_600_000, true],
    );
    for (const other of [bob, carol]) {
      assert.deepEqual((await other.get(INTO)).body, { uploads: [] });
      assert.equal((await other.delete(`${INTO}/${id}`)).status, 404);
    }
    assert.equal((await alice.delete(`${INTO}/${id}`)).status, 204);
    assert.equal((await alice.delete(`${INTO}/${id}`)).status, 404);
    assert.deepEqual([await reservedOf(alice), (await alice.get(INTO)).body.uploads], [0, []]);
    assert.equal((await sendSlice(bob, url, SLICE_MIN, fileOf('png', SLICE_MIN), headers)).status, 404);
    assert.deepEqual((await Array.fromAsync(shared.server.blobs.list())).flat(), []);
  });

  test('is free after an hour without progress, and each slice keeps it for another', async () => {
    await using shared = await startShared({ open, config: { plans } });
    const { alice, bob, owner, headers } = await keysOf(shared);
    const { clock } = shared.server;
    const bytes = fileOf('png', 3 * SLICE_MIN);
    const slice = (at: number) => bytes.subarray(at * SLICE_MIN, (at + 1) * SLICE_MIN);
    const url = await createUpload(bob, 'a.png', bytes.length, {}, headers);
    clock.advance({ minutes: 59 });
    assert.equal(await reservedOf(alice), bytes.length);
    assert.equal((await sendSlice(bob, url, 0, slice(0), headers)).status, 204);
    clock.advance({ minutes: 59 });
    assert.equal((await uploadRaw(alice, 'b.png', fileOf('png', 400 * KB), headers)).status, 402);
    assert.equal((await sendSlice(bob, url, SLICE_MIN, Buffer.alloc(0), headers)).status, 204);
    clock.advance({ minutes: 1 });
    const [{ reserved_until }] = (await (await owner()).get(INTO)).body.uploads;
    assert.deepEqual([await reservedOf(alice), reserved_until], [0, null], 'a request without a byte is no progress');
    assert.equal((await uploadRaw(alice, 'b.png', fileOf('png', 400 * KB), headers)).status, 200);
    const refused = await sendSlice(bob, url, SLICE_MIN, slice(1), headers);
    assert.deepEqual([refused.status, refused.body.reason], [402, 'attachments_quota_exceeded']);
    assert.equal(await offsetOf(bob, url, headers), SLICE_MIN, 'what has arrived is kept');
    await alice.delete('/attachments/b.png', undefined, headers);
    assert.equal((await sendSlice(bob, url, SLICE_MIN, slice(1), headers)).status, 204);
    assert.equal(await reservedOf(alice), bytes.length);
    clock.advance({ minutes: 61 });
    assert.equal((await uploadRaw(alice, 'b.png', fileOf('png', 400 * KB), headers)).status, 200);
    assert.equal((await sendSlice(bob, url, 2 * SLICE_MIN, slice(2), headers)).status, 402);
    await alice.delete('/attachments/b.png', undefined, headers);
    assert.equal((await sendSlice(bob, url, 2 * SLICE_MIN, slice(2), headers)).status, 204);
    assert.ok((await readRaw(bob, 'a.png', headers)).bytes.equals(bytes));
    assert.deepEqual(await storageOf(alice), {
      ...(await storageOf(alice)),
      used_bytes: bytes.length,
      reserved_bytes: 0,
    });
  });

  test('is not kept by a progress that a clock which was ahead has stored', async () => {
    await using shared = await startShared({ open, config: { plans } });
    const { alice, headers, server } = shared;
    const url = await createUpload(alice, 'a.png', SLICE_MIN, {}, headers);
    await using raw = await rawOf(server.db);
    await raw.run('update uploads set progressed_at = $1', server.clock.now() + 400 * 86_400_000);
    assert.equal(await reservedOf(alice), 0);
    assert.equal((await sendSlice(alice, url, 0, fileOf('png', SLICE_MIN), headers)).status, 204);
  });

  test('goes to one of two when progress arrives while an hour without it ends', async () => {
    await using shared = await startShared({ open, config: { plans } });
    const { alice, bob, owner, headers } = await keysOf(shared);
    const { server } = shared;
    const bytes = fileOf('png', 2 * SLICE_MIN + 1);
    for (let round = 0; round < 12; round++) {
      const url = await createUpload(bob, `${round}.png`, bytes.length, {}, headers);
      server.clock.advance({ minutes: 59, seconds: 59, ms: 999 });
      const progress = sendSlice(bob, url, 0, bytes.subarray(0, SLICE_MIN), headers);
      const other = askUpload(alice, `other ${round}.png`, CAP - SLICE_MIN, {}, headers);
      if (round % 3 > 0) server.clock.advance({ ms: 1 });
      const statuses = [(await progress).status, (await other).status];
      assert.ok([`${[204, 402]}`, `${[402, 201]}`].includes(`${statuses}`), `${statuses}`);
      const { used_bytes, reserved_bytes } = await storageOf(alice);
      assert.ok(used_bytes + reserved_bytes <= CAP);
      const session = await owner();
      for (const { id } of (await session.get(INTO)).body.uploads) await session.delete(`${INTO}/${id}`);
    }
  });
});
