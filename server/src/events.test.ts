import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { UserId, VaultId } from '@notevault/protocol/values/ids.ts';
import { Events } from './events.ts';

const vaultId = 'c2a5e3a0-0000-4000-8000-000000000001' as VaultId;
const userId = 'c2a5e3a0-0000-4000-8000-000000000002' as UserId;
const unexpected = (error: unknown) => assert.fail(String(error));

test('Events calls the listeners of an event in the order of their subscription, and no others', () => {
  const events = new Events(unexpected);
  const heard: unknown[] = [];
  events.on('vaultChanged', (event) => heard.push(['first', event]));
  events.on('vaultClosed', (event) => heard.push(['closed', event]));
  events.on('vaultChanged', (event) => heard.push(['second', event]));
  events.emit('vaultChanged', { vaultId, changeSeq: 7, seqs: 2 });
  assert.deepEqual(heard, [
    ['first', { vaultId, changeSeq: 7, seqs: 2 }],
    ['second', { vaultId, changeSeq: 7, seqs: 2 }],
  ]);
});

test('Events accepts an event without listeners', () => {
  new Events(unexpected).emit('credentialsChanged', { userId });
});

test('Events does not call a disposed listener', () => {
  const events = new Events(unexpected);
  let heard = 0;
  const subscription = events.on('credentialsChanged', () => {
    heard += 1;
  });
  events.emit('credentialsChanged', { userId });
  subscription[Symbol.dispose]();
  events.emit('credentialsChanged', { userId });
  assert.equal(heard, 1);
});

test('Events reports a listener that throws, and continues with the others and the writer', () => {
  const reported: unknown[] = [];
  const events = new Events((error, name) => reported.push([name, error]));
  const fault = new Error('a listener failed');
  let heard = 0;
  events.on('vaultClosed', () => {
    throw fault;
  });
  events.on('vaultClosed', () => {
    heard += 1;
  });
  events.emit('vaultClosed', { vaultId });
  assert.equal(heard, 1);
  assert.deepEqual(reported, [['vaultClosed', fault]]);
});
