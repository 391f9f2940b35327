import { useSyncExternalStore } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import styles from './sidebar.module.css';
import { useUnsent } from './use-unsent.ts';

/** Whether all that was written is on the server: a dot, and a word for those who do not see it. */
export function KeptSign() {
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
