/** Large files by the client for apps, over connections that break. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import type { RunningHash } from '@notevault/client/ranged-read.ts';
import { FileShorter, SLICE_BYTES, type SlicedFile, type UploadMemory } from '@notevault/client/sliced-upload.ts';
import { fixedToken } from '@notevault/client/tokens.ts';
import { ApiError, ConnectionError, type Http, Transport } from '@notevault/client/transport.ts';
import { VaultClient } from '@notevault/client/vault-client.ts';
import { SLICE_MIN } from '@notevault/protocol/upload-limits.ts';
import { VaultServer } from '@notevault/sync/adapters/vault-server.ts';
import { DiskChanged, ServerUnreachable } from '@notevault/sync/engine/ports.ts';
import { builtinPlans } from '../../../src/domains/foundation/plans/plans.ts';
import { fileOf, readRaw, sha256, uploadRaw } from '../../kit/content/files.ts';
import { tus } from '../../kit/content/slices.ts';
import { onSqlite } from '../../kit/engines.ts';
import { startServer, type TestServer } from '../../kit/server.ts';

/** A request that goes through, with the bytes of its body. */
interface Sent {
  readonly method: string;
  readonly path: string;
  readonly bytes: number;
}

/** A server with a vault, and a client whose requests pass `fault` before and after they are answered. */
async function start(
  open: Parameters<typeof startServer>[0]['open'],
  fault: (http: Http) => Http = (http) => http,
  config: NonNullable<Parameters<typeof startServer>[0]['config']> = {},
) {
  const server = await startServer({ open, config });
  const { vault } = (await server.alice.post('/vaults', { name: 'Home' })).body;
  const { key } = (await server.alice.post('/api-keys', { name: 'app' })).body;
  const sent: Sent[] = [];
  const http: Http = async (url, request) => {
    const { length: bytes } = request.body instanceof Uint8Array ? request.body : new Uint8Array(0);
    sent.push({ method: request.method, path: url.pathname.replace(/[0-9a-f-]{36}/, ':id'), bytes });
    return fetch(url, request as RequestInit);
  };
  const transport = new Transport(server.url, fixedToken(key), { fetch: fault(http), sleep: async () => undefined });
  return {
    server,
    sent,
    client: new VaultClient(transport, vault.id),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

function fileWith(path: string, bytes: Buffer, over?: string | null): SlicedFile {
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += 100_000) yield bytes.subarray(at, at + 100_000);
  }
  return { path, size: bytes.length, mtime: 12.5, bytes: pieces, ...(over === undefined ? {} : { over }) };
}

function memory(): UploadMemory & { readonly size: number } {
  const kept = new Map<string, string>();
  return {
    read: async (key) => kept.get(key) ?? null,
    async write(key, id) {
      if (id === null) kept.delete(key);
      else kept.set(key, id);
    },
    get size() {
      return kept.size;
    },
  };
}

function hashing(): RunningHash {
  const hash = createHash('sha256');
  return { add: (bytes) => void hash.update(bytes), end: () => hash.digest('hex') };
}

const stored = async ({ alice }: TestServer, path: string) => (await readRaw(alice, path)).bytes;
const bytes = fileOf('png', 2 * SLICE_BYTES + 300_000);

onSqlite('a large file of the client', (open) => {
  test('arrives in slices, although answers are lost and a slice is damaged', async () => {
    let count = 0;
    await using app = await start(open, (http) => async (url, request) => {
      count += 1;
      const isDamaged = count === 2 && request.body instanceof Uint8Array;
      const damaged = isDamaged
        ? { ...request, body: Uint8Array.from(request.body as Uint8Array).fill(0, 0, 9) }
        : request;
      const answer = await http(url, damaged);
      if (count % 3 !== 0) return answer;
      await answer.body?.cancel();
      throw new TypeError('the connection broke');
    });
    const progress: number[] = [];
    const attachment = await app.client.putAttachmentInSlices(fileWith('ü/a.png', bytes), {
      progress: (sent) => progress.push(sent),
    });
    assert.deepEqual(
      [attachment.content_hash, attachment.mtime, attachment.size_bytes],
      [sha256(bytes), 12.5, bytes.length],
    );
    assert.ok((await stored(app.server, 'ü/a.png')).equals(bytes));
    assert.ok(app.sent.every((each) => each.bytes <= SLICE_BYTES));
    assert.deepEqual(
      progress,
      progress.toSorted((a, b) => a - b),
    );
    assert.deepEqual([progress[0], progress.at(-1)], [0, bytes.length]);
  });

  test('goes on after the app was ended, and begins again when the upload is gone', async () => {
    await using app = await start(open);
    const kept = memory();
    const ending = new AbortController();
    const progress = (sent: number) => sent === SLICE_BYTES && ending.abort();
    const first = app.client.putAttachmentInSlices(fileWith('a.png', bytes), {
      memory: kept,
      signal: ending.signal,
      progress,
    });
    await assert.rejects(first);
    app.sent.length = 0;
    await app.client.putAttachmentInSlices(fileWith('a.png', bytes), { memory: kept });
    assert.deepEqual(
      app.sent.map(({ method, bytes: sent }) => [method, sent]),
      [
        ['GET', 0],
        ['PATCH', SLICE_BYTES],
        ['PATCH', 300_000],
        ['GET', 0],
      ],
    );
    assert.equal(kept.size, 0);
    assert.ok((await stored(app.server, 'a.png')).equals(bytes));

    const again = new AbortController();
    const stopped = app.client.putAttachmentInSlices(fileWith('b.png', bytes), {
      memory: kept,
      signal: again.signal,
      progress: (sent) => sent === SLICE_BYTES && again.abort(),
    });
    await assert.rejects(stopped);
    app.server.clock.advance({ hours: 25 });
    await app.server.app.uploads.sweep();
    await app.client.putAttachmentInSlices(fileWith('b.png', bytes), { memory: kept });
    assert.ok((await app.client.attachments()).some(({ content_hash }) => content_hash === sha256(bytes)));
  });

  test('a large file of the client that is refused at its end has the error of a PUT', async () => {
    await using app = await start(open);
    const other = fileOf('png');
    const kept = memory();
    const progress = (sent: number) => {
      if (sent === SLICE_BYTES) pending = uploadRaw(app.server.alice, 'a.png', other);
    };
    let pending: Promise<unknown> = Promise.resolve();
    const slow = fileWith('a.png', bytes, null);
    const waiting: SlicedFile = {
      ...slow,
      async *bytes() {
        for await (const piece of slow.bytes()) {
          await pending;
          yield piece;
        }
      },
    };
    const refused = await app.client.putAttachmentInSlices(waiting, { memory: kept, progress }).catch((error) => error);
    assert.ok(refused instanceof ApiError);
    assert.deepEqual([refused.status, refused.code], [409, 'version_conflict']);
    assert.equal((refused.body.server_attachment as { content_hash: string }).content_hash, sha256(other));
    assert.equal(kept.size, 0);
    const replacing = await app.client.putAttachmentInSlices(fileWith('a.png', bytes, sha256(other)));
    assert.equal(replacing.content_hash, sha256(bytes));
    const early = app.client.putAttachmentInSlices(fileWith('a.png', bytes, sha256(other)));
    await assert.rejects(early, { status: 409, code: 'version_conflict' });
    await assert.rejects(
      app.client.putAttachmentInSlices({ ...fileWith('b.png', bytes), size: bytes.length + 1 }),
      FileShorter,
    );
    assert.equal((await app.client.putAttachmentInSlices(fileWith('c.txt', Buffer.alloc(0)))).size_bytes, 0);
  });

  test('a large file of the client that exceeds the operator’s limit only at its end gets the 413 of a PUT', async () => {
    const self_hosted = { ...builtinPlans.self_hosted, max_file_bytes: bytes.length - 1 };
    const config = { plans: { ...builtinPlans, self_hosted }, defaultPlan: 'pro' };
    await using app = await start(open, (http) => http, config);
    const file = fileWith('a.png', bytes);
    const limited: SlicedFile = {
      ...file,
      async *bytes() {
        await app.server.app.accounts.setPlan(app.server.alice.email, 'self_hosted');
        yield* file.bytes();
      },
    };
    const uploaded = app.client.putAttachmentInSlices(limited);
    await assert.rejects(uploaded, { status: 413, code: 'file_too_large' });
  });

  test('is read in ranges, from where it was interrupted, and compared with its hash', async () => {
    let breaks = false;
    await using app = await start(open, (http) => async (url, request) => {
      if (breaks && request.headers.get('range') !== `bytes=0-${SLICE_BYTES - 1}`)
        throw new TypeError('the connection broke');
      return http(url, request);
    });
    await uploadRaw(app.server.alice, 'a.png', bytes);
    const whole = await app.client.readAttachmentInRanges('a.png', { hashing: hashing() });
    assert.deepEqual([whole?.size, whole?.hash, whole?.mimeType], [bytes.length, sha256(bytes), 'image/png']);
    const pieces = await Array.fromAsync(whole?.bytes ?? []);
    assert.ok(Buffer.concat(pieces).equals(bytes));
    assert.deepEqual(
      pieces.map(({ length }) => length),
      [SLICE_BYTES, SLICE_BYTES, 300_000],
    );

    breaks = true;
    const running = hashing();
    const broken = await app.client.readAttachmentInRanges('a.png', { hashing: running });
    const got: Uint8Array[] = [];
    await assert.rejects(async () => {
      for await (const piece of broken?.bytes ?? []) got.push(piece);
    }, ConnectionError);
    breaks = false;
    const offset = Buffer.concat(got).length;
    assert.equal(offset, SLICE_BYTES);
    const from = { offset, hash: sha256(bytes) };
    const rest = await app.client.readAttachmentInRanges('a.png', { from, hashing: running });
    const all = Buffer.concat([...got, ...(await Array.fromAsync(rest?.bytes ?? []))]);
    assert.ok(all.equals(bytes));
    assert.equal(
      await app.client.readAttachmentInRanges('a.png', { from: { offset, hash: sha256(all.subarray(1)) } }),
      null,
    );
    const wrong = await app.client.readAttachmentInRanges('a.png', { from, hashing: hashing() });
    await assert.rejects(Array.fromAsync(wrong?.bytes ?? []), /sent other bytes/);
  });

  test('a large file of the client that is replaced while it is read is no file of two halves', async () => {
    await using app = await start(open);
    await uploadRaw(app.server.alice, 'a.png', bytes);
    const read = await app.client.readAttachmentInRanges('a.png');
    await assert.rejects(async () => {
      for await (const _ of read?.bytes ?? []) await uploadRaw(app.server.alice, 'a.png', fileOf('png', bytes.length));
    }, /another file/);
    await uploadRaw(app.server.alice, 'empty.txt', Buffer.alloc(0));
    const empty = await app.client.readAttachmentInRanges('empty.txt', { hashing: hashing() });
    assert.deepEqual(
      [empty?.size, empty?.hash, await Array.fromAsync(empty?.bytes ?? [])],
      [0, sha256(Buffer.alloc(0)), []],
    );
    assert.equal(await app.client.readAttachmentInRanges('none.png'), null);
    assert.equal((await app.server.alice.get('/uploads/x', tus)).status, 404);
  });

  test('a large file of a folder that syncs goes in slices both ways where a request cannot carry it', async () => {
    let isAway = false;
    await using app = await start(open, (http) => async (url, request) => {
      if (isAway && request.headers.get('range') !== `bytes=0-${SLICE_MIN - 1}`)
        throw new TypeError('the network is away');
      return http(url, request);
    });
    const vault = new VaultServer(app.client, undefined, { sliceBytes: SLICE_MIN });
    const file = bytes.subarray(0, 2 * SLICE_MIN + 5);
    const read = () => fileWith('', file).bytes();
    const put = (size: number, over: string | null) => vault.putAttachment('a.png', read, size, 1, over);
    const written = await put(file.length, null);
    assert.ok(written.kind === 'written' && written.file.hash === sha256(file));
    assert.deepEqual(new Set(app.sent.map(({ method }) => method)), new Set(['POST', 'PATCH', 'GET']));
    assert.deepEqual(await put(file.length, null), { kind: 'changed' });
    await assert.rejects(put(file.length + 1, sha256(file)), DiskChanged);
    const found = await vault.read({ id: '', path: 'a.png' });
    assert.ok(Buffer.concat(await Array.fromAsync(found?.bytes ?? [])).equals(file));
    const broken = await vault.read({ id: '', path: 'a.png' });
    isAway = true;
    await assert.rejects(Array.fromAsync(broken?.bytes ?? []), ServerUnreachable);
  });
});
