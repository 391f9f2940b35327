import type { Actor } from '@notevault/protocol/values/schemas.ts';
import type { TFunction } from 'i18next';

/** Who made a change: a person, and the program of an assistant that acted for them; of one's own, the credential. */
export function actorText(t: TFunction<'vault'>, { kind, name, client, display_name }: Actor): string {
  if (display_name !== undefined) {
    const person = display_name ?? t('shared.noName');
    return client === undefined ? person : t('shared.program', { person, program: client });
  }
  return client ?? (kind === 'session' ? t('history.you') : name);
}
