import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import type { OpenVault } from '../../vaults/vaults.ts';
import {
  addWrite,
  BOUNDARIES_MAX,
  boundariesOf,
  FINGERPRINTS_MAX,
  fingerprintOf,
  hasFingerprint,
} from './fingerprints.ts';

const blind = (purpose: string, value: string) => createHmac('sha256', purpose).update(value).digest().subarray(0, 16);
const vault = { key: { blind } } as unknown as OpenVault;
const of = (base: number, text: string, next = 100, id = 'a') => fingerprintOf(vault, id, { base, text }, next);

describe('the fingerprints of versioned writes', () => {
  it('tell note, base version and text apart', () => {
    const all = [of(1, 'x'), of(2, 'x'), of(1, 'y'), of(1, 'x', 100, 'b')].map((each) => each.toString('hex'));
    assert.equal(new Set(all).size, all.length);
    assert.deepEqual(of(1, 'x', 2), of(1, 'x', 100));
  });

  it('the fingerprints of versioned writes that name a future version match nothing once it exists', () => {
    assert.deepEqual(of(7, 'x', 2), of(7, 'x', 7));
    assert.notDeepEqual(of(7, 'x', 2), of(7, 'x', 8));
  });

  it('are found as long as they are among the newest, and never across two of them', () => {
    // A list from before 0.3 is nothing but fingerprints.
    let list: Buffer = Buffer.concat(Array.from({ length: FINGERPRINTS_MAX - 10 }, (_, base) => of(base, 'x', 10_000)));
    for (let base = FINGERPRINTS_MAX - 10; base < FINGERPRINTS_MAX + 10; base++)
      list = addWrite(list, of(base, 'x', 10_000), null);
    assert.ok(list.length < FINGERPRINTS_MAX * 8 + 16);
    assert.equal(hasFingerprint(list, of(9, 'x', 10_000)), false);
    assert.equal(hasFingerprint(list, of(10, 'x', 10_000)), true);
    const [last, other] = [of(FINGERPRINTS_MAX + 8, 'x', 10_000), of(FINGERPRINTS_MAX + 9, 'x', 10_000)];
    assert.equal(hasFingerprint(list, Buffer.concat([last.subarray(4), other.subarray(0, 4)])), false);
    assert.equal(hasFingerprint(null, of(1, 'x')), false);
  });

  it('the fingerprints of versioned writes from before 0.3 are found, and stay when writes are added', () => {
    const old = Buffer.concat([of(1, 'a'), of(2, 'b')]);
    assert.deepEqual([hasFingerprint(old, of(2, 'b')), boundariesOf(old, 7)], [true, []]);
    const list = addWrite(old, of(3, 'c'), { client: 7, from: 10, to: 14 });
    for (const known of [of(1, 'a'), of(2, 'b'), of(3, 'c')]) assert.equal(hasFingerprint(list, known), true);
    assert.deepEqual(boundariesOf(list, 7), [10, 14]);
  });
});

describe('the boundaries of versioned writes', () => {
  const added = (list: Buffer | null, from: number, to: number, client = 7) =>
    addWrite(list, of(1, `${from}`), { client, from, to });

  it('are in order, each once, also where other writes are between, and of large clocks', () => {
    const large = 2 ** 45;
    const list = [
      [0, 5],
      [5, 9],
      [9, 9],
      [20, 25],
      [large, large + 1],
    ].reduce<Buffer | null>((known, [from = 0, to = 0]) => added(known, from, to), null);
    assert.deepEqual(boundariesOf(list, 7), [0, 5, 9, 20, 25, large, large + 1]);
    assert.deepEqual(boundariesOf(list, 8), [], 'of another client id');
    assert.deepEqual(boundariesOf(addWrite(list, of(2, 'x'), null), 7), boundariesOf(list, 7));
    assert.deepEqual(boundariesOf(added(list, 0, 3, 8), 8), [0, 3]);
  });

  it('are the newest ones of many', () => {
    let list: Buffer | null = null;
    for (let clock = 0; clock < BOUNDARIES_MAX + 10; clock += 2) list = added(list, clock, clock + 1);
    const known = boundariesOf(list, 7);
    assert.deepEqual([known.length, known.at(0), known.at(-1)], [BOUNDARIES_MAX, 10, BOUNDARIES_MAX + 9]);
  });
});
