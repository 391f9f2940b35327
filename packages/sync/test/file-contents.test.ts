import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { nodeHashing } from '../../../cli/src/sync/run/node-hashing.ts';
import { Random } from '../../../server/test/kit/random.ts';
import { FileContents, wholeOf } from '../src/engine/file-contents.ts';
import { DiskRefused, type Hashing } from '../src/engine/ports.ts';
import { Scheduler } from './simulation/scheduler.ts';
import { hashOf, SimDisk } from './simulation/sim-disk.ts';

const random = new Random(1);
const disk = () =>
  new SimDisk({ hasFileIds: true, foldsCase: false, takesColons: true }, new Scheduler(random), random);

/** Hashing that behaves like Web Crypto, which takes all bytes at once and answers later. */
const lateHashing: Hashing = {
  begin() {
    const pieces: Uint8Array[] = [];
    return {
      add: (bytes) => void pieces.push(bytes),
      end: async () => createHash('sha256').update(Buffer.concat(pieces)).digest('hex'),
    };
  },
};

for (const [name, hashing] of Object.entries({
  'Node’s hashing': nodeHashing,
  'hashing that answers later': lateHashing,
})) {
  test(`FileContents hashes small and large files with ${name}, and none that changed`, async () => {
    const folder = disk();
    const contents = new FileContents(folder, hashing);
    for (const text of ['', 'text', 'x'.repeat(200_000)]) {
      folder.userWrite('a.png', text);
      const [file] = (await folder.list()).files;
      assert.ok(file);
      assert.equal(await contents.hash(file), hashOf(text));
      assert.deepEqual(await contents.text(file), { text, hash: hashOf(text) });
      folder.userDelete('a.png');
      assert.deepEqual([await contents.hash(file), await contents.text(file)], [null, null]);
    }
  });
}

test('FileContents passes on bytes of the announced size and hash, and stops at the first byte too many', async () => {
  const contents = new FileContents(disk(), nodeHashing);
  let sent = 0;
  const endless = async function* () {
    for (;;) {
      sent += 1;
      yield Buffer.from('text');
    }
  };
  const two = async function* () {
    yield* [Buffer.from('te'), Buffer.from('xt')];
  };
  const announced = { hash: hashOf('text'), size: 4 };
  assert.equal(String(Buffer.from(await wholeOf(contents.verified({ ...announced, bytes: two() })))), 'text');
  for (const wrong of [{ hash: hashOf('other') }, { size: 5 }, { hash: hashOf('other'), size: null }])
    await assert.rejects(wholeOf(contents.verified({ ...announced, bytes: two(), ...wrong })), DiskRefused);
  await assert.rejects(wholeOf(contents.verified({ ...announced, bytes: endless() })), DiskRefused);
  assert.equal(sent, 2);
});
