/** The client that the authors of the protocol publish, unmodified. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PART_BYTES, SLICE_MIN } from '@notevault/protocol/upload-limits.ts';
import { Upload, type UploadOptions } from 'tus-js-client';
import { fileOf, readRaw, uploadRaw } from '../../kit/content/files.ts';
import { onEachEngine } from '../../kit/engines.ts';
import { startServer } from '../../kit/server.ts';

/** Uploads with the client; resolves when it has ended. `stop` ends it after so many slices. */
async function send(bytes: Buffer, options: UploadOptions, stop = Number.POSITIVE_INFINITY): Promise<Upload> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let slices = 0;
  const upload: Upload = new Upload(bytes, {
    retryDelays: [0, 0],
    ...options,
    onError: reject,
    onSuccess: () => resolve(),
    onChunkComplete: () => {
      slices += 1;
      if (slices === stop) void upload.abort().then(resolve);
    },
  });
  upload.start();
  await promise;
  return upload;
}

onEachEngine('tus-js-client', (open) => {
  test('tus-js-client uploads in one request and in slices, and goes on after an interruption', async () => {
    await using server = await startServer({ open });
    const { alice } = server;
    await alice.post('/vaults', { name: 'Home' });
    const { accessToken } = await alice.signed();
    const bytes = fileOf('png', PART_BYTES + 5 * SLICE_MIN + 7);
    const short = bytes.subarray(0, 2 * SLICE_MIN + 7);
    const options = (path: string): UploadOptions => ({
      endpoint: `${server.url}/api/uploads`,
      headers: { authorization: `Bearer ${accessToken}` },
      metadata: { path, mtime: '1' },
    });
    await send(bytes, options('whole.png'));
    await send(bytes, { ...options('ü/slices.png'), chunkSize: 3 * SLICE_MIN });
    await send(short, { ...options('posted.png'), overridePatchMethod: true });
    const { url } = await send(bytes, { ...options('resumed.png'), chunkSize: 4 * SLICE_MIN }, 3);
    assert.ok(url !== null);
    assert.equal((await readRaw(alice, 'resumed.png')).status, 404);
    await send(bytes, { ...options('resumed.png'), uploadUrl: url });
    await send(Buffer.alloc(0), options('empty.txt'));
    for (const path of ['whole.png', 'ü/slices.png', 'resumed.png']) {
      assert.ok((await readRaw(alice, path)).bytes.equals(bytes), path);
    }
    assert.ok((await readRaw(alice, 'posted.png')).bytes.equals(short));
    assert.equal((await readRaw(alice, 'empty.txt')).status, 200);
    const { url: ended } = await send(short, { ...options('ended.png'), chunkSize: SLICE_MIN }, 1);
    await Upload.terminate(ended ?? '', options('ended.png'));
    await assert.rejects(send(short, { ...options('ended.png'), uploadUrl: ended, endpoint: null }));
  });

  test('tus-js-client does not try again what is refused', async () => {
    await using server = await startServer({ open });
    const { alice } = server;
    await alice.post('/vaults', { name: 'Home' });
    const { accessToken } = await alice.signed();
    const bytes = fileOf('png', 2 * SLICE_MIN);
    const asked: string[] = [];
    const options: UploadOptions = {
      endpoint: `${server.url}/api/uploads`,
      headers: { authorization: `Bearer ${accessToken}` },
      metadata: { path: 'a.png', if_none_match: '*' },
      chunkSize: SLICE_MIN,
      onBeforeRequest: (request) => {
        asked.push(request.getMethod());
      },
    };
    const { url } = await send(bytes, options, 1);
    await uploadRaw(alice, 'a.png', fileOf('png'));
    await assert.rejects(send(bytes, { ...options, uploadUrl: url ?? '' }), /version_conflict/);
    assert.deepEqual(asked, ['POST', 'PATCH', 'HEAD', 'PATCH']);
  });
});
