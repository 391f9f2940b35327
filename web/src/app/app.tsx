import { lazy, Suspense, useEffect, useState } from 'react';
import { useTexts } from '../i18n/use-texts.ts';
import styles from '../page/center.module.css';
import { AppBarrier } from '../page/crash-barrier.tsx';
import { takeFromAddress } from '../page/from-address.ts';
import { importOrReload } from '../page/import-or-reload.ts';
import { session } from '../session/app-session.ts';
import { keptAccount } from '../session/kept-account.ts';
import { useSession } from '../session/use-session.ts';
import { Button } from '../ui/controls/button.tsx';

const loadSignedIn = () => importOrReload(() => import('./signed-in.tsx'));
const SignedIn = lazy(() => loadSignedIn().then((module) => ({ default: module.SignedIn })));
// The last account is probably still signed in: load the app while the server is asked.
if (keptAccount() !== null) void loadSignedIn().catch(() => undefined);

const StartPage = lazy(() =>
  importOrReload(() => import('../pages/start/start-page.tsx')).then((page) => ({ default: page.StartPage })),
);
const LinkedPage = lazy(() =>
  importOrReload(() => import('../pages/start/linked-page.tsx')).then((page) => ({ default: page.LinkedPage })),
);
/** A connection that takes longer than this for its first answer is like none for somebody who wants to read. */
const WAIT_MS = 4_000;

// Taken once: React runs initialisers again after a suspense.
const linked = { confirmation: takeFromAddress('confirm'), page: takeFromAddress('passkey') };

/** Root component: shows the start page or the signed-in app. */
export function App() {
  return (
    <AppBarrier>
      <Suspense fallback={<Waiting />}>
        <Gate />
      </Suspense>
    </AppBarrier>
  );
}

function Gate() {
  const { status } = useSession();
  // Works the same whether or not this browser is signed in.
  const [isLinked, setLinked] = useState(linked.confirmation !== null || linked.page !== null);
  useEffect(() => {
    if (status !== 'unknown' || keptAccount() === null) return;
    const timer = setTimeout(() => session.stopWaiting(), WAIT_MS);
    return () => clearTimeout(timer);
  }, [status]);
  if (isLinked) return <LinkedPage {...linked} done={() => setLinked(false)} />;
  // Data on this device opens without the server.
  if (status === 'in' || (status === 'unreachable' && keptAccount() !== null)) return <SignedIn />;
  if (status === 'out') return <StartPage />;
  return status === 'unknown' ? <Waiting /> : <Unreachable />;
}

function Waiting() {
  const t = useTexts('start');
  return (
    <main className={styles.center} aria-busy="true">
      <p className="visually-hidden">{t('loading')}</p>
    </main>
  );
}

function Unreachable() {
  const t = useTexts('start');
  return (
    <main className={styles.center}>
      <h1>{t('unreachable')}</h1>
      <p>{t('unreachableText')}</p>
      <Button look="primary" onClick={() => void session.start()}>
        {t('tryAgain')}
      </Button>
    </main>
  );
}
