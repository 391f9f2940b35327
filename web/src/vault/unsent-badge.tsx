import { Link } from '@tanstack/react-router';
import { useState, useSyncExternalStore } from 'react';
import { subscribeToUnsent, unsentState } from '../device/unsent-state.ts';
import type { UnsentNote } from '../editor/device.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { noteName, parentOf } from '../tree/model/tree-index.ts';
import { Icon } from '../ui/controls/icon.tsx';
import { Dialog } from '../ui/dialogs/dialog.tsx';
import styles from './unsent-badge.module.css';

/** Counts the notes with edits that only this device has, and lists them; nothing without any. */
export function UnsentBadge({ leave }: { readonly leave: () => void }) {
  const { notes, refused } = useUnsent();
  const text = useUnsentText();
  const [isOpen, setOpen] = useState(false);
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
      {isOpen && notes.length > 0 ? (
        <UnsentDialog
          notes={notes}
          close={() => setOpen(false)}
          opened={() => {
            setOpen(false);
            leave();
          }}
        />
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

interface UnsentDialogProps {
  readonly notes: readonly UnsentNote[];
  readonly close: () => void;
  readonly opened: () => void;
}

function UnsentDialog({ notes, close, opened }: UnsentDialogProps) {
  const t = useTexts('vault');
  return (
    <Dialog title={t('unsent.listTitle')} close={close}>
      <p>{t('unsent.listText')}</p>
      <ul className={styles.list}>
        {notes.map(({ id, vaultId, path, problem }) => (
          <li key={id}>
            {vaultId === null ? (
              t('unsent.unnamed')
            ) : (
              <Link to="/vaults/$vaultId/notes/$noteId" params={{ vaultId, noteId: id }} onClick={opened} dir="auto">
                {noteName(path ?? '') || t('unsent.unnamed')}
              </Link>
            )}
            <small dir="auto">
              {[parentOf(path ?? ''), problem === null ? '' : t(`problem.${problem}`)].filter(Boolean).join(' · ')}
            </small>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}

function useUnsent() {
  const { notes, isSending } = useSyncExternalStore(subscribeToUnsent, unsentState);
  return { notes, isSending, refused: notes.filter(({ problem }) => problem !== null).length };
}

function useUnsentText(): string {
  const t = useTexts('vault');
  const { notes, isSending, refused } = useUnsent();
  if (notes.length === 0) return '';
  if (isSending) return t('unsent.sending', { count: notes.length });
  return refused > 0 ? t('unsent.refused', { count: refused }) : t('unsent.waiting', { count: notes.length });
}
