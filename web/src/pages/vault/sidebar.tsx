import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useSyncExternalStore } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { onApple, shownKeys } from '../../ui/text/shortcut.ts';
import type { ActionContext } from '../commands/action.ts';
import { VaultTree } from '../tree/vault-tree.tsx';
import styles from './sidebar.module.css';
import { UnsentBadge } from './unsent-badge.tsx';
import { useUnsent } from './use-unsent.ts';
import { AccountMenu, VaultMenu } from './vault-menu.tsx';

/** Starred notes, loaded from the server after the tree. */
const Starred = lazy(() => import('./starred.tsx').then((module) => ({ default: module.Starred })));

interface SidebarProps {
  readonly vaultId: string;
  /** Called when something was opened from it. */
  readonly leave: () => void;
  readonly hide: () => void;
  readonly context: ActionContext;
}

/** Sidebar: the vault menu, the search field, navigation, the notes, and the account. */
export function Sidebar({ vaultId, leave, hide, context }: SidebarProps) {
  const t = useTexts('vault');
  const to = { params: { vaultId }, onClick: leave };
  return (
    <aside className={styles.sidebar} aria-label={t('nav.notes')}>
      <div className={styles.top}>
        <VaultMenu vaultId={vaultId} leave={leave} context={context} />
        <Button look="quiet" isIcon aria-label={t('nav.closeSidebar')} aria-expanded="true" onClick={hide}>
          <Icon name="side" />
        </Button>
      </div>
      <button
        type="button"
        className={styles.find}
        onClick={() => {
          leave();
          context.open('switcher');
        }}
      >
        <Icon name="search" />
        <span>{t('nav.find')}</span>
        <kbd>{shownKeys('Mod+K', onApple())}</kbd>
      </button>
      <nav className={styles.nav} aria-label={t('nav.label')}>
        <Link to="/vaults/$vaultId" activeOptions={{ exact: true }} {...to}>
          <Icon name="clock" />
          {t('nav.home')}
        </Link>
        <Link to="/vaults/$vaultId/tasks" {...to}>
          <Icon name="task" />
          {t('nav.tasks')}
        </Link>
        <Link to="/vaults/$vaultId/tags" {...to}>
          <Icon name="tag" />
          {t('nav.tags')}
        </Link>
        <Link to="/vaults/$vaultId/graph" {...to}>
          <Icon name="graph" />
          {t('nav.graph')}
        </Link>
      </nav>
      <Suspense>
        <div className={styles.lists}>
          <Suspense>
            <Starred vaultId={vaultId} leave={leave} />
          </Suspense>
          <VaultTree vaultId={vaultId} leave={leave} />
        </div>
      </Suspense>
      <div className={styles.foot}>
        <UnsentBadge leave={leave} />
        <div className={styles.me}>
          <AccountMenu context={context} />
          <KeptSign />
        </div>
      </div>
    </aside>
  );
}

/** Whether all that was written is on the server: a dot, and a word for those who do not see it. */
function KeptSign() {
  const t = useTexts('vault');
  const { count } = useUnsent();
  const isOnline = useSyncExternalStore(subscribe, () => navigator.onLine);
  const look = !isOnline ? 'away' : count > 0 ? 'waiting' : 'kept';
  return (
    <span className={styles.kept} data-look={look}>
      {t(`nav.${look}`)}
    </span>
  );
}

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}
