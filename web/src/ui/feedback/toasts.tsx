import { useEffect, useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { useObservable } from '../../platform/use-observable.ts';
import { Button } from '../controls/button.tsx';
import { Icon } from '../controls/icon.tsx';
import { hideToast, type Toast, toasts } from './toast.ts';
import styles from './toasts.module.css';

const SHOWN_MS = 8_000;

/** The place where messages appear; assistive technology reads them when they do. */
export function Toasts() {
  const shown = useObservable(toasts);
  return (
    <div className={styles.region} role="status" aria-live="polite">
      {shown.map((toast) => (
        <ToastView key={toast.id} toast={toast} />
      ))}
    </div>
  );
}

function ToastView({ toast: { id, text, kind, action } }: { readonly toast: Toast }) {
  const t = useTexts('vault');
  const [isHeld, setHeld] = useState(false);
  // It stays for as long as somebody points at it or has the focus in it.
  useEffect(() => {
    if (isHeld) return;
    const timer = setTimeout(() => hideToast(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id, isHeld]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: pointing only delays its end
    <div
      className={`${styles.toast} ${kind === 'danger' ? styles.danger : ''}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p>{text}</p>
      {action === undefined ? null : (
        <Button
          look="quiet"
          onClick={() => {
            hideToast(id);
            action.run();
          }}
        >
          {action.label}
        </Button>
      )}
      <Button look="quiet" isIcon aria-label={t('close')} onClick={() => hideToast(id)}>
        <Icon name="close" size={16} />
      </Button>
    </div>
  );
}
