import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Check, judge, type ServerFacts } from './checks.ts';

const NOW = Date.parse('2026-11-22T12:00:00Z');
const GOOD: ServerFacts = {
  origin: 'https://notes.example.org',
  isSecure: true,
  publicUrl: 'https://notes.example.org',
  hasSocket: true,
  clockOffMs: 400,
  isDiskFull: false,
  isDatabaseDamaged: false,
  isBackupFailed: false,
  lastBackupAt: '2026-11-22T02:00:00Z',
};

function statesOf(change: Partial<ServerFacts>): Partial<Record<Check['id'], Check['state']>> {
  const checks = judge({ ...GOOD, ...change }, NOW).filter(({ state }) => state !== 'ok');
  return Object.fromEntries(checks.map(({ id, state }) => [id, state]));
}

test('judge finds nothing on a server that is set up well', () => {
  assert.deepEqual(statesOf({}), {});
  assert.equal(judge(GOOD, NOW).length, 7);
});

test('judge asks for encryption across a network, and not on the machine of the server', () => {
  for (const origin of ['http://localhost:4100', 'http://127.0.0.1:4100']) {
    const ids = judge({ ...GOOD, origin, publicUrl: origin }, NOW).map(({ id }) => id);
    assert.equal(ids.includes('secure'), false);
    assert.deepEqual(statesOf({ origin, publicUrl: origin }), {});
  }
  const open = 'http://192.168.1.5:4100';
  assert.deepEqual(statesOf({ origin: open, publicUrl: open, isSecure: false }), { secure: 'fault' });
});

test('judge compares the address of the page with the one that the server tells to others', () => {
  assert.deepEqual(statesOf({ publicUrl: 'http://localhost:4100' }), { address: 'fault' });
  assert.deepEqual(statesOf({ publicUrl: 'https://notes.example.org/' }), {});
  assert.deepEqual(statesOf({ publicUrl: 'https://notes.example.org/notes' }), { address: 'fault' });
  assert.deepEqual(statesOf({ publicUrl: null }), { address: 'warning' });
});

test('judge finds a proxy without WebSockets, a wrong clock and a full disk at fault', () => {
  assert.deepEqual(statesOf({ hasSocket: false, clockOffMs: -120_000, isDiskFull: true }), {
    socket: 'fault',
    clock: 'fault',
    disk: 'fault',
  });
  assert.deepEqual(statesOf({ clockOffMs: null }), {});
});

test('judge finds a damaged database and a failed backup at fault, however recent the last good one is', () => {
  assert.deepEqual(statesOf({ isDatabaseDamaged: true, isBackupFailed: true }), { database: 'fault', backup: 'fault' });
});

test('judge warns without a backup of the last three days', () => {
  assert.deepEqual(statesOf({ lastBackupAt: null }), { backup: 'warning' });
  assert.deepEqual(statesOf({ lastBackupAt: '2026-11-19T02:00:00Z' }), { backup: 'warning' });
  assert.deepEqual(statesOf({ lastBackupAt: '2026-11-20T02:00:00Z' }), {});
});
