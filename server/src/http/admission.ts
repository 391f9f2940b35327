import type { IncomingMessage, ServerResponse } from 'node:http';
import { NotevaultError } from '@notevault/protocol/errors.ts';
import { networkOf } from '@notevault/protocol/values/ip-network.ts';
import type { FastifyRequest } from 'fastify';
import { FairSemaphore, type Permit, type SemaphoreLimits } from '../concurrency/semaphore.ts';
import { runForTenant } from '../concurrency/tenant.ts';
import { loopSlices, type SliceScheduler } from '../concurrency/yield.ts';
import { ANSWER_BYTES, HANDLED_REQUESTS, REQUESTS_PER_TENANT } from '../config/limits.ts';
import { closedSignal, hangUpSignal, onceClosed } from './connections/closed-signal.ts';

export interface AdmissionLimits {
  /** Maximum concurrent requests per tenant, from the first byte to the end of the answer; more are refused. */
  readonly requestsPerTenant: number;
  readonly work: SemaphoreLimits;
  /** Limits of bytes of large answers that are being made or sent. */
  readonly answers: SemaphoreLimits;
}

const LIMITS: AdmissionLimits = {
  requestsPerTenant: REQUESTS_PER_TENANT,
  work: HANDLED_REQUESTS,
  answers: ANSWER_BYTES,
};

/** Shares the process between accounts, and between networks of callers without an account. */
export class Admission {
  readonly #limits: AdmissionLimits;
  readonly #slices: Pick<SliceScheduler, 'enter'>;
  readonly #work: FairSemaphore;
  readonly #answers: FairSemaphore;
  readonly #tenants = new WeakMap<IncomingMessage, string>();
  readonly #requests = new Map<string, number>();

  constructor(limits: AdmissionLimits = LIMITS, slices: Pick<SliceScheduler, 'enter'> = loopSlices) {
    this.#limits = limits;
    this.#slices = slices;
    this.#work = new FairSemaphore(limits.work);
    this.#answers = new FairSemaphore(limits.answers);
  }

  /** Number of requests that wait to be handled or for memory for their answer. */
  get waiting(): number {
    return this.#work.waiting + this.#answers.waiting;
  }

  get answerBytes(): number {
    return this.#answers.used;
  }

  /**
   * Counts a request against its account's share until its answer has ended. Beyond the share it rejects with
   * `unavailable` when it is the account's turn, so that a thousand refusals delay only their account.
   */
  admit(request: FastifyRequest, response: ServerResponse, account: string): Promise<never> | undefined {
    const count = this.#requests.get(account) ?? 0;
    if (count >= this.#limits.requestsPerTenant) return this.#refuse(account);
    this.#tenants.set(request.raw, account);
    this.#requests.set(account, count + 1);
    onceClosed(response, () => {
      const left = (this.#requests.get(account) ?? 1) - 1;
      if (left === 0) this.#requests.delete(account);
      else this.#requests.set(account, left);
    });
    return undefined;
  }

  tenantOf(request: FastifyRequest): string {
    return this.#tenants.get(request.raw) ?? tenantOfAddress(request.ip);
  }

  /** Handles a request when it is its tenant's turn. Throws `unavailable` beyond the tenant's share. */
  work<Result>(request: FastifyRequest, response: ServerResponse, work: () => Promise<Result>): Promise<Result> {
    return this.workFor(this.tenantOf(request), response, work);
  }

  /** Like `work`, for a tenant that the request does not name. */
  async workFor<Result>(tenant: string, response: ServerResponse, work: () => Promise<Result>): Promise<Result> {
    let signal: AbortSignal | undefined;
    const hangUp = () => {
      signal ??= hangUpSignal(response);
      return signal;
    };
    const free = response.destroyed ? null : this.#work.tryAcquire(tenant);
    using _ = free ?? (await this.#work.acquire(tenant, 1, hangUp()));
    const turn = this.#slices.enter(tenant);
    if (turn !== undefined) await turn;
    return await runForTenant(tenant, work, hangUp);
  }

  async #refuse(account: string): Promise<never> {
    await this.#slices.enter(account);
    throw new NotevaultError('unavailable');
  }

  /** Reserves memory for an answer until it is sent or abandoned. Throws `unavailable` beyond the share. */
  reserveAnswer(request: FastifyRequest, response: ServerResponse, bytes: number): Permit | Promise<Permit> {
    const tenant = this.tenantOf(request);
    const free = response.destroyed ? null : this.#answers.tryAcquire(tenant, bytes);
    const untilClosed = (permit: Permit) => {
      onceClosed(response, () => permit[Symbol.dispose]());
      return permit;
    };
    if (free !== null) return untilClosed(free);
    return this.#answers.acquire(tenant, bytes, closedSignal(response)).then(untilClosed);
  }
}

/** The tenant of a caller without an account. */
export function tenantOfAddress(ip: string): string {
  return `network ${networkOf(ip)}`;
}
