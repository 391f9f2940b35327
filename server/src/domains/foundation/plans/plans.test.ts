import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builtinPlans, capOf, checkPlans, mergePlans } from './plans.ts';

test('capOf returns Infinity for a cap of null, and any other cap itself', () => {
  assert.equal(capOf(builtinPlans.self_hosted, 'notes_cap'), Number.POSITIVE_INFINITY);
  assert.equal(capOf(builtinPlans.free, 'notes_cap'), 10_000);
  assert.equal(capOf(builtinPlans.free, 'max_file_bytes'), 0);
});

test('mergePlans changes keys of a known plan, and keeps its other keys and all other plans', () => {
  const table = mergePlans(builtinPlans, { free: { vaults_cap: 3 } });
  assert.deepEqual(table.free, { ...builtinPlans.free, vaults_cap: 3 });
  assert.deepEqual(table.pro, builtinPlans.pro);
});

test('checkPlans accepts a new plan only if it is complete', () => {
  const team = { ...builtinPlans.pro, vaults_cap: null };
  assert.deepEqual(checkPlans(builtinPlans, { team }), []);
  assert.deepEqual(mergePlans(builtinPlans, { team }).team, team);
  assert.match(checkPlans(builtinPlans, { team: { vaults_cap: 1 } }).join(), /missing: notes_cap, attachments_enabled/);
});

test('checkPlans reports every fault of a plan file', () => {
  const content = { free: { vaults_cap: -1, notes: 1, cross_vault_search: 'yes' }, 'Big Plan': {}, pro: 7 };
  const problems = checkPlans(builtinPlans, content);
  assert.deepEqual(
    problems.map((problem) => problem.replace(/;.*/, '')),
    [
      '"vaults_cap" of plan "free" must be a whole number from 0, or null for no cap',
      'plan "free" has an unknown key "notes"',
      '"cross_vault_search" of plan "free" must be true or false',
      'plan name "Big Plan" must be lower-case letters, digits and _',
      'plan "pro" must be a JSON object',
    ],
  );
  assert.match(checkPlans(builtinPlans, []).join(), /must be a JSON object of plans/);
});
