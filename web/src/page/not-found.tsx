import { Link } from '@tanstack/react-router';
import { useTexts } from '../i18n/use-texts.ts';
import { buttonClass } from '../ui/controls/button.tsx';
import styles from './center.module.css';

export function NotFound() {
  const t = useTexts('start');
  return (
    <main className={styles.center}>
      <h1>{t('wrongAddress')}</h1>
      <p>{t('wrongAddressText')}</p>
      <Link to="/" className={buttonClass('plain')}>
        {t('toStart')}
      </Link>
    </main>
  );
}
