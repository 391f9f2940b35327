import { ApiError } from '@notevault/client/transport.ts';
import { errors, NotevaultError } from '@notevault/protocol/errors.ts';

/** Returns whether the server refused a file because of its type. Such files are skipped, not failed. */
export function isRejected(error: unknown): boolean {
  const status = error instanceof NotevaultError ? errors[error.code].status : (error as Partial<ApiError>).status;
  return (error instanceof NotevaultError || error instanceof ApiError) && status === 415;
}
