import { Link } from '@tanstack/react-router';
import { useTexts } from '../../i18n/use-texts.ts';
import { Icon } from '../../ui/controls/icon.tsx';
import type { ActionContext } from '../commands/action.ts';
import styles from './places.module.css';
import { UnsentCount } from './unsent-badge.tsx';

interface PlacesProps {
  readonly vaultId: string;
  readonly isSideOpen: boolean;
  readonly toggleSide: () => void;
  /** Called when something was opened from it. */
  readonly leave: () => void;
  readonly context: ActionContext;
}

/** On a phone, five places at the thumb. */
export function Places({ vaultId, isSideOpen, toggleSide, leave, context }: PlacesProps) {
  const t = useTexts('vault');
  const to = { params: { vaultId }, onClick: leave };
  return (
    <nav className={styles.places} aria-label={t('nav.places')}>
      <button
        type="button"
        aria-label={t(isSideOpen ? 'nav.closeSidebar' : 'nav.openSidebar')}
        aria-expanded={isSideOpen}
        onClick={toggleSide}
      >
        <Icon name="menu" size={20} />
        {t('nav.notes')}
        <UnsentCount />
      </button>
      <Link to="/vaults/$vaultId/search" {...to}>
        <Icon name="search" size={20} />
        {t('nav.search')}
      </Link>
      {context.role === 'viewer' ? null : (
        <button
          type="button"
          className={styles.new}
          aria-label={t('nav.newNote')}
          onClick={() => {
            leave();
            context.createNote();
          }}
        >
          <span>
            <Icon name="add" size={20} />
          </span>
        </button>
      )}
      <Link to="/vaults/$vaultId" activeOptions={{ exact: true }} {...to}>
        <Icon name="clock" size={20} />
        {t('nav.home')}
      </Link>
      <Link to="/vaults/$vaultId/tasks" {...to}>
        <Icon name="task" size={20} />
        {t('nav.tasks')}
      </Link>
    </nav>
  );
}
