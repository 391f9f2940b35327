import { lazy, Suspense, useState } from 'react';
import { unsentState } from '../device/unsent-state.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { importOrReload } from '../page/import-or-reload.ts';
import { useObservable } from '../platform/use-observable.ts';
import { Icon } from '../ui/controls/icon.tsx';
import styles from './unsent-badge.module.css';

const UnsentDialog = lazy(() =>
  importOrReload(() => import('./unsent-dialog.tsx')).then((module) => ({ default: module.UnsentDialog })),
);

/** Counts the notes with edits that only this device has, and lists them; nothing without any. */
export function UnsentBadge({ leave }: { readonly leave: () => void }) {
  const { notes, refused } = useUnsent();
  const text = useUnsentText();
  const [isOpen, setOpen] = useState(false);
  // It does not come back by itself when there is something again.
  if (isOpen && notes.length === 0) setOpen(false);
  return (
    <>
      <span role="status" className="visually-hidden">
        {text}
      </span>
      {notes.length === 0 ? null : (
        <button
          type="button"
          className={styles.badge}
          data-testid="unsent"
          data-refused={refused > 0 ? '' : undefined}
          onClick={() => setOpen(true)}
        >
          <Icon name={refused > 0 ? 'alert' : 'offline'} size={16} />
          {text}
        </button>
      )}
      {isOpen ? (
        <Suspense>
          <UnsentDialog
            notes={notes}
            close={() => setOpen(false)}
            opened={() => {
              setOpen(false);
              leave();
            }}
          />
        </Suspense>
      ) : null}
    </>
  );
}

/** How many they are, where the badge is hidden. */
export function UnsentCount() {
  const { notes } = useUnsent();
  const text = useUnsentText();
  if (notes.length === 0) return null;
  return (
    <span className={styles.count} title={text}>
      {notes.length}
    </span>
  );
}

function useUnsent() {
  const { notes, isSending } = useObservable(unsentState);
  const waiting = notes.filter(({ asideOf }) => asideOf === undefined).length;
  return { notes, waiting, isSending, refused: notes.filter(({ problem }) => problem !== null).length };
}

function useUnsentText(): string {
  const t = useTexts('vault');
  const { notes, waiting, isSending, refused } = useUnsent();
  if (notes.length === 0) return '';
  if (waiting === 0) return t('unsent.asides', { count: notes.length });
  if (isSending) return t('unsent.sending', { count: waiting });
  return refused > 0 ? t('unsent.refused', { count: refused }) : t('unsent.waiting', { count: waiting });
}
