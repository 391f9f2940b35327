import type { ErrorCode } from '@notevault/protocol/errors.ts';
import { ProviderError, type ProviderFault } from '../../../../ports/identity-provider/identity-provider.ts';

/** Reasons for which an identity signs nobody in. */
export type IdentityFault =
  | 'no_account'
  | 'no_email'
  | 'unverified'
  | 'unconfirmed'
  | 'joined_already'
  | 'taken'
  | 'other_person'
  | 'not_fresh';

/** Errors of the catalogue that the page explains too. */
export const EXPLAINED = ['account_suspended', 'first_account_missing', 'registration_failed', 'sign_in_over'] as const;
export type ExplainedCode = Extract<ErrorCode, (typeof EXPLAINED)[number]>;

export type OidcFault = IdentityFault | ProviderFault | ExplainedCode;

/** A sign-in by an identity was refused; its page says why. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  readonly fault: IdentityFault;
  constructor(fault: IdentityFault) {
    super(`the identity signs nobody in: ${fault}`);
    this.fault = fault;
  }
}

/** The fault of an error, which the page explains; null for any other error. */
export function faultOf(error: unknown): OidcFault | null {
  if (error instanceof IdentityError || error instanceof ProviderError) return error.fault;
  const code = (error as { readonly code?: unknown }).code;
  return EXPLAINED.find((explained) => explained === code) ?? null;
}

/** The code of the provider or of a check, for the operator; null for an error that is not the provider's. */
export function detailOf(error: unknown): { readonly detail: string | null } | null {
  return error instanceof ProviderError ? { detail: error.detail } : null;
}

/** The status of the page of a fault. */
export function statusOf(fault: OidcFault): number {
  if (fault === 'sign_in_over' || fault === 'code') return 400;
  return ['unreachable', 'client', 'invalid'].includes(fault) ? 502 : 403;
}
