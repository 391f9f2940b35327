import { Link, Outlet } from '@tanstack/react-router';
import { Suspense } from 'react';
import { CrashBarrier } from '../app/crash-barrier.tsx';
import { useTexts } from '../i18n/use-texts.ts';
import { Icon } from '../ui/icon.tsx';
import { Toasts } from '../ui/toasts.tsx';
import styles from './settings.module.css';

const PAGES = [
  ['/settings', 'profile.title'],
  ['/settings/vaults', 'vaults.title'],
  ['/settings/connections', 'connections.title'],
  ['/settings/sessions', 'sessions.title'],
] as const;

/** The settings: a list of their pages, and one of them. */
export function SettingsPage() {
  const t = useTexts('settings');
  return (
    <main className={styles.shell}>
      <nav className={styles.nav} aria-label={t('title')}>
        <Link to="/" className={styles.back}>
          <Icon name="back" size={16} />
          {t('back')}
        </Link>
        {PAGES.map(([to, name]) => (
          <Link key={to} to={to} activeOptions={{ exact: true }}>
            {t(name)}
          </Link>
        ))}
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
