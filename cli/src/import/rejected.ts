import { ApiError } from '@notevault/client/transport.ts';
import { errors, NotevaultError } from '@notevault/protocol/errors.ts';

/** Whether the vault does not allow this type of file, which is a fault of neither the file nor the vault. */
export function isRejected(error: unknown): boolean {
  const status = error instanceof NotevaultError ? errors[error.code].status : (error as Partial<ApiError>).status;
  return (error instanceof NotevaultError || error instanceof ApiError) && status === 415;
}
