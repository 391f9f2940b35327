import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense } from 'react';
import { meQuery, vaultsQuery } from '../../data/queries.ts';
import { loadTexts } from '../../i18n/i18n.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { CrashBarrier } from '../../page/crash-barrier.tsx';
import { importOrReload } from '../../page/import-or-reload.ts';
import { firstVault } from '../../page/last-vault.ts';
import { useWindowTitle } from '../../page/page.tsx';
import type { WelcomeStep } from '../../page/search-params.ts';
import { buttonClass } from '../../ui/controls/button.tsx';
import { Toasts } from '../../ui/feedback/toasts.tsx';
import styles from './welcome.module.css';
import { positionOf } from './welcome-steps.ts';

const NotesStep = lazy(async () => {
  const [module] = await Promise.all([importOrReload(() => import('./notes-step.tsx')), loadTexts('imports')]);
  return { default: module.NotesStep };
});
const ConnectStep = lazy(async () => {
  const [module] = await Promise.all([importOrReload(() => import('./connect-step.tsx')), loadTexts('settings')]);
  return { default: module.ConnectStep };
});
const ServerChecks = lazy(() =>
  importOrReload(() => import('../checks/server-checks.tsx')).then((module) => ({ default: module.ServerChecks })),
);

/** The first run, after the account was made. Its step is in the address, so that a reload goes on where it was. */
export function Welcome({ wanted }: { readonly wanted: WelcomeStep }) {
  const t = useTexts('welcome');
  const { data: me } = useSuspenseQuery(meQuery);
  const { step, number, total, before, next } = positionOf(wanted, me.role);
  useWindowTitle(t(`${step}.title`));
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <header className={styles.head}>
          <p className={styles.step}>{t('step', { number, total })}</p>
          <h1>{t(`${step}.title`)}</h1>
          <p>{t(`${step}.text`)}</p>
        </header>
        <CrashBarrier>
          <Suspense>
            {step === 'notes' ? <NotesStep /> : null}
            {step === 'connect' ? <ConnectStep /> : null}
            {step === 'checks' ? <ServerChecks /> : null}
          </Suspense>
        </CrashBarrier>
        <nav className={styles.nav} aria-label={t('steps')}>
          {before === null ? null : (
            <Link to="/" search={{ welcome: before }} className={buttonClass('quiet')}>
              {t('back')}
            </Link>
          )}
          <span className={styles.space} />
          {step === 'notes' ? null : <Onward next={next} />}
        </nav>
      </div>
      <Toasts />
    </main>
  );
}

/** Goes to the next step, or after the last one to the notes. */
function Onward({ next }: { readonly next: WelcomeStep | null }): ReactNode {
  const t = useTexts('welcome');
  const { data: vaults } = useSuspenseQuery(vaultsQuery);
  const vault = firstVault(vaults);
  if (next !== null || vault === null) {
    return (
      <Link to="/" search={next === null ? {} : { welcome: next }} className={buttonClass('primary')}>
        {t('next')}
      </Link>
    );
  }
  return (
    <Link to="/vaults/$vaultId" params={{ vaultId: vault.id }} className={buttonClass('primary')}>
      {t('done')}
    </Link>
  );
}
