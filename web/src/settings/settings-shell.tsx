import { Link, Outlet } from '@tanstack/react-router';
import { type ReactNode, Suspense } from 'react';
import { useTexts } from '../i18n/use-texts.ts';
import { CrashBarrier } from '../page/crash-barrier.tsx';
import { Icon } from '../ui/controls/icon.tsx';
import { Toasts } from '../ui/feedback/toasts.tsx';
import styles from './settings.module.css';

interface SettingsShellProps {
  readonly label: string;
  /** Links to the pages. */
  readonly children: ReactNode;
}

/** A list of pages, and one of them beside it. */
export function SettingsShell({ label, children }: SettingsShellProps) {
  const t = useTexts('settings');
  return (
    <main className={styles.shell}>
      <nav className={styles.nav} aria-label={label}>
        <Link to="/" className={styles.back}>
          <Icon name="back" size={16} />
          {t('back')}
        </Link>
        {children}
      </nav>
      <div className={styles.content}>
        <CrashBarrier>
          <Suspense>
            <Outlet />
          </Suspense>
        </CrashBarrier>
      </div>
      <Toasts />
    </main>
  );
}
