import { lazy, Suspense } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { isOwnDevice } from '../../session/own-device.ts';
import styles from './settings.module.css';

const KeptVaults = lazy(() =>
  importOrReload(() => import('./kept-vaults.tsx')).then((module) => ({ default: module.KeptVaults })),
);

/** What works in this browser while the server is away, and why the rest does not. */
export function OfflineSection() {
  const t = useTexts('settings');
  // Browsers have workers only in secure contexts, and some private windows have none.
  const hasWorker = isSecureContext && 'serviceWorker' in navigator;
  return (
    <section className={styles.section} aria-labelledby="offline">
      <h2 id="offline">{t('offline.title')}</h2>
      <p>{t(isOwnDevice() ? (hasWorker ? 'offline.whole' : 'offline.noWorker') : 'offline.notOwn')}</p>
      {isOwnDevice() && typeof indexedDB !== 'undefined' ? (
        <Suspense>
          <KeptVaults />
        </Suspense>
      ) : null}
    </section>
  );
}
