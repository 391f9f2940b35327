import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { ByteRange } from '../blobs/blobs.ts';
import {
  type KeyOwner,
  type SealContext,
  type SealingKey,
  STREAM_CHUNK_BYTES,
  STREAM_HEADER_BYTES,
  STREAM_TAG_BYTES,
  sealedSize,
} from './keyring.ts';
import { MasterKeyring } from './master-key.ts';

const alice: KeyOwner = { kind: 'vault', id: 'alice' };
const bob: KeyOwner = { kind: 'vault', id: 'bob' };
const place: SealContext = { kind: 'attachments.bytes', row: 'row-1', version: 0 };
const CHUNK = STREAM_CHUNK_BYTES;
const SEALED = CHUNK + STREAM_TAG_BYTES;

const keyring = new MasterKeyring(randomBytes(32), randomBytes);
const wrapped = keyring.createDataKey(alice);
const key = keyring.openDataKey(alice, wrapped, 2);
const noise = randomBytes(3 * CHUNK + 1000);

async function* pieces(bytes: Uint8Array, size = 10_000): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(bytes, (piece) => Buffer.from(piece)));
}

const seal = (plain: Uint8Array, pieceSize?: number) => whole(key.sealStream(place, pieces(plain, pieceSize)));

interface Opening {
  readonly with?: SealingKey;
  readonly at?: SealContext;
  readonly size: number;
  readonly range?: ByteRange;
}

async function open(sealed: Buffer, { with: by = key, at = place, size, range = { start: 0, end: size } }: Opening) {
  const read = async ({ start, end }: ByteRange) => pieces(sealed.subarray(start, end), 7001);
  return whole(await by.openStream(at, size, range, read));
}

const damaged = { name: 'KeyringError', code: 'damaged_value' };

describe('sealed streams', () => {
  it('open to what was sealed, at every size around a chunk, and have the predicted size', async () => {
    for (const size of [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 3 * CHUNK + 1000]) {
      const plain = noise.subarray(0, size);
      const sealed = await seal(plain);
      assert.equal(sealed.length, sealedSize(size));
      assert.ok((await open(sealed, { size })).equals(plain), `${size} bytes`);
    }
  });

  it('return any range as a slice would, in whatever pieces the bytes arrive', async () => {
    const bound = fc.integer({ min: 0, max: noise.length + CHUNK });
    const sealed = await seal(noise);
    await fc.assert(
      fc.asyncProperty(bound, bound, fc.integer({ min: 1, max: 3 * CHUNK }), async (start, end, pieceSize) => {
        const range = { start, end };
        assert.ok((await open(sealed, { size: noise.length, range })).equals(noise.subarray(start, end)));
        const again = await seal(noise, pieceSize);
        assert.ok((await open(again, { size: noise.length, range })).equals(noise.subarray(start, end)));
      }),
      { numRuns: 40 },
    );
  });

  it('read only the header and the chunks that contain the range', async () => {
    const sealed = await seal(noise);
    const asked: ByteRange[] = [];
    const read = async (range: ByteRange) => {
      asked.push(range);
      return pieces(sealed.subarray(range.start, range.end));
    };
    await whole(await key.openStream(place, noise.length, { start: CHUNK + 1, end: 2 * CHUNK }, read));
    await whole(await key.openStream(place, noise.length, { start: 3, end: 9 }, read));
    await whole(await key.openStream(place, noise.length, { start: 9, end: 9 }, read));
    assert.deepEqual(asked, [
      { start: 0, end: STREAM_HEADER_BYTES },
      { start: STREAM_HEADER_BYTES + SEALED, end: STREAM_HEADER_BYTES + 2 * SEALED },
      { start: 0, end: STREAM_HEADER_BYTES + SEALED },
    ]);
  });

  it('hide their contents: equal values look different, and nothing of them shows', async () => {
    const plain = Buffer.alloc(2 * CHUNK, 'same ');
    const [one, other] = [await seal(plain), await seal(plain)];
    assert.notDeepEqual(one.subarray(5, 69), other.subarray(5, 69));
    const [first, second] = [0, 1].map((number) => one.subarray(STREAM_HEADER_BYTES + number * SEALED).subarray(0, 64));
    assert.notDeepEqual(first, second, 'two chunks of one stream');
    assert.ok(!one.includes('same same'));
  });

  it('open in no other context: kind, row, version, owner or size', async () => {
    const size = 2 * CHUNK + 5;
    const sealed = await seal(noise.subarray(0, size));
    for (const at of [
      { ...place, kind: 'notes.body' },
      { ...place, row: 'row-2' },
      { ...place, version: 1 },
    ]) {
      await assert.rejects(open(sealed, { at, size }), damaged);
    }
    const bobs = keyring.openDataKey(bob, keyring.createDataKey(bob), 2);
    await assert.rejects(open(sealed, { with: bobs, size }), damaged);
    for (const wrong of [size - 1, size + 1, CHUNK, 2 * CHUNK, 3 * CHUNK]) {
      await assert.rejects(open(sealed, { size: wrong }), damaged, `${wrong} instead of ${size}`);
    }
  });

  it('refuse a change of any byte of the header and of the ends of every chunk', async () => {
    const size = 2 * CHUNK + 5;
    const sealed = await seal(noise.subarray(0, size));
    const chunks = [0, 1, 2].map((number) => STREAM_HEADER_BYTES + number * SEALED);
    const ends = [...chunks, sealed.length].flatMap((at) => [at - 17, at - 16, at - 1, at, at + 1]);
    const header = Array.from({ length: STREAM_HEADER_BYTES }, (_, at) => at);
    for (const at of new Set([...header, ...ends].filter((at) => at < sealed.length))) {
      const flipped = Buffer.from(sealed);
      flipped.writeUInt8(flipped.readUInt8(at) ^ 1, at);
      await assert.rejects(open(flipped, { size }), damaged, `byte ${at}`);
    }
  });

  it('refuse truncation anywhere, also between chunks and with the matching size', async () => {
    const size = 2 * CHUNK + 5;
    const sealed = await seal(noise.subarray(0, size));
    for (const kept of [0, 1, 36, 37, 37 + SEALED - 1, 37 + SEALED, 37 + 2 * SEALED, sealed.length - 1]) {
      await assert.rejects(open(sealed.subarray(0, kept), { size }), damaged, `${kept} bytes kept`);
    }
    await assert.rejects(open(sealed.subarray(0, 37 + SEALED), { size: CHUNK }), damaged);
    await assert.rejects(open(sealed.subarray(0, 37 + 2 * SEALED), { size: 2 * CHUNK }), damaged);
  });

  it('refuse chunks that were swapped, repeated, left out, or come from another stream of the same context', async () => {
    const size = 3 * CHUNK;
    const cut = (sealed: Buffer) => [
      sealed.subarray(0, STREAM_HEADER_BYTES),
      ...[0, 1, 2].map((number) => sealed.subarray(STREAM_HEADER_BYTES + number * SEALED).subarray(0, SEALED)),
    ];
    const empty = Buffer.alloc(0);
    const [header = empty, a = empty, b = empty, c = empty] = cut(await seal(noise.subarray(0, size)));
    const [, , other = empty] = cut(await seal(noise.subarray(0, size)));
    assert.ok((await open(Buffer.concat([header, a, b, c]), { size })).equals(noise.subarray(0, size)));
    for (const [bytes, told] of [
      [[header, b, a, c], size],
      [[header, a, a, c], size],
      [[header, a, c], 2 * CHUNK],
      [[header, a, other, c], size],
      [[header, a, c, b], size],
    ] as const) {
      await assert.rejects(open(Buffer.concat(bytes), { size: told }), damaged);
    }
  });

  it('open in every generation, and are sealed in the key’s', async () => {
    const sealed = await seal(Buffer.from('old'));
    assert.equal(sealed.readUInt32BE(1), 2);
    const later = keyring.openDataKey(alice, wrapped, 7);
    assert.equal((await open(sealed, { with: later, size: 3 })).toString(), 'old');
  });

  it('report damage at their start before anything is returned, and missing bytes', async () => {
    const sealed = await seal(noise);
    const flipped = Buffer.from(sealed);
    flipped.writeUInt8(flipped.readUInt8(100) ^ 1, 100);
    const range = { start: 0, end: noise.length };
    const from = (bytes: Buffer) => async (at: ByteRange) => pieces(bytes.subarray(at.start, at.end));
    await assert.rejects(key.openStream(place, noise.length, range, from(flipped)), damaged);
    await assert.rejects(
      key.openStream(place, noise.length, range, async () => null),
      damaged,
    );
  });

  it('pass on errors of their source, and close it when iteration stops early', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield noise;
      throw new RangeError('the source broke');
    }
    await assert.rejects(whole(key.sealStream(place, failing())), RangeError);
    const read = async () => failing();
    await assert.rejects(async () => whole(await key.openStream(place, 10, { start: 0, end: 10 }, read)), damaged);

    let letGo = 0;
    async function* held(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
      try {
        yield* pieces(bytes);
      } finally {
        letGo++;
      }
    }
    const sealed = await seal(noise);
    const opened = () => key.openStream(place, noise.length, { start: 0, end: noise.length }, async () => held(sealed));
    await (await opened()).return?.();
    assert.equal(letGo, 1, 'left before the first byte');
    for await (const _ of await opened()) break;
    assert.equal(letGo, 2, 'left after the first');
    for await (const _ of key.sealStream(place, held(noise))) break;
    assert.equal(letGo, 3, 'left after the first sealed bytes');
  });

  it('yield at most four chunks at a time, and read no more than one beyond them', async () => {
    let taken = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for (; taken < 100; taken++) yield Buffer.alloc(CHUNK);
    }
    let given = 0;
    for await (const sealed of key.sealStream(place, counted())) {
      assert.ok(sealed.length <= STREAM_HEADER_BYTES + 4 * SEALED);
      given += sealed.length;
      assert.ok(taken * SEALED - given <= 2 * SEALED, `${taken} taken, ${given} bytes given`);
    }
    assert.equal(given, STREAM_HEADER_BYTES + 100 * SEALED);
  });
});
