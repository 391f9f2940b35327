import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { vaultsQuery } from '../data/queries.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { Icon } from '../ui/controls/icon.tsx';
import { Menu } from '../ui/controls/menu.tsx';
import styles from './vault-menu.module.css';

/** The name of the open vault, from which another one is opened. */
export function VaultMenu({ vaultId }: { readonly vaultId: string }) {
  const t = useTexts('vault');
  const navigate = useNavigate();
  const { data: vaults } = useSuspenseQuery(vaultsQuery);
  const current = vaults.find(({ id }) => id === vaultId);
  return (
    <Menu
      trigger={
        <button type="button" className={styles.trigger} aria-label={`${t('nav.switchVault')}: ${current?.name ?? ''}`}>
          <Icon name="vault" />
          <span dir="auto">{current?.name}</span>
          <Icon name="down" size={14} />
        </button>
      }
      items={vaults.map(({ id, name }) => ({
        id,
        label: name,
        isChecked: id === vaultId,
        run: () => void navigate({ to: '/vaults/$vaultId', params: { vaultId: id } }),
      }))}
    />
  );
}
