import { useSuspenseQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { meQuery, vaultsQuery } from '../../data/queries.ts';
import { ownFirst, roleOf } from '../../data/role.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { sharedText } from '../../page/shared-text.ts';
import { Avatar, Tile } from '../../ui/controls/avatar.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { Menu } from '../../ui/controls/menu.tsx';
import type { ActionContext } from '../commands/action.ts';
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
  const open = vaults.find(({ id }) => id === vaultId) ?? null;
  const [name, role] = [open?.name ?? '', roleOf(open)];
  const firstShared = ownFirst(vaults).find((vault) => roleOf(vault) !== 'owner');
  const goTo = (page: 'activity' | 'import' | 'trash') => () => {
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
        ...ownFirst(vaults).map((vault) => ({
          id: vault.id,
          label: vault.name,
          isChecked: vault.id === vaultId,
          beginsGroup: vault === firstShared && vault !== vaults[0],
          ...(roleOf(vault) === 'owner' ? {} : { about: sharedText(t, vault) }),
          run: () => void navigate({ to: '/vaults/$vaultId', params: { vaultId: vault.id } }),
        })),
        ...(role === 'viewer'
          ? []
          : ([
              { id: 'activity', label: t('nav.activity'), icon: 'history', beginsGroup: true, run: goTo('activity') },
              { id: 'trash', label: t('nav.trash'), icon: 'trash', run: goTo('trash') },
              { id: 'import', label: t('action.import'), icon: 'download', run: goTo('import') },
            ] as const)),
        {
          id: 'share',
          label: t(role === 'owner' ? 'action.share' : 'nav.people'),
          icon: 'people',
          beginsGroup: true,
          run: () => {
            leave();
            context.open('share');
          },
        },
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

/** Menu of the signed-in account. */
export function AccountMenu({ context }: { readonly context: ActionContext }) {
  const t = useTexts('vault');
  const { data: me } = useSuspenseQuery(meQuery);
  const name = me.display_name ?? me.email;
  return (
    <Menu
      trigger={
        <button type="button" className={styles.trigger} aria-label={`${t('nav.account')}: ${name}`}>
          <Avatar name={name} />
          <span dir="auto">{name}</span>
        </button>
      }
      items={[
        { id: 'settings', label: t('nav.settings'), icon: 'settings', run: () => context.goTo('settings') },
        { id: 'commands', label: t('nav.commands'), icon: 'list', run: () => context.open('palette') },
        { id: 'shortcuts', label: t('nav.shortcuts'), keys: '?', run: () => context.open('shortcuts') },
        { id: 'sign-out', label: t('nav.signOut'), beginsGroup: true, run: context.signOut },
      ]}
    />
  );
}
