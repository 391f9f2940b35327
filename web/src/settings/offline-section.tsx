import { useTexts } from '../i18n/use-texts.ts';
import { isOwnDevice } from '../session/own-device.ts';
import styles from './settings.module.css';

/** What works in this browser while the server is away, and why the rest does not. */
export function OfflineSection() {
  const t = useTexts('settings');
  // Browsers have workers only in secure contexts, and some private windows have none.
  const hasWorker = isSecureContext && 'serviceWorker' in navigator;
  return (
    <section className={styles.section} aria-labelledby="offline">
      <h2 id="offline">{t('offline.title')}</h2>
      <p>{t(isOwnDevice() ? (hasWorker ? 'offline.whole' : 'offline.noWorker') : 'offline.notOwn')}</p>
    </section>
  );
}
