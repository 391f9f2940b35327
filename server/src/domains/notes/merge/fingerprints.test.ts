import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, it } from 'node:test';
import type { OpenVault } from '../../vaults/vaults.ts';
import { addFingerprint, FINGERPRINTS_MAX, fingerprintOf, hasFingerprint } from './fingerprints.ts';

const blind = (purpose: string, value: string) => createHmac('sha256', purpose).update(value).digest().subarray(0, 16);
const vault = { key: { blind } } as unknown as OpenVault;
const of = (base: number, text: string, next = 100, id = 'a') => fingerprintOf(vault, id, { base, text }, next);

describe('the fingerprints of versioned writes', () => {
  it('tell note, base version and text apart', () => {
    const all = [of(1, 'x'), of(2, 'x'), of(1, 'y'), of(1, 'x', 100, 'b')].map((each) => each.toString('hex'));
    assert.equal(new Set(all).size, all.length);
    assert.deepEqual(of(1, 'x', 2), of(1, 'x', 100));
  });

  it('of a base that the note never issued say nothing of the version that it issues under that number later', () => {
    assert.deepEqual(of(7, 'x', 2), of(7, 'x', 7));
    assert.notDeepEqual(of(7, 'x', 2), of(7, 'x', 8));
  });

  it('are found as long as they are among the newest, and never across two of them', () => {
    let list: Buffer | null = null;
    for (let base = 0; base < FINGERPRINTS_MAX + 10; base++) list = addFingerprint(list, of(base, 'x', 10_000));
    assert.equal(list?.length, FINGERPRINTS_MAX * 8);
    assert.equal(hasFingerprint(list, of(9, 'x', 10_000)), false);
    assert.equal(hasFingerprint(list, of(10, 'x', 10_000)), true);
    assert.equal(hasFingerprint(list, list?.subarray(4, 12) ?? Buffer.alloc(8)), false);
    assert.equal(hasFingerprint(null, of(1, 'x')), false);
  });
});
