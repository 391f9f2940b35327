import type { Actor } from '@notevault/protocol/values/schemas.ts';
import type { TFunction } from 'i18next';

/**
 * Names the author of a change: the person, the assistant's program that acted for them, and for one's own changes the
 * credential.
 */
export function actorText(t: TFunction<'vault'>, { kind, name, client, display_name }: Actor): string {
  if (display_name !== undefined) {
    const person = display_name ?? t('shared.noName');
    return client === undefined ? person : t('shared.program', { person, program: client });
  }
  return client ?? (kind === 'session' ? t('history.you') : name);
}
