import { ApiError, ConnectionError } from '@notevault/client/transport.ts';
import type { TFunction } from 'i18next';

/** Explains a failed request in a sentence. */
export function errorText(t: TFunction<'vault'>, error: unknown): string {
  if (error instanceof ConnectionError) return t('error.unreachable');
  if (!(error instanceof ApiError)) return t('error.unknown', { code: String(error) });
  switch (error.status) {
    case 402:
      return t('error.limit');
    case 403:
      return t('error.forbidden');
    case 404:
      return error.code === 'not_found' ? t('error.missingOperation') : t('error.notFound');
    case 409:
      return t('error.conflict');
    case 422:
      return t('error.invalid', { reason: reasonOf(error) });
    case 503:
      return t(error.code === 'storage_full' ? 'error.full' : 'error.unavailable');
    default:
      return t('error.unknown', { code: error.code });
  }
}

/** The first message of a validation error. */
function reasonOf({ body, code }: ApiError): string {
  const fields = Object.entries((body.errors ?? {}) as Record<string, unknown>);
  const [field, messages] = fields[0] ?? [];
  return Array.isArray(messages) ? `${field} ${messages.join(', ')}` : code;
}
