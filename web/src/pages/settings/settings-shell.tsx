import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useRef } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { CrashBarrier } from '../../page/crash-barrier.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { Toasts } from '../../ui/feedback/toasts.tsx';
import styles from './settings.module.css';

interface SettingsShellProps {
  readonly label: string;
  /** Links to the pages. */
  readonly children: ReactNode;
}

/** A list of pages, and one of them beside it. */
export function SettingsShell({ label, children }: SettingsShellProps) {
  const t = useTexts('settings');
  const { pathname } = useLocation();
  const nav = useRef<HTMLElement>(null);
  // On a phone the list is one line, and the page that is open may be beyond its end.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address says when another page is open
  useEffect(() => {
    const open = nav.current?.querySelector('[aria-current=page]');
    open?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [pathname]);
  return (
    <main className={styles.shell}>
      <nav ref={nav} className={styles.nav} aria-label={label}>
        <Link to="/" className={styles.back}>
          <Icon name="back" size={16} />
          <span>{t('back')}</span>
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
