import { errors, NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyRequest } from 'fastify';

export interface Form {
  /** Identifies the page from which it was sent. */
  readonly token: string;
  readonly fields: URLSearchParams;
  readonly address: string;
}

/** Parses a form. Throws `foreign_form`, `unsupported_media_type`. @param nullOrigin whether it needs no origin. */
export function formOf(request: FastifyRequest, publicUrl: string, nullOrigin = false): Form {
  const { origin, 'content-type': type } = request.headers;
  const isOwn = origin === undefined || origin === new URL(publicUrl).origin || (nullOrigin && origin === 'null');
  if (!isOwn) throw new NotevaultError('foreign_form');
  if (type?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new NotevaultError('unsupported_media_type');
  }
  const fields = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString() : '');
  return { token: fields.get('token') ?? '', fields, address: request.ip };
}

/** The button that was pressed, which comes last. */
export function stepOf({ fields }: Form): string | undefined {
  return fields.getAll('step').at(-1);
}

/** Resolves to the value, or to an error that people can act on; any other error is rethrown. */
export async function runForm<T extends object | string>(work: Promise<T>, known: readonly string[]) {
  try {
    return { value: await work, fault: null };
  } catch (error) {
    if (!(error instanceof NotevaultError) || !known.includes(error.code)) throw error;
    return { value: null, fault: { status: errors[error.code].status, code: error.code } };
  }
}

/** Returns the ticket of a sign-in that lacks its second factor; null for any other error. */
export function ticketOf(error: unknown): string | null {
  const isLacking = error instanceof NotevaultError && error.code === 'second_factor_required';
  return isLacking ? String(error.details.ticket) : null;
}

/** The errors of a sign-in that are shown on its page. */
export const SIGN_IN_FAULTS = [
  'email_and_password_required',
  'invalid_credentials',
  'password_login_off',
  'account_suspended',
  'rate_limited',
];

/** The errors of a second step: shown beside the code, or on the page of the first step. */
export const CODE_FAULTS = ['invalid_code', 'invalid_ticket', 'account_suspended', 'rate_limited'];
