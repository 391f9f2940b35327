import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeeds } from './simulation/run.ts';

test('in 50 seeds three devices and an assistant end in sync with no word lost, and runs are repeatable', async () => {
  assert.deepEqual(await runSeeds(1, 10), []);
  assert.deepEqual(await runSeeds(11, 40, { twice: false }), []);
});

test('in 40 seeds with swapped and rotated names three devices end in sync with no word lost', async () => {
  assert.deepEqual(await runSeeds(1, 40, { twice: false, hasExchanges: true }), []);
});

test('in 20 seeds of devices that let others have their turn between two files no word is lost', async () => {
  assert.deepEqual(await runSeeds(1, 20, { twice: false, rests: true }), []);
});

test('seed 1005187: a version of a restored vault is not taken for the one that had its number before', async () => {
  assert.deepEqual(await runSeeds(1_005_187, 1), []);
});

test('seed 1017629: a rename of letters’ case ends although another file of the disk has that spelling', async () => {
  assert.deepEqual(await runSeeds(1_017_629, 1), []);
});

test('seeds 7007939 and 7009887: a file is not confused with one that differs by case and moves away', async () => {
  assert.deepEqual([...(await runSeeds(7_007_939, 1)), ...(await runSeeds(7_009_887, 1))], []);
});

test('seed 20014327: an edit that the server lost by a restore is sent again, not overwritten', async () => {
  assert.deepEqual(await runSeeds(20_014_327, 1), []);
});

test('seed 1004150: a note that is gone before its merged text is written here is not deleted in the vault', async () => {
  assert.deepEqual(await runSeeds(1_004_150, 1), []);
});

test('seeds 1013102 and 1014934: a line that one side replaced and the other removed stays a line', async () => {
  assert.deepEqual([...(await runSeeds(1_013_102, 1)), ...(await runSeeds(1_014_934, 1))], []);
});

test('seed 3000920 with exchanges: a file written anew does not replace a merged text that it never saw', async () => {
  assert.deepEqual(await runSeeds(3_000_920, 1, { twice: false, hasExchanges: true }), []);
});

test('in 50 seeds with members whose roles change, viewers send nothing and no word is lost', async () => {
  assert.deepEqual(await runSeeds(1, 5, { hasMembers: true }), []);
  assert.deepEqual(await runSeeds(6, 45, { twice: false, hasMembers: true }), []);
});

test('seed 1734 with members: a request of an editor without an answer is not sent again by a viewer', async () => {
  assert.deepEqual(await runSeeds(1734, 1, { hasMembers: true }), []);
});

test('seed 9564 with members: all devices get a file whose request was carried out twice', async () => {
  assert.deepEqual(await runSeeds(9564, 1, { hasMembers: true }), []);
});

test('in 50 seeds with lost states and older folder copies, no earlier own text is kept, nothing is lost', async () => {
  assert.deepEqual(await runSeeds(1, 5, { hasCopies: true }), []);
  assert.deepEqual(await runSeeds(6, 45, { twice: false, hasCopies: true }), []);
});
