import assert from 'node:assert/strict';
import { TOTP } from 'otpauth';
import type { TestClock } from './clock.ts';
import type { Caller } from './person.ts';

/** The authenticator app of a person. */
export interface Authenticator {
  readonly recoveryCodes: readonly string[];
  /** Returns the code of a later step than any before; the clock moves on to it. */
  next(): string;
  /** Returns the code of the current step, plus some steps. */
  code(steps?: number): string;
  /** Returns a code that is wrong now. */
  wrong(): string;
}

const STEP_MS = 30_000;

/** Returns the code of a secret in base32. */
export function codeAt(secret: string, timestamp: number): string {
  return new TOTP({ secret }).generate({ timestamp });
}

/** Sets up an authenticator app for a caller with a fresh session. */
export async function setUpTotp(caller: Caller, clock: TestClock): Promise<Authenticator> {
  const started = await caller.post('/me/totp');
  assert.equal(started.status, 200, String(started.bytes));
  const code = (steps = 0) => codeAt(started.body.secret, clock.now() + steps * STEP_MS);
  const confirmed = await caller.post('/me/totp/confirm', { code: code() });
  assert.equal(confirmed.status, 200, String(confirmed.bytes));
  return {
    recoveryCodes: confirmed.body.recovery_codes,
    next() {
      clock.advance({ seconds: 30 });
      return code();
    },
    code,
    wrong() {
      const near = new Set([-1, 0, 1].map(code));
      return ['000000', '111111', '222222', '333333'].find((each) => !near.has(each)) ?? '';
    },
  };
}
