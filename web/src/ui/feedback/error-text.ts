import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import type { TFunction } from 'i18next';
import type { vault } from '../../i18n/en/vault.ts';

type Key = Exclude<keyof typeof vault.error, 'invalid' | 'unknown' | 'ownsShared'>;

/** Errors that say more than their status does. */
const BY_CODE: Readonly<Record<string, Key>> = {
  body_too_large: 'tooLarge',
  file_too_large: 'tooLarge',
  import_in_progress: 'importing',
  invalid_code: 'code',
  invalid_password: 'password',
  last_admin: 'lastAdmin',
  not_found: 'missingOperation',
  not_utf8: 'encoding',
  owner_cannot_leave: 'ownerCannotLeave',
  owner_required: 'ownerRequired',
  owner_suspended: 'ownerSuspended',
  step_up_required: 'unproved',
  storage_full: 'full',
  too_many_members: 'tooManyMembers',
};
const BY_STATUS: Readonly<Record<number, Key>> = {
  402: 'limit',
  403: 'forbidden',
  404: 'notFound',
  409: 'conflict',
  503: 'unavailable',
};

/** Explains a failed request in a sentence. */
export function errorText(t: TFunction<'vault'>, error: unknown): string {
  if (error instanceof ConnectionError) return t('error.unreachable');
  if (!(error instanceof ApiError)) return t('error.unknown', { code: String(error) });
  if (error.code === 'owns_shared_vaults') return t('error.ownsShared', { names: namesOf(error) });
  const key = BY_CODE[error.code] ?? BY_STATUS[error.status];
  if (key !== undefined) return t(`error.${key}`);
  return error.status === 422
    ? t('error.invalid', { reason: reasonOf(error) })
    : t('error.unknown', { code: error.code });
}

/** The first message of a validation error. */
function reasonOf({ body, code }: ApiError): string {
  const fields = Object.entries((body.errors ?? {}) as Record<string, unknown>);
  const [field, messages] = fields[0] ?? [];
  return Array.isArray(messages) ? `${field} ${messages.join(', ')}` : code;
}

/** The names of the vaults that an error is about. */
function namesOf({ body }: ApiError): string {
  const vaults = Array.isArray(body.vaults) ? (body.vaults as readonly { readonly name?: unknown }[]) : [];
  return vaults.flatMap(({ name }) => (typeof name === 'string' ? [`“${name}”`] : [])).join(', ');
}
