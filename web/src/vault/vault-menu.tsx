import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ActionContext } from '../commands/action.ts';
import { vaultsQuery } from '../data/queries.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { Tile } from '../ui/controls/avatar.tsx';
import { Icon } from '../ui/controls/icon.tsx';
import { Menu } from '../ui/controls/menu.tsx';
import styles from './vault-menu.module.css';

interface VaultMenuProps {
  readonly vaultId: string;
  /** Called when something was opened from it. */
  readonly leave: () => void;
  readonly context: ActionContext;
}

/** The name of the open vault: other vaults, and what concerns this one as a whole. */
export function VaultMenu({ vaultId, leave, context }: VaultMenuProps) {
  const t = useTexts('vault');
  const navigate = useNavigate();
  const { data: vaults } = useSuspenseQuery(vaultsQuery);
  const name = vaults.find(({ id }) => id === vaultId)?.name ?? '';
  const goTo = (page: 'import' | 'trash') => () => {
    leave();
    context.goTo(page);
  };
  return (
    <Menu
      trigger={
        <button type="button" className={styles.trigger} aria-label={`${t('nav.switchVault')}: ${name}`}>
          <Tile name={name} seed={vaultId} />
          <b dir="auto">{name}</b>
          <Icon name="down" size={14} />
        </button>
      }
      items={[
        ...vaults.map(({ id, name: label }) => ({
          id,
          label,
          isChecked: id === vaultId,
          run: () => void navigate({ to: '/vaults/$vaultId', params: { vaultId: id } }),
        })),
        { id: 'trash', label: t('nav.trash'), icon: 'trash', beginsGroup: true, run: goTo('trash') },
        { id: 'import', label: t('action.import'), icon: 'download', run: goTo('import') },
        {
          id: 'manage',
          label: t('nav.manageVaults'),
          icon: 'settings',
          run: () => void navigate({ to: '/settings/vaults' }),
        },
      ]}
    />
  );
}
