import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KeyOwner, Keyring, SealingKey } from './keyring.ts';

const alice: KeyOwner = { kind: 'user', id: 'alice' };
const bob: KeyOwner = { kind: 'user', id: 'bob' };
const context = { kind: 'notes.meta', row: 'row-1', version: 3 };

/** The contract suite of keyrings. `make` returns keyrings with different master keys. */
export function keyringContract(name: string, make: () => Keyring): void {
  const keyOf = (keyring: Keyring, owner: KeyOwner, generation = 0): SealingKey =>
    keyring.openDataKey(owner, keyring.createDataKey(owner), generation);

  describe(`keyring: ${name}`, () => {
    it('a keyring opens what it sealed in the same context: short, long, empty and incompressible values', () => {
      const key = keyOf(make(), alice);
      for (const plain of ['', 'a', 'note '.repeat(10_000)].map((text) => Buffer.from(text))) {
        assert.deepEqual(key.open(context, key.seal(context, plain)), plain);
      }
      const noise = Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 2654435761) >>> 24));
      assert.deepEqual(key.open(context, key.seal(context, noise)), noise);
    });

    it('a keyring compresses before it seals', () => {
      const key = keyOf(make(), alice);
      assert.ok(key.seal(context, Buffer.from('again '.repeat(1000))).length < 200);
    });

    it('a keyring seals equal values differently', () => {
      const key = keyOf(make(), alice);
      assert.notDeepEqual(key.seal(context, Buffer.from('x')), key.seal(context, Buffer.from('x')));
    });

    it('a keyring opens in no other context: kind, row, version or owner', () => {
      const keyring = make();
      const wrapped = keyring.createDataKey(alice);
      const key = keyring.openDataKey(alice, wrapped, 0);
      const sealed = key.seal(context, Buffer.from('text'));
      for (const other of [
        { ...context, kind: 'notes.body' },
        { ...context, row: 'row-2' },
        { ...context, version: 4 },
      ]) {
        assert.throws(() => key.open(other, sealed), { code: 'damaged_value' });
      }
      assert.throws(() => keyOf(keyring, bob).open(context, sealed), { code: 'damaged_value' });
    });

    it('a keyring refuses every flipped byte and every truncation', () => {
      const key = keyOf(make(), alice);
      const sealed = key.seal(context, Buffer.from('some text'));
      for (let index = 0; index < sealed.length; index++) {
        const flipped = Buffer.from(sealed);
        flipped.writeUInt8(flipped.readUInt8(index) ^ 1, index);
        assert.throws(() => key.open(context, flipped), { code: 'damaged_value' });
        assert.throws(() => key.open(context, sealed.subarray(0, index)), { code: 'damaged_value' });
      }
    });

    it('a keyring opens values of every generation', () => {
      const keyring = make();
      const wrapped = keyring.createDataKey(alice);
      const old = keyring.openDataKey(alice, wrapped, 0).seal(context, Buffer.from('old'));
      assert.equal(keyring.openDataKey(alice, wrapped, 7).open(context, old).toString(), 'old');
    });

    it('a keyring blinds equal values equally, per purpose and owner', () => {
      const keyring = make();
      const key = keyOf(keyring, alice);
      assert.deepEqual(key.blind('path', 'a.md'), key.blind('path', 'a.md'));
      assert.equal(key.blind('path', 'a.md').length, 16);
      assert.notDeepEqual(key.blind('path', 'a.md'), key.blind('tag', 'a.md'));
      assert.notDeepEqual(key.blind('path', 'a.md'), keyOf(keyring, bob).blind('path', 'a.md'));
    });

    it('a keyring opens a wrapped key only for its owner and under its master key', () => {
      const keyring = make();
      const wrapped = keyring.createDataKey(alice);
      assert.throws(() => keyring.openDataKey(bob, wrapped, 0), { code: 'damaged_key' });
      assert.throws(() => make().openDataKey(alice, wrapped, 0), { code: 'wrong_master_key' });
    });

    it('a keyring rewraps a data key under another master key: old values open without the old wrapping', () => {
      const from = make();
      const to = make();
      const wrapped = from.createDataKey(alice);
      const sealed = from.openDataKey(alice, wrapped, 0).seal(context, Buffer.from('kept'));
      const rewrapped = from.rewrap(alice, wrapped, to);
      assert.equal(rewrapped.masterKeyId, to.masterKeyId);
      assert.equal(to.openDataKey(alice, rewrapped, 0).open(context, sealed).toString(), 'kept');
    });
  });
}
