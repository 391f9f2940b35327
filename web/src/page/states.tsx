import { ConnectionError } from '@notevault/client/transport.ts';
import type { ReactNode } from 'react';
import { useTexts } from '../i18n/use-texts.ts';
import { Button } from '../ui/controls/button.tsx';
import { Icon, type IconName } from '../ui/controls/icon.tsx';
import { errorText } from '../ui/feedback/error-text.ts';
import styles from './states.module.css';

interface EmptyProps {
  readonly icon: IconName;
  /** States what is missing. */
  readonly title: string;
  /** Explains what would be here, and what to do. */
  readonly children?: ReactNode;
}

/** Shown instead of an empty list. */
export function Empty({ icon, title, children }: EmptyProps) {
  return (
    <div className={styles.state}>
      <span className={styles.mark}>
        <Icon name={icon} size={18} />
      </span>
      <div className={styles.words}>
        <b>{title}</b>
        {children}
      </div>
    </div>
  );
}

interface FailedProps {
  readonly error: unknown;
  readonly again: () => void;
  /** Whether what was read before is shown below. */
  readonly isOld?: boolean;
}

/** Says why a list cannot be shown, or is not current, and tries again. Without a connection nothing is wrong here. */
export function Failed({ error, again, isOld = false }: FailedProps) {
  const t = useTexts('vault');
  const isAway = error instanceof ConnectionError;
  return (
    <div className={styles.state} role={isAway ? 'status' : 'alert'} data-wrong={isAway ? undefined : ''}>
      <span className={styles.mark}>
        <Icon name={isAway ? 'offline' : 'alert'} size={18} />
      </span>
      <div className={styles.words}>
        <b>{t(isOld ? 'state.old' : 'state.notShown')}</b>
        <p>{isAway ? t('error.away') : errorText(t, error)}</p>
        <Button onClick={again}>{t('state.again')}</Button>
      </div>
    </div>
  );
}

/** Placeholder for rows. It appears after a moment, because most rows load sooner. */
export function Waiting() {
  const t = useTexts('vault');
  return (
    <div className={styles.waiting} role="status" aria-label={t('state.waiting')}>
      <i />
      <i />
      <i />
    </div>
  );
}
