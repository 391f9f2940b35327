import { RestError } from '@notevault/client/rest.ts';
import { errors, NotevaultError } from '@notevault/protocol/errors.ts';

/** Whether the vault does not allow this type of file, which is a fault of neither the file nor the vault. */
export function isRejected(error: unknown): boolean {
  const status = error instanceof NotevaultError ? errors[error.code].status : (error as Partial<RestError>).status;
  return (error instanceof NotevaultError || error instanceof RestError) && status === 415;
}
