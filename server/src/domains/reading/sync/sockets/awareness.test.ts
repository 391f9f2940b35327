/** Presence in documents, tested against y-protocols, whose messages it uses. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import { Awareness, applyAwarenessUpdate, encodeAwarenessUpdate } from 'y-protocols/awareness';
import * as Y from 'yjs';
import { noStates, Presence, readStates, signedStates, writeStates } from './awareness.ts';

const [alice, bob] = [{ owner: 'alice' }, { owner: 'bob' }];
const said = (
  client: number,
  clock: number,
  state: string | null = `{"of":${client},"actor":{"user_id":"alice"}}`,
) => ({
  client,
  clock,
  state,
});

describe('messages', () => {
  test('awareness messages are compatible with y-protocols, in both directions', () => {
    const awareness = new Awareness(new Y.Doc());
    awareness.setLocalState({ cursor: 'ä', nested: { at: 1 } });
    const states = readStates(encodeAwarenessUpdate(awareness, [awareness.clientID]));
    assert.deepEqual(states, [{ client: awareness.clientID, clock: 1, state: '{"cursor":"ä","nested":{"at":1}}' }]);
    const other = new Awareness(new Y.Doc());
    applyAwarenessUpdate(other, writeStates(states ?? []), 'test');
    assert.deepEqual(other.getStates().get(awareness.clientID), awareness.getLocalState());
    applyAwarenessUpdate(other, writeStates([said(awareness.clientID, 1, null)]), 'test');
    assert.equal(other.getStates().has(awareness.clientID), false);
    applyAwarenessUpdate(other, noStates, 'test');
    for (const each of [awareness, other]) each.destroy();
  });

  test('malformed and oversized awareness messages are rejected', () => {
    assert.equal(readStates(Uint8Array.of(255, 255, 255, 255, 15)), null);
    assert.equal(readStates(Uint8Array.of(1, 1)), null);
    assert.equal(readStates(writeStates([said(1, 1, 'no json')])), null);
    assert.equal(readStates(writeStates([said(1, 1, `"${'x'.repeat(20_000)}"`)])), null);
    assert.equal(readStates(writeStates(Array.from({ length: 257 }, (_, at) => said(at, 1)))), null);
    assert.deepEqual(readStates(writeStates([said(1, 1, 'null')])), [said(1, 1, null)]);
  });
});

describe('presence', () => {
  test('presence ignores a state older than the known one', () => {
    const presence = new Presence();
    assert.deepEqual(presence.receive(alice, [said(1, 5)], 'alice', 0), [said(1, 5)]);
    assert.deepEqual(presence.receive(alice, [said(1, 4), said(1, 5)], null, 0), []);
    assert.deepEqual(presence.receive(alice, [said(1, 6, '7')], null, 0), [said(1, 6, '7')]);
    assert.deepEqual(presence.states(), [said(1, 6, '7')]);
    assert.deepEqual(presence.receive(alice, [said(1, 6, null)], null, 0), [said(1, 6, null)]);
    assert.deepEqual(presence.states(), []);
  });

  test('presence says whose a state is, in place of what it claims, and takes nothing but objects', () => {
    const reporter = { userId: 'a' as UserId, displayName: 'Alice', kind: 'session' } as const;
    const claimed = said(1, 1, '{"user":{"name":"x"},"actor":{"user_id":"b"}}');
    const actor = '"actor":{"user_id":"a","display_name":"Alice","kind":"session"}';
    assert.deepEqual(signedStates([claimed, said(2, 1, null)], reporter), [
      said(1, 1, `{"user":{"name":"x"},${actor}}`),
      said(2, 1, null),
    ]);
    const long = JSON.stringify({ x: 'x'.repeat(16 * 1024 - 10) });
    for (const state of ['7', '"x"', '[]', long]) assert.deepEqual(signedStates([said(1, 1, state)], reporter), []);
  });

  test('presence lets nobody else take or end a client, also not with their first message', () => {
    const presence = new Presence();
    presence.receive(alice, [said(1, 5)], 'alice', 0);
    for (const state of ['{}', '{"actor":{"user_id":"bob"}}', null]) {
      assert.deepEqual(presence.receive(bob, [said(1, 9, state)], 'bob', 0), []);
    }
    assert.deepEqual(presence.states(), [said(1, 5)]);
  });

  test('presence rejects states for another owner’s client, but a reconnecting client reclaims its id', () => {
    const presence = new Presence();
    presence.receive(alice, [said(1, 5)], 'alice', 0);
    assert.deepEqual(presence.receive(bob, [said(2, 0), said(1, 9, 'false'), said(1, 5, null)], null, 0), [said(2, 0)]);
    // Alice's client on a new socket, before the old socket is known to be closed.
    const again = { owner: 'alice again' };
    assert.deepEqual(presence.receive(again, [said(1, 5)], 'alice', 0), [said(1, 5)]);
    assert.deepEqual(presence.leave(alice), []);
    assert.deepEqual(presence.leave(again), [said(1, 5, null)]);
    assert.deepEqual(presence.states(), [said(2, 0)]);
  });

  test('presence does not restore a client that left on an echo, only when it comes back itself', () => {
    const presence = new Presence();
    presence.receive(alice, [said(1, 5)], 'alice', 0);
    presence.leave(alice);
    assert.deepEqual(presence.receive(bob, [said(1, 5)], null, 0), []);
    assert.deepEqual(presence.receive(alice, [said(1, 5)], 'alice', 0), [said(1, 5)]);
  });

  test('presence drops clients of other processes after a long silence', () => {
    const presence = new Presence();
    presence.receive(alice, [said(1, 1)], 'alice', 0);
    presence.receive(bob, [said(2, 1), said(3, 1)], null, 0);
    presence.receive(bob, [said(3, 2)], null, 30);
    assert.deepEqual(
      presence.expire(20, (owner) => owner === alice),
      [said(2, 1, null)],
    );
    assert.deepEqual(
      presence.states().map(({ client }) => client),
      [1, 3],
    );
  });

  test('presence limits clients and their bytes, and a client that leaves frees its share', () => {
    const presence = new Presence();
    const many = Array.from({ length: 2000 }, (_, at) => said(at, 1));
    assert.equal(presence.receive(alice, many, 'alice', 0).length, 1024);
    presence.leave(alice);
    const large = Array.from({ length: 100 }, (_, at) => said(at, 2, JSON.stringify('x'.repeat(16_000))));
    assert.ok(presence.receive(bob, large, 'bob', 0).length < 70);
    presence.leave(bob);
    assert.equal(presence.receive(bob, large.slice(0, 10), 'bob', 0).length, 10);
  });
});
