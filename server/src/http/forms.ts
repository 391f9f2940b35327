import { errors, NotevaultError } from '@notevault/protocol/errors.ts';
import type { FastifyRequest } from 'fastify';

/** A form as a browser sends it. */
export interface Form {
  /** Shows which page it was sent from. */
  readonly token: string;
  readonly fields: URLSearchParams;
  /** Where it was sent from. */
  readonly address: string;
}

/** Throws `foreign_form` for what another site sent, `unsupported_media_type`. */
export function formOf(request: FastifyRequest, publicUrl: string): Form {
  const { origin, 'content-type': type } = request.headers;
  if (origin !== undefined && origin !== publicUrl) throw new NotevaultError('foreign_form');
  if (type?.split(';', 1)[0]?.trim().toLowerCase() !== 'application/x-www-form-urlencoded') {
    throw new NotevaultError('unsupported_media_type');
  }
  const fields = new URLSearchParams(Buffer.isBuffer(request.body) ? request.body.toString() : '');
  return { token: fields.get('token') ?? '', fields, address: request.ip };
}

/** The button that was pressed: it comes last. */
export function stepOf({ fields }: Form): string | undefined {
  return fields.getAll('step').at(-1);
}

type FormResult<T> =
  | { readonly value: T; readonly fault: null }
  | { readonly value: null; readonly fault: { readonly status: number; readonly text: string } };

/** The value, or what people are told of a refusal that they can do something about; any other error is thrown on. */
export async function runForm<T extends object | string>(
  work: Promise<T>,
  known: readonly string[],
): Promise<FormResult<T>> {
  try {
    return { value: await work, fault: null };
  } catch (error) {
    if (!(error instanceof NotevaultError) || !known.includes(error.code)) throw error;
    const { status, help } = errors[error.code];
    return { value: null, fault: { status, text: help } };
  }
}

/** The refusals of a sign-in that are said on the page it was sent from. */
export const SIGN_IN_FAULTS = [
  'email_and_password_required',
  'invalid_credentials',
  'account_suspended',
  'rate_limited',
];
