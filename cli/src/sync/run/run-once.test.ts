import assert from 'node:assert/strict';
import { it } from 'node:test';
import { describeDenied } from './describe.ts';
import { EXIT, exitCodeOf } from './run-once.ts';

it('a sync exits with a fault, and says so, where this user may not read or change a file', () => {
  const link = { path: 'link.md', reason: 'is a link, which is not synced' };
  const denied = { path: 'a.md', reason: 'cannot be read by this user', isDenied: true } as const;
  const codes = [[], [link], [denied], [link, denied]].map((unsynced) => exitCodeOf({ kind: 'in step', unsynced }));
  assert.deepEqual(codes, [EXIT.inStep, EXIT.inStep, EXIT.fault, EXIT.fault]);
  assert.equal(exitCodeOf({ kind: 'waiting', unsynced: [denied] }), EXIT.waiting);
  assert.equal(exitCodeOf({ kind: 'unfinished', unsynced: [] }), EXIT.fault);
  assert.equal(describeDenied([link]), '');
  assert.equal(describeDenied([link, denied, denied]), ', except 2 files that this user may not read or change');
});
