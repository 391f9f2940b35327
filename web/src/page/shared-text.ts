import type { Vault } from '@notevault/protocol/vaults.ts';
import type { TFunction } from 'i18next';

/** Names the owner of a shared vault and the account's role in it. */
export function sharedText(t: TFunction<'vault'>, { owner, role = 'owner' }: Vault): string {
  return t('shared.by', { name: owner?.display_name ?? t('shared.noName'), role: t(`shared.role.${role}`) });
}
