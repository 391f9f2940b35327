import type { Vault } from '@notevault/protocol/vaults.ts';
import type { QueryClient } from '@tanstack/react-query';
import i18next from 'i18next';
import { keys } from '../data/keys.ts';
import { loadTexts } from '../i18n/i18n.ts';
import { showToast } from '../ui/feedback/toast.ts';
import { type NewOwner, newOwnerOf } from './new-owner.ts';

const vaultIn = (queries: QueryClient, id: string) =>
  queries.getQueryData<readonly Vault[]>(keys.vaults)?.find((vault) => vault.id === id) ?? null;

/** Reads again who has a vault, and says so if it is somebody else’s now. */
export async function rereadPeople(id: string, queries: QueryClient): Promise<void> {
  const before = vaultIn(queries, id);
  await Promise.all([
    queries.invalidateQueries({ queryKey: keys.vaults, exact: true }),
    queries.invalidateQueries({ queryKey: keys.members(id) }),
  ]);
  const owner = newOwnerOf(before, vaultIn(queries, id));
  if (owner !== null) await tell(owner);
}

async function tell(owner: NewOwner): Promise<void> {
  await loadTexts('sharing');
  const t = i18next.getFixedT(i18next.language, 'sharing');
  const text = owner === 'you' ? t('ownerYou') : t('handedOver', { name: owner.name ?? t('somebody') });
  showToast({ kind: 'plain', text });
}
