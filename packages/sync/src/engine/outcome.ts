import { reason } from '../rules/reasons.ts';
import type { RefusedOutcome } from './ports.ts';

/** The result of an operation. `changed`: what it assumed no longer holds, so nothing was done. */
export type Outcome = { readonly kind: 'done' | 'changed' } | RefusedOutcome;

export const DONE: Outcome = { kind: 'done' };
export const CHANGED: Outcome = { kind: 'changed' };
export const NO_TEXT: Outcome = { kind: 'refused', reason: reason('noText') };
