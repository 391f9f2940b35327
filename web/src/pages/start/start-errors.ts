import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import type { start } from '../../i18n/en/start.ts';

type Key = `error.${keyof typeof start.error}`;

/** The text for a failed attempt: its key in the catalogue, and its values. */
export interface StartError {
  readonly key: Key;
  readonly values: { readonly code: string; readonly seconds: string };
}

const KEYS: Readonly<Record<string, Key>> = {
  invalid_credentials: 'error.invalidCredentials',
  account_suspended: 'error.suspended',
  suspended: 'error.suspended',
  invalid_code: 'error.invalidCode',
  invalid_ticket: 'error.invalidTicket',
  invalid_passkey: 'error.invalidPasskey',
  passkey_copied: 'error.passkeyCopied',
  'email and password required': 'error.required',
  password_too_short: 'error.tooShort',
  password_too_long: 'error.tooLong',
  registration_failed: 'error.registrationFailed',
  registration_closed: 'error.registrationClosed',
  invite_required: 'error.inviteRequired',
  invite_invalid: 'error.inviteInvalid',
  setup_token_required: 'error.setupTokenInvalid',
  setup_token_invalid: 'error.setupTokenInvalid',
  invalid_token: 'error.resetInvalid',
};

const NONE = { code: '', seconds: '' };

/** Explains why signing in, registering or setting a password failed. */
export function startErrorOf(error: unknown): StartError {
  if (error instanceof ConnectionError) return { key: 'error.unreachable', values: NONE };
  if (!(error instanceof ApiError)) return { key: 'error.unknown', values: { ...NONE, code: String(error) } };
  if (error.status === 429) return { key: 'error.rateLimited', values: { ...NONE, seconds: secondsOf(error) } };
  if (error.status === 422 && isRecord(error.body.errors) && 'display_name' in error.body.errors)
    return { key: 'error.name', values: NONE };
  return { key: KEYS[error.code] ?? 'error.unknown', values: { ...NONE, code: error.code } };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function secondsOf({ body }: ApiError): string {
  return typeof body.retry_after === 'string' ? body.retry_after : '60';
}
