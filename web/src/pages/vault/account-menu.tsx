import { useSuspenseQuery } from '@tanstack/react-query';
import { meQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Avatar } from '../../ui/controls/avatar.tsx';
import { Menu } from '../../ui/controls/menu.tsx';
import type { ActionContext } from '../commands/action.ts';
import styles from './vault-menu.module.css';

/** Who is signed in, and what concerns the account. */
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
