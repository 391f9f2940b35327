import { Link } from '@tanstack/react-router';
import { useTexts } from '../../i18n/use-texts.ts';
import styles from '../../page/center.module.css';
import { useWindowTitle } from '../../page/page.tsx';
import { buttonClass } from '../../ui/controls/button.tsx';
import { Toasts } from '../../ui/feedback/toasts.tsx';
import { UnsentBadge } from './unsent-badge.tsx';

/** Shown instead of an open vault that was deleted, with the edits that only this device has. */
export function LostVault({ name }: { readonly name: string }) {
  const t = useTexts('vault');
  useWindowTitle(t('shared.lost'));
  return (
    <main className={styles.center}>
      <h1>{t('shared.lost')}</h1>
      <p>{t('shared.lostText', { name })}</p>
      <div>
        <UnsentBadge leave={() => undefined} />
      </div>
      <Link to="/" className={buttonClass('plain')}>
        {t('shared.toOthers')}
      </Link>
      <Toasts />
    </main>
  );
}
