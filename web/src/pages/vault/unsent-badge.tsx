import { lazy, Suspense, useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { Icon } from '../../ui/controls/icon.tsx';
import styles from './unsent-badge.module.css';
import { useUnsent } from './use-unsent.ts';

const UnsentDialog = lazy(() =>
  importOrReload(() => import('./unsent-dialog.tsx')).then((module) => ({ default: module.UnsentDialog })),
);

/** Counts the notes with edits that only this device has, and lists them; nothing without any. */
export function UnsentBadge({ leave }: { readonly leave: () => void }) {
  const { notes, entries, count, refused } = useUnsent();
  const text = useUnsentText();
  const [isOpen, setOpen] = useState(false);
  // It does not come back by itself when there is something again.
  if (isOpen && count === 0) setOpen(false);
  return (
    <>
      <span role="status" className="visually-hidden">
        {text}
      </span>
      {count === 0 ? null : (
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
            entries={entries}
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
  const { count } = useUnsent();
  const text = useUnsentText();
  if (count === 0) return null;
  return (
    <span className={styles.count} title={text}>
      {count}
    </span>
  );
}

function useUnsentText(): string {
  const t = useTexts('vault');
  const { notes, count, waiting, isSending, refused, isOfNotes } = useUnsent();
  if (count === 0) return '';
  if (waiting === 0) return t('unsent.asides', { count: notes.length });
  if (isSending) return t('unsent.sending', { count: waiting });
  if (refused > 0) return t('unsent.refused', { count: refused });
  return t(isOfNotes ? 'unsent.waiting' : 'outbox.count', { count: waiting });
}
