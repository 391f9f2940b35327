import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { KB, MB } from '@notevault/protocol/values/byte-units.ts';
import { fileOf, fileUrl, readRaw, uploadJson, uploadRaw } from '../../../../../test/kit/content/files.ts';
import { askUpload, createUpload, sendSlice } from '../../../../../test/kit/content/slices.ts';
import { onSqlite, rawOf } from '../../../../../test/kit/engines.ts';
import { startNotes } from '../../../../../test/kit/notes.ts';
import { startShared } from '../../../../../test/kit/shared-vault.ts';
import { builtinPlans } from '../../../foundation/plans/plans.ts';

const plans = {
  ...builtinPlans,
  small: { ...builtinPlans.pro, max_file_bytes: 100 * KB, attachment_bytes_cap: 250 * KB },
};
const limit = (reason: string, key: string, tier: string, current: number | null, most: number) => ({
  error: 'limit_exceeded',
  reason,
  limit_key: key,
  tier,
  current,
  limit: most,
  upgrade_url: null,
});

onSqlite('limits of attachments', (open) => {
  test('a plan without attachments refuses an upload before its body is read, and keeps existing ones', async () => {
    await using notes = await startNotes({ open });
    const { server, alice } = notes;
    const { caller } = alice;
    await uploadRaw(caller, 'a.png', fileOf('png'));
    await server.app.accounts.setPlan(server.alice.email, 'free');
    const refusal = limit('attachments_disabled', 'attachments_enabled', 'free', null, 0);
    const key = { 'x-idempotency-key': 'k' };
    for (const answer of [
      await uploadJson(caller, 'b.png', fileOf('png')),
      await uploadRaw(caller, 'b.png', fileOf('png')),
      await caller.call('POST', '/attachments', 'no json', { 'content-type': 'application/json' }),
      await caller.post('/attachments/rename', { old_path: 'a.png', new_path: 'b.png' }),
      await caller.post('/attachments/batch-move', { paths: ['a.png'], target_folder: 'x' }, key),
    ]) {
      assert.deepEqual([answer.status, answer.body], [402, refusal]);
    }
    assert.equal((await readRaw(caller, 'a.png')).status, 200);
    assert.equal((await caller.delete(fileUrl('a.png'))).status, 200);
  });

  test('a file over the plan’s size is refused, whether or not it declares its size', async () => {
    await using notes = await startNotes({ open, config: { plans, defaultPlan: 'small' } });
    const { caller } = notes.alice;
    const big = fileOf('png', 100 * KB + 1);
    const raw = await uploadRaw(caller, 'a.exe', big);
    const refusal = limit('file_too_large', 'max_file_bytes', 'small', big.length, 100 * KB);
    assert.deepEqual([raw.status, raw.body], [402, refusal], 'before its extension');
    const json = await uploadJson(caller, 'a.png', big);
    assert.deepEqual([json.status, json.body.reason], [402, 'file_too_large']);
    assert.equal((await uploadRaw(caller, 'a.png', big.subarray(0, 100 * KB))).status, 200);
    const unsaid = await fetch(`${notes.server.url}/api/attachments/c.png`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${(await notes.server.alice.signed()).accessToken}` },
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(new Uint8Array(big));
          controller.close();
        },
      }),
      duplex: 'half',
    } as RequestInit);
    const said = (await unsaid.json()) as { reason: string };
    assert.deepEqual([unsaid.status, said.reason], [402, 'file_too_large']);
  });

  test('a file over the operator’s size limit is refused with 413, also to members', async () => {
    const self_hosted = { ...builtinPlans.self_hosted, max_file_bytes: 100 * KB };
    await using shared = await startShared({ open, config: { plans: { ...plans, self_hosted } } });
    const { server, headers, join } = shared;
    const { alice, bob } = server;
    await join(shared.bob, 'editor');
    const big = fileOf('png', 100 * KB + 1);
    const refusal = [413, { error: 'file_too_large', limit: 100 * KB }];
    await server.app.accounts.setPlan(alice.email, 'pro');
    assert.equal((await uploadRaw(alice, 'old.png', big, headers)).status, 200);
    const [{ id }] = (await alice.get('/attachments', headers)).body.attachments;
    assert.equal((await alice.delete(fileUrl('old.png'), undefined, headers)).status, 200);
    const url = await createUpload(alice, 'slices.png', big.length, {}, headers);
    const ticket = (await alice.post('/tickets', { operation: 'attachment.put', path: 'b.png' }, headers)).body.url;
    await server.app.accounts.setPlan(alice.email, 'self_hosted');
    for (const { status, body } of [
      await uploadRaw(alice, 'a.png', big, headers),
      await uploadRaw(bob, 'a.png', big, headers),
      await uploadJson(alice, 'a.png', big, headers),
      await askUpload(alice, 'a.png', big.length, {}, headers),
      await askUpload(bob, 'a.png', 1024 * MB, {}, headers),
      await alice.post(`/trash/${id}/restore`, {}, headers),
      await server.bearer('').call('PUT', new URL(ticket).pathname.slice('/api'.length), big, {}),
    ]) {
      assert.deepEqual([status, body], refusal);
    }
    const { status, body } = await sendSlice(alice, url, 0, big, headers);
    assert.deepEqual([status, body], [412, refusal[1]], 'an upload in slices that began under another plan');
  });

  test('the quota counts the attachments of all vaults, and a replaced file only once', async () => {
    await using notes = await startNotes({ open, config: { plans, defaultPlan: 'small' } });
    const { server, alice } = notes;
    const { caller } = alice;
    const put = (path: string, kb: number, headers = {}) => uploadRaw(caller, path, fileOf('png', kb * KB), headers);
    assert.equal((await put('a.png', 100)).status, 200);
    const other = (await server.alice.post('/vaults', { name: 'Other' })).body.vault.id;
    assert.equal((await put('b.png', 100, { 'x-vault-id': other })).status, 200);
    const over = await put('c.png', 51);
    const refusal = limit('attachments_quota_exceeded', 'attachment_bytes_cap', 'small', 200 * KB, 250 * KB);
    assert.deepEqual([over.status, over.body], [402, refusal]);
    assert.equal((await uploadJson(caller, 'c.png', fileOf('png', 51 * KB))).body.reason, 'attachments_quota_exceeded');
    assert.equal((await put('c.png', 50)).status, 200);
    assert.equal((await put('c.png', 51)).status, 402);
    assert.equal((await put('c.png', 49)).status, 200, 'a file may shrink');
    assert.equal((await put('a.png', 100)).status, 200);
    await server.alice.delete(`/vaults/${other}`);
    assert.equal((await put('d.png', 90)).status, 200, 'a deleted vault counts no more');
    assert.equal((await server.alice.post(`/vaults/${alice.vault}/none`, {})).status, 404);
  });

  test('a restored vault brings its attachments back within the quota, or is refused', async () => {
    await using notes = await startNotes({ open, config: { plans, defaultPlan: 'small' } });
    const { server, alice } = notes;
    const other = (await server.alice.post('/vaults', { name: 'Other' })).body.vault.id;
    const put = (path: string, kb: number, headers = {}) =>
      uploadRaw(alice.caller, path, fileOf('png', kb * KB), headers);
    for (const path of ['b.png', 'c.png']) {
      assert.equal((await put(path, 100, { 'x-vault-id': other })).status, 200);
    }
    await server.alice.delete(`/vaults/${other}`);
    assert.equal((await put('a.png', 51)).status, 200);
    const over = await server.alice.post(`/vaults/${other}/restore`, {});
    const refusal = limit('attachments_quota_exceeded', 'attachment_bytes_cap', 'small', 51 * KB, 250 * KB);
    assert.deepEqual([over.status, over.body], [402, refusal]);
    assert.equal((await put('a.png', 50)).status, 200);
    assert.equal((await server.alice.post(`/vaults/${other}/restore`, {})).status, 200);
    assert.equal((await put('c.png', 1)).status, 402);
  });

  test('fifty concurrent uploads do not exceed the quota', async () => {
    await using notes = await startNotes({ open, config: { plans, defaultPlan: 'small' } });
    const { caller, vault } = notes.alice;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) => uploadRaw(caller, `${at}.png`, fileOf('png', 40 * KB))),
    );
    const statuses = answers.map(({ status }) => status);
    assert.equal(statuses.filter((status) => status === 200).length, 6);
    assert.equal(statuses.filter((status) => status === 402).length, 44);
    assert.equal((await caller.get(`/vaults/${vault}`)).body.vault.attachment_count, 6);
    await using raw = await rawOf(notes.server.db);
    const kept = await raw.all("select id from attachment_blobs where state = 'committed'");
    assert.equal(kept.length, 6, 'of the others nothing is kept');
  });

  test('an upload of over 64 MB as base64 is refused with the advice to send raw bytes', async () => {
    await using notes = await startNotes({ open });
    const { caller } = notes.alice;
    const refusal = { error: 'use_put', max: 64 * MB };
    const answer = await uploadJson(caller, 'a.png', fileOf('png', 64 * MB + 1));
    assert.deepEqual([answer.status, answer.body], [413, refusal]);
    const most = await uploadJson(caller, 'a.png', fileOf('png', 64 * MB));
    assert.equal(most.body.attachment.size_bytes, 64 * MB);
    assert.equal((await caller.get(fileUrl('a.png'))).body.content_base64.length, Math.ceil((64 * MB) / 3) * 4);
    const larger = await uploadRaw(caller, 'a.png', fileOf('png', 64 * MB + 1));
    assert.equal(larger.status, 200);
    assert.equal((await caller.get(fileUrl('a.png'))).body.content_base64, null);
  });

  test('an upload that the client aborts leaves nothing', async () => {
    await using notes = await startNotes({ open });
    const { server, alice } = notes;
    const { accessToken } = await server.alice.signed();
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    await once(socket, 'connect');
    const head = `PUT /api/attachments/a.png HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${accessToken}\r\ncontent-length: 500000\r\n\r\n`;
    socket.write(head);
    socket.write(fileOf('png', 300_000));
    await using raw = await rawOf(server.db);
    const blobs = () => raw.all('select state from attachment_blobs');
    const until = async (count: number) => {
      while ((await blobs()).length !== count) await new Promise((resolve) => setImmediate(resolve));
    };
    await until(1);
    socket.destroy();
    await until(0);
    const stored = await Array.fromAsync(server.blobs.list());
    assert.deepEqual(stored.flat(), []);
    assert.equal((await readRaw(alice.caller, 'a.png')).status, 404);
  });
});
