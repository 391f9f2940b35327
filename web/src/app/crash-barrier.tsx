import { Component, type ReactNode } from 'react';
import { useTexts } from '../i18n/use-texts.ts';
import { Button } from '../ui/controls/button.tsx';
import styles from './app.module.css';

interface CrashBarrierProps {
  readonly children: ReactNode;
}

/** Shows a page with a way on when a part of the app throws. */
export class CrashBarrier extends Component<CrashBarrierProps, { readonly hasCrashed: boolean }> {
  override state = { hasCrashed: false };

  static getDerivedStateFromError() {
    return { hasCrashed: true };
  }

  override render(): ReactNode {
    return this.state.hasCrashed ? <Crashed /> : this.props.children;
  }
}

export function Crashed() {
  const t = useTexts('start');
  return (
    <main className={styles.center} role="alert">
      <h1>{t('broken')}</h1>
      <p>{t('brokenText')}</p>
      <Button look="primary" onClick={() => location.reload()}>
        {t('reload')}
      </Button>
    </main>
  );
}
