import type { Vault } from '@notevault/protocol/vaults.ts';
import type { TFunction } from 'i18next';

/** Whose a shared vault is, and what one may do in it. */
export function sharedText(t: TFunction<'vault'>, { owner, role = 'owner' }: Vault): string {
  return t('shared.by', { name: owner?.display_name ?? t('shared.noName'), role: t(`shared.role.${role}`) });
}
