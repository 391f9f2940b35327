import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { UserId } from '@notevault/protocol/values/ids.ts';
import * as Y from 'yjs';
import { type Compute, TaskLimitError } from '../../../../../concurrency/worker-pool.ts';
import { runTrial } from './run-trial.ts';
import { textOfUpdate, tryUpdate } from './trial.ts';

const OWN_CLIENT = 5;

/** A document, and an update of a client that inserts `text` into it. */
function document(text: string) {
  const doc = new Y.Doc();
  doc.clientID = OWN_CLIENT;
  doc.getText('content').insert(0, 'x');
  const [state, known] = [Y.encodeStateAsUpdate(doc), Y.encodeStateVector(doc)];
  doc.clientID = 7;
  doc.getText('content').insert(1, text);
  return { state, update: Y.encodeStateAsUpdate(doc, known) };
}

/** Tries an update in this thread; `before` runs at the beginning of each trial, with its number. */
async function trial(before: (trial: number) => void) {
  const { state, update } = document('hello');
  let trials = 0;
  const run = async (_account: string, name: string, input: Parameters<typeof tryUpdate>[0]) => {
    if (name === 'textOfUpdate') return { output: textOfUpdate(input), cpuMs: 0 };
    before(++trials);
    return { output: tryUpdate(input), cpuMs: 0 };
  };
  const deps = { compute: { run } as unknown as Compute<never>, trialMs: undefined };
  const { kind } = await runTrial(deps, { callerId: 'alice' as UserId }, state, update, OWN_CLIENT);
  return { kind, trials };
}

/** Makes each slice cost the processor time that the returned object says, in milliseconds. */
function sliceCost(t: TestContext) {
  const cost = { ms: 0 };
  t.mock.method(process, 'threadCpuUsage', () => ({ user: cost.ms * 1000, system: 0 }));
  return cost;
}

suite('runTrial', () => {
  test('an update that was costly once is tried again', async (t) => {
    const cost = sliceCost(t);
    const once = await trial((number) => {
      cost.ms = number === 1 ? 60 : 5;
    });
    assert.deepEqual(once, { kind: 'accepted', trials: 2 });
  });

  test('an update that is costly twice is refused', async (t) => {
    const cost = sliceCost(t);
    const twice = await trial(() => {
      cost.ms = 60;
    });
    assert.deepEqual(twice, { kind: 'costly', trials: 2 });
  });

  test('a trial that used up its time is repeated once', async () => {
    const exceed = () => {
      throw new TaskLimitError('time');
    };
    assert.deepEqual(await trial((number) => number === 1 && exceed()), { kind: 'accepted', trials: 2 });
    assert.deepEqual(await trial(exceed), { kind: 'costly', trials: 2 });
  });
});
