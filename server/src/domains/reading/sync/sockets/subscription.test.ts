import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NoteId } from '@notevault/protocol/values/ids.ts';
import { busyFor, until } from '../../../../../test/kit/until.ts';
import type { Connection } from './connection.ts';
import type { Permission } from './permission-cache.ts';
import { NoteSubscription, type ProtocolWriter, type SubscriptionDeps } from './subscription.ts';

const nothing = () => undefined;

test('NoteSubscription answers many requests for the state in several turns of the event loop', async () => {
  const live = {
    missingFor: async () => {
      busyFor(1);
      return Uint8Array.of(0, 0);
    },
    stateVector: async () => Uint8Array.of(0),
    [Symbol.dispose]: nothing,
  };
  const deps = {
    permissions: { join: (permission: Permission) => permission, release: nothing, isFresh: () => true },
    rooms: { join: () => ({ presence: { states: () => [] }, leave: nothing }) },
    live: { open: async () => live },
  } as unknown as SubscriptionDeps;
  let answers = 0;
  const writer = { scope: nothing, request: nothing, state: () => answers++ } as unknown as ProtocolWriter;
  const connection = { drained: async () => undefined, acquire: nothing, release: nothing, charge: nothing };
  const client = { connection: connection as unknown as Connection, writer };
  const permission = { principal: { userId: 'alice' }, mayWrite: true } as unknown as Permission;
  const subscription = await NoteSubscription.open(deps, client, permission, 'note' as NoteId);

  let turns = 0;
  const count = () => {
    turns += 1;
    if (answers < 100) setImmediate(count);
  };
  setImmediate(count);
  for (let request = 0; request < 100; request++) {
    subscription.handle({ kind: 'step1', vector: Uint8Array.of(0) }, 10);
  }
  await until(() => answers === 100);
  assert.ok(turns > 10, `${turns} turns`);
});
