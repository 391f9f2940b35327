import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { useTexts } from '../i18n/use-texts.ts';
import { VaultTree } from '../tree/vault-tree.tsx';
import { Icon } from '../ui/icon.tsx';
import { AccountMenu } from './account-menu.tsx';
import { VaultMenu } from './vault-menu.tsx';
import styles from './vault-page.module.css';

interface SidebarProps {
  readonly vaultId: string;
  /** Called when something was opened from it. */
  readonly leave: () => void;
}

export function Sidebar({ vaultId, leave }: SidebarProps) {
  const t = useTexts('vault');
  return (
    <aside className={styles.sidebar} aria-label={t('nav.label')}>
      <div className={styles.top}>
        <VaultMenu vaultId={vaultId} />
      </div>
      <nav className={styles.nav} aria-label={t('nav.label')}>
        <Link to="/vaults/$vaultId" params={{ vaultId }} activeOptions={{ exact: true }} onClick={leave}>
          <Icon name="clock" />
          {t('nav.recent')}
        </Link>
      </nav>
      <Suspense>
        <VaultTree vaultId={vaultId} leave={leave} />
      </Suspense>
      <div className={styles.bottom}>
        <AccountMenu />
      </div>
    </aside>
  );
}
