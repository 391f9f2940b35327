import { RestError } from '@notevault/client/rest.ts';
import { errors, NotevaultError } from '@notevault/protocol/errors.ts';

/** Whether a vault does not take files of this kind: then nothing is wrong with the file, nor with the vault. */
export function isRejected(error: unknown): boolean {
  const status = error instanceof NotevaultError ? errors[error.code].status : (error as Partial<RestError>).status;
  return (error instanceof NotevaultError || error instanceof RestError) && status === 415;
}
