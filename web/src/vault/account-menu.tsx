import { useSuspenseQuery } from '@tanstack/react-query';
import { meQuery } from '../data/queries.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { signOut } from '../session/sign-out.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import styles from './vault-menu.module.css';

/** Who is signed in, and what concerns the account. */
export function AccountMenu() {
  const t = useTexts('vault');
  const { data: me } = useSuspenseQuery(meQuery);
  const name = me.display_name ?? me.email;
  return (
    <Menu
      trigger={
        <button type="button" className={styles.trigger} aria-label={`${t('nav.account')}: ${name}`}>
          <span dir="auto">{name}</span>
          <Icon name="more" size={16} />
        </button>
      }
      items={[{ id: 'sign-out', label: t('nav.signOut'), run: () => void signOut() }]}
    />
  );
}
