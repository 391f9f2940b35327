import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../data/client.ts';
import { noteName, type TreeEntry } from '../../data/tree/tree-index.ts';
import { useTree } from '../../data/use-tree.ts';
import type { EditorSession } from '../../editor/index.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { useTreeActions } from '../tree/use-tree-actions.ts';
import styles from './note-editor.module.css';
import { type Comparison, MergeDialog } from './panels/merge-dialog.tsx';

interface ConflictCopyProps {
  readonly vaultId: string;
  readonly noteId: string;
  /** Path of the note that this one is a conflict copy of. */
  readonly original: string;
  readonly session: EditorSession;
  readonly canWrite: boolean;
}

/**
 * Says that a note is a copy that the sync of a folder kept of another one, and puts both beside each other; nothing if
 * the other one is gone.
 */
export function ConflictCopy({ vaultId, noteId, original, session, canWrite }: ConflictCopyProps) {
  const t = useTexts('vault');
  const navigate = useNavigate();
  const index = useTree(vaultId);
  const { remove } = useTreeActions(vaultId);
  const [compared, setCompared] = useState<Comparison | null>(null);
  const note = index.notes().find(({ path }) => path === original);
  const copy = index.notes().find(({ id }) => id === noteId);
  if (note === undefined || copy === undefined) return null;
  const name = noteName(original);
  const compare = async () => {
    try {
      setCompared({ here: session.text.toString(), there: await api.vault(vaultId).readNoteById(note.id) });
    } catch (error) {
      showToast({ kind: 'danger', text: errorText(t, error) });
    }
  };
  /** The copy goes to the trash, from which its toast brings it back. */
  const saved = async (entry: TreeEntry) => {
    await navigate({ to: '/vaults/$vaultId/notes/$noteId', params: { vaultId, noteId: note.id } });
    await remove([entry]);
  };
  return (
    <p className={styles.about}>
      <span role="status">{t('conflict.about', { name })}</span>{' '}
      <Button onClick={() => void compare()}>{t('conflict.compare')}</Button>
      {compared === null ? null : (
        <MergeDialog
          vaultId={vaultId}
          name={name}
          words={{
            theirs: t('conflict.note'),
            ours: t('conflict.copy'),
            takeTheirs: t('conflict.takeNote'),
            takeOurs: t('conflict.takeCopy'),
          }}
          compared={compared}
          saved={canWrite ? () => saved(copy) : null}
          changed={() => void compare()}
          close={() => setCompared(null)}
        />
      )}
    </p>
  );
}
