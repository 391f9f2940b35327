import type { Note, NoteVersion } from '@notevault/protocol/notes.ts';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { versionQuery, versionsQuery } from '../../data/queries.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';
import { Time } from '../../ui/text/time.tsx';
import { differenceOf, shortened } from './difference.ts';
import { DifferenceView } from './difference-view.tsx';
import styles from './panels.module.css';

interface HistoryProps {
  readonly vaultId: string;
  readonly note: Note;
}

/** The versions of a note: when, by whom, and what they differ in from the text now. */
export function History({ vaultId, note }: HistoryProps) {
  const t = useTexts('vault');
  const { data: versions } = useSuspenseQuery(versionsQuery(vaultId, note.id));
  const [shown, setShown] = useState<NoteVersion | null>(null);
  return (
    <>
      <ul>
        {versions.map((version) => (
          <li key={version.version}>
            <button type="button" className={styles.version} onClick={() => setShown(version)}>
              <span>
                <Time at={version.created_at} /> {version.version === note.version ? `· ${t('history.now')}` : null}
              </span>
              <small dir="auto">
                {version.actor.client ?? (version.actor.kind === 'session' ? t('history.you') : version.actor.name)} ·{' '}
                {reasonText(t, version.reason)}
              </small>
            </button>
          </li>
        ))}
      </ul>
      {shown === null ? null : (
        <VersionDialog vaultId={vaultId} note={note} version={shown} close={() => setShown(null)} />
      )}
    </>
  );
}

const REASONS = ['create', 'edit', 'merge', 'append', 'batch', 'agent', 'restore', 'link_rewrite'] as const;

function reasonText(t: ReturnType<typeof useTexts<'vault'>>, reason: string): string {
  const known = REASONS.find((name) => name === reason);
  return known === undefined ? reason : t(`history.reason.${known}`);
}

interface VersionDialogProps extends HistoryProps {
  readonly version: NoteVersion;
  readonly close: () => void;
}

function VersionDialog({ vaultId, note, version: { version, created_at }, close }: VersionDialogProps) {
  const t = useTexts('vault');
  const { data } = useQuery(versionQuery(vaultId, note.id, version));
  const restoring = useChange(
    () => api.vault(vaultId).restoreVersion(note.id, version),
    keys.note(vaultId, note.id),
    t('history.restored'),
  );
  const restore = () => restoring.mutate(undefined, { onSuccess: close });
  const pieces = data === undefined || data === null ? [] : shortened(differenceOf(data.content, note.content));
  const isSame = pieces.every(({ kind }) => kind === 'same');
  return (
    <Dialog title={t('history.title', { date: new Date(created_at).toLocaleString(useLanguage()) })} close={close}>
      <p className={styles.none}>{data !== undefined && isSame ? t('history.same') : t('history.legend')}</p>
      <DifferenceView pieces={pieces} />
      <DialogButtons>
        <Button onClick={close}>{t('cancel')}</Button>
        <Button look="primary" aria-disabled={isSame || restoring.isPending} onClick={isSame ? close : restore}>
          {t('history.restore')}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
