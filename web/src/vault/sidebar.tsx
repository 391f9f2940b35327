import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import type { ActionContext } from '../commands/action.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { VaultTree } from '../tree/vault-tree.tsx';
import { Icon } from '../ui/controls/icon.tsx';
import { onApple, shownKeys } from '../ui/text/shortcut.ts';
import { AccountMenu } from './account-menu.tsx';
import { UnsentBadge } from './unsent-badge.tsx';
import { VaultMenu } from './vault-menu.tsx';
import styles from './vault-page.module.css';

interface SidebarProps {
  readonly vaultId: string;
  /** Called when something was opened from it. */
  readonly leave: () => void;
  readonly context: ActionContext;
}

export function Sidebar({ vaultId, leave, context }: SidebarProps) {
  const t = useTexts('vault');
  const to = { params: { vaultId }, onClick: leave };
  return (
    <aside className={styles.sidebar} aria-label={t('nav.notes')}>
      <div className={styles.top}>
        <VaultMenu vaultId={vaultId} />
      </div>
      <nav className={styles.nav} aria-label={t('nav.label')}>
        <button type="button" onClick={() => context.open('switcher')}>
          <Icon name="note" />
          {t('nav.goTo')}
          <span className={styles.keys} aria-hidden="true">
            {shownKeys('Mod+K', onApple())}
          </span>
        </button>
        <Link to="/vaults/$vaultId/search" {...to}>
          <Icon name="search" />
          {t('nav.search')}
        </Link>
        <Link to="/vaults/$vaultId" activeOptions={{ exact: true }} {...to}>
          <Icon name="clock" />
          {t('nav.recent')}
        </Link>
        <Link to="/vaults/$vaultId/tags" {...to}>
          <Icon name="tag" />
          {t('nav.tags')}
        </Link>
        <Link to="/vaults/$vaultId/graph" {...to}>
          <Icon name="graph" />
          {t('nav.graph')}
        </Link>
        <Link to="/vaults/$vaultId/trash" {...to}>
          <Icon name="trash" />
          {t('nav.trash')}
        </Link>
      </nav>
      <Suspense>
        <VaultTree vaultId={vaultId} leave={leave} />
      </Suspense>
      <div className={styles.bottom}>
        <UnsentBadge leave={leave} />
        <AccountMenu context={context} />
      </div>
    </aside>
  );
}
