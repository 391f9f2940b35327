import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArchiveError, UnpackMeter } from './archive.ts';

const LIMITS = { entries: 1000, unpackedBytes: 1_000_000, ratio: 10, ratioFrom: 100 };

/** Unpacks files of 100 bytes until the meter refuses; returns how many it passed. */
async function filesPassed(archiveBytes: number): Promise<number> {
  const meter = new UnpackMeter(LIMITS, archiveBytes);
  const file = async function* () {
    yield new Uint8Array(100);
  };
  for (let passed = 0; ; passed++) {
    try {
      for await (const _ of meter.pass(file(), 1));
    } catch (error) {
      assert.ok(error instanceof ArchiveError && error.fault === 'unpacked_too_large');
      return passed;
    }
  }
}

test('UnpackMeter bounds the bytes of all files by the size of the archive, and never beyond the limit', async () => {
  assert.equal(await filesPassed(0), 64);
  assert.equal(await filesPassed(1000), 64 + 100);
  assert.equal(await filesPassed(10_000_000), 10_000);
});
