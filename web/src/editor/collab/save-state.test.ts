import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  NOTHING_KNOWN,
  problemOfEnd,
  reduceSave,
  type SaveEvent,
  type SaveFacts,
  type SaveProblem,
  STALLED_MS,
  saveState,
} from './save-state.ts';

/** The facts after events, one a millisecond. */
function after(...events: SaveEvent[]): SaveFacts {
  return events.reduce((facts, event, index) => reduceSave(facts, event, index), NOTHING_KNOWN);
}

const loaded: SaveEvent = { type: 'loaded-locally', hasUnsent: false };
const connected: SaveEvent = { type: 'connected' };
const disconnected: SaveEvent = { type: 'disconnected' };
const edited: SaveEvent = { type: 'edited' };
const acknowledged: SaveEvent = { type: 'acknowledged' };
const keeping: SaveEvent = { type: 'keeping' };
const kept: SaveEvent = { type: 'kept' };
const notKept: SaveEvent = { type: 'not-kept' };
const keptAll: SaveEvent = { type: 'kept-all' };

test('the state line says nothing before the document is loaded', () => {
  assert.equal(saveState(NOTHING_KNOWN, 0).word, null);
  assert.equal(saveState(after(disconnected), 0).word, null);
});

test('the state line says Saved only while no edit waits for the server', () => {
  assert.equal(saveState(after(connected, acknowledged), 9).word, 'saved');
  assert.equal(saveState(after(connected, acknowledged, edited), 9).word, 'saving');
  assert.equal(saveState(after(connected, acknowledged, edited, keeping, kept), 9).word, 'saving');
  assert.equal(saveState(after(connected, acknowledged, edited, acknowledged), 9).word, 'saved');
});

test('the state line stays quiet when the connection goes without unsent edits', () => {
  const { word, isLoud, isConnected } = saveState(after(connected, acknowledged, disconnected), 9);
  assert.deepEqual([word, isLoud, isConnected], ['saved', false, false]);
});

test('the state line says kept on this device only when every write is confirmed', () => {
  assert.equal(saveState(after(connected, edited, keeping, disconnected), 9).word, 'offline-not-saved');
  assert.equal(saveState(after(connected, edited, keeping, disconnected, kept), 9).word, 'offline-kept');
  assert.equal(saveState(after(loaded, edited, keeping, edited, keeping, kept), 9).word, 'offline-not-saved');
  assert.equal(saveState(after(loaded, edited, keeping, notKept), 9).word, 'offline-not-saved');
});

test('one failed write to the device is made good only by a write of the whole document', () => {
  const failed = after(loaded, edited, keeping, notKept, edited, keeping);
  assert.equal(saveState(reduceSave(failed, kept, 9), 9).word, 'offline-not-saved');
  assert.equal(saveState(reduceSave(failed, keptAll, 9), 9).word, 'offline-kept');
});

test('edits that were kept from an earlier session count as unsent until the server has them', () => {
  const facts = after({ type: 'loaded-locally', hasUnsent: true });
  assert.equal(saveState(facts, 9).word, 'offline-kept');
  assert.equal(saveState(reduceSave(facts, connected, 9), 9).word, 'saving');
  assert.equal(saveState(reduceSave(reduceSave(facts, connected, 9), acknowledged, 9), 9).word, 'saved');
});

test('a connection that acknowledges nothing is treated as none', () => {
  const facts = after(connected, edited, keeping, kept);
  assert.equal(saveState(facts, STALLED_MS).word, 'saving');
  const stalled = saveState(facts, STALLED_MS + 1);
  assert.deepEqual([stalled.word, stalled.isStalled], ['offline-kept', true]);
  const again = reduceSave(reduceSave(facts, disconnected, 20_000), connected, 20_001);
  assert.equal(saveState(again, 20_002).word, 'saving', 'a new connection gets its time');
});

const problems: SaveProblem[] = [
  ...(['foreign-lineage', 'note-deleted', 'note-too-large', 'no-permission', 'signed-out'] as const),
  ...(['edit-refused', 'ended'] as const),
];

for (const problem of problems) {
  test(`the state line says Cannot save for ${problem}, loudly only with unsent edits`, () => {
    const quiet = saveState(after(connected, acknowledged, { type: 'problem', problem }), 9);
    assert.deepEqual([quiet.word, quiet.problem, quiet.isLoud], ['cannot-save', problem, false]);
    const loud = saveState(after(connected, edited, { type: 'problem', problem }), 9);
    assert.deepEqual([loud.word, loud.isLoud], ['cannot-save', true]);
    assert.equal(
      saveState(after(connected, edited, { type: 'problem', problem }, { type: 'problem-gone' }), 9).word,
      'saving',
    );
  });
}

test('every end of a document is a problem', () => {
  const reasons = ['foreign_lineage', 'note_deleted', 'note_too_large', 'permission-denied', 'revoked', 'what-else'];
  const problems = ['foreign-lineage', 'note-deleted', 'note-too-large', 'not-there', 'signed-out', 'ended'];
  assert.deepEqual(reasons.map(problemOfEnd), problems);
});

/** Every sequence of events up to a length: the machine is small enough to try them all. */
function* sequences(length: number): Generator<SaveEvent[]> {
  const all: SaveEvent[] = [
    ...[loaded, { type: 'loaded-locally', hasUnsent: true } as const, connected, disconnected, edited, acknowledged],
    ...[
      keeping,
      kept,
      keptAll,
      notKept,
      { type: 'problem', problem: 'ended' } as const,
      { type: 'problem-gone' } as const,
    ],
  ];
  if (length === 0) {
    yield [];
    return;
  }
  for (const shorter of sequences(length - 1)) {
    for (const event of all) yield [...shorter, event];
  }
}

test('no sequence of five events makes the state line say what is not true', () => {
  for (const events of sequences(5)) {
    // The expected state, derived from the events alone.
    let [isUnsent, isConnected, isProblem, isLoaded, isLocal] = [false, false, false, false, true];
    let waiting = 0;
    for (const event of events) {
      if (event.type === 'edited' || (event.type === 'loaded-locally' && event.hasUnsent)) isUnsent = true;
      if (event.type === 'acknowledged') isUnsent = false;
      if (event.type === 'connected') isConnected = true;
      if (event.type === 'disconnected') isConnected = false;
      if (event.type === 'connected' || event.type === 'loaded-locally') isLoaded = true;
      if (event.type === 'problem') isProblem = true;
      if (event.type === 'problem-gone') isProblem = false;
      if (event.type === 'keeping') waiting++;
      if (event.type === 'kept') waiting = Math.max(0, waiting - 1);
      if (event.type === 'kept-all') waiting = 0;
      if (event.type === 'kept' || event.type === 'kept-all') isLocal = true;
      if (event.type === 'not-kept') isLocal = false;
    }
    const { word } = saveState(after(...events), events.length);
    const named = JSON.stringify(events);
    assert.equal(word === 'cannot-save', isProblem, named);
    if (word === null) assert.ok(!isLoaded, named);
    if (word === 'saved') assert.ok(!isUnsent && isLoaded, named);
    if (word === 'saving') assert.ok(isUnsent && isConnected, named);
    if (word === 'offline-kept') assert.ok(isUnsent && !isConnected && isLocal && waiting === 0, named);
    if (word === 'offline-not-saved') assert.ok(isUnsent && !isConnected && !(isLocal && waiting === 0), named);
  }
});
