import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StepUp } from './step-up.ts';

const url = new URL('https://notes.example/api/x');
const request = { method: 'POST', headers: new Headers(), redirect: 'manual', body: '{}' } as const;
const wanted = () => Response.json({ error: 'step_up_required', methods: ['password'] }, { status: 403 });

/** A server that wants a proof until it has one. */
function make() {
  const server = { isProved: false, requests: 0 };
  const stepUp = new StepUp();
  const fetch = stepUp.over(async () => {
    server.requests += 1;
    return server.isProved ? new Response('{}') : wanted();
  });
  const asked = () =>
    new Promise<void>((resolve) => {
      if (stepUp.question.get() !== null) return resolve();
      const end = stepUp.question.subscribe(() => {
        end();
        resolve();
      });
    });
  return { server, stepUp, fetch, asked };
}

test('requests that want a proof are sent again once it was given, after one question', async () => {
  const { server, stepUp, fetch, asked } = make();
  const sent = Promise.all([fetch(url, request), fetch(url, request)]);
  await asked();
  assert.deepEqual(stepUp.question.get()?.methods, ['password']);
  server.isProved = true;
  stepUp.question.get()?.answer(true);
  assert.deepEqual(
    (await sent).map(({ status }) => status),
    [200, 200],
  );
  assert.equal(stepUp.question.get(), null);
});

test('a refused proof leaves the answer that wanted it', async () => {
  const { server, stepUp, fetch, asked } = make();
  const sent = fetch(url, request);
  await asked();
  stepUp.question.get()?.answer(false);
  assert.equal((await (await sent).json()).error, 'step_up_required');
  assert.equal(server.requests, 1);
});

test('any other refusal is passed on without a question', async () => {
  const stepUp = new StepUp();
  const fetch = stepUp.over(async () => Response.json({ error: 'owner_required' }, { status: 403 }));
  assert.equal((await (await fetch(url, request)).json()).error, 'owner_required');
  assert.equal(stepUp.question.get(), null);
});
