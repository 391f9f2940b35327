import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { FastifyRequest } from 'fastify';
import { currentTenant } from '../concurrency/tenant.ts';
import { SliceScheduler } from '../concurrency/yield.ts';
import { Admission } from './admission.ts';

const limits = {
  requestsPerTenant: 6,
  work: { units: 4, unitsPerTenant: 2, waiting: 100, waitingPerTenant: 3 },
  answers: { units: 100, unitsPerTenant: 50, waiting: 100, waitingPerTenant: 1 },
};

/** A request of an account, with its response. */
function requestOf(admission: Admission, account: string | null) {
  const request = { raw: {}, ip: '192.0.2.7' } as unknown as FastifyRequest;
  const response = Object.assign(new EventEmitter(), { destroyed: false, closed: false });
  const raw = response as unknown as ServerResponse;
  const refused = account === null ? undefined : admission.admit(request, raw, account);
  const close = () => {
    Object.assign(response, { destroyed: true, closed: true });
    response.emit('close');
  };
  return { request, raw, refused, close };
}

async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await new Promise((resolve) => setImmediate(resolve));
}

test('Admission bounds the requests of one account at once, without affecting others', async () => {
  const admission = new Admission(limits);
  const open = Array.from({ length: 6 }, () => requestOf(admission, 'alice'));
  const refused = async () => {
    await assert.rejects(requestOf(admission, 'alice').refused ?? Promise.resolve(), { code: 'unavailable' });
  };
  await refused();
  assert.equal(requestOf(admission, 'bob').refused, undefined);
  open[0]?.close();
  assert.equal(requestOf(admission, 'alice').refused, undefined);
  await refused();
});

test('Admission refuses an account in its turn, so that another account does not wait for its refusals', async () => {
  const slices = new SliceScheduler();
  const admission = new Admission({ ...limits, requestsPerTenant: 0 }, slices);
  const ended: string[] = [];
  const waiting = slices.turn('first', 0).then(() => ended.push('first'));
  const refusals = Array.from({ length: 3 }, async () => {
    await assert.rejects(requestOf(admission, 'refused').refused ?? Promise.resolve(), { code: 'unavailable' });
    ended.push('refused');
  });
  const other = slices.turn('last', 0).then(() => ended.push('last'));
  await Promise.all([waiting, other, ...refusals]);
  assert.deepEqual(ended, ['first', 'refused', 'last', 'refused', 'refused']);
});

test('Admission works on few requests of an account at once, counted per account', async () => {
  const admission = new Admission(limits);
  const begun: string[] = [];
  const gates: (() => void)[] = [];
  const send = (account: string | null) => {
    const { request, raw } = requestOf(admission, account);
    return admission.work(request, raw, async () => {
      begun.push(currentTenant());
      await new Promise<void>((resolve) => gates.push(resolve));
    });
  };
  const alice = Array.from({ length: 5 }, () => send('alice'));
  await assert.rejects(send('alice'), { code: 'unavailable' });
  const others = [send('bob'), send(null)];
  await until(() => begun.length >= 4);
  // In which order depends on what the first one cost.
  assert.deepEqual(begun.toSorted(), ['alice', 'alice', 'bob', 'network 192.0.2.7']);
  for (let at = 0; at < 7; at++) {
    await until(() => gates.length > at);
    gates[at]?.();
  }
  await Promise.all([...alice, ...others]);
});

test('Admission refuses an account over its share of large answers, and frees the share at a hang-up', async () => {
  const admission = new Admission(limits);
  const open = (account: string, bytes: number) => {
    const { request, raw, close } = requestOf(admission, account);
    return { permit: Promise.resolve(admission.reserveAnswer(request, raw, bytes)), close };
  };
  const first = open('alice', 50);
  (await first.permit).resize(30);
  const second = open('alice', 50);
  await assert.rejects(open('alice', 50).permit, { code: 'unavailable' });
  await open('bob', 50).permit;
  assert.equal(admission.answerBytes, 80);
  second.close();
  await assert.rejects(second.permit, { code: 'bad_request' });
  first.close();
  assert.equal(admission.answerBytes, 50);
});
