import type { Note, NoteVersion } from '@notevault/protocol/notes.ts';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { versionQuery, versionsQuery } from '../../data/queries.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { useChange } from '../../page/use-change.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Choice } from '../../ui/controls/field.tsx';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';
import { Time } from '../../ui/text/time.tsx';
import { differenceOf, shortened } from './difference.ts';
import { DifferenceView } from './difference-view.tsx';
import styles from './panels.module.css';
import { SideView } from './side-view.tsx';
import sides from './sides.module.css';
import { sidesOf } from './sides.ts';

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
        <VersionDialog vaultId={vaultId} note={note} version={shown} versions={versions} close={() => setShown(null)} />
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
  readonly versions: readonly NoteVersion[];
  readonly close: () => void;
}

/** Two versions compared: at first the one that was chosen with the text now, then any two. */
function VersionDialog({ vaultId, note, version: first, versions, close }: VersionDialogProps) {
  const t = useTexts('vault');
  const language = useLanguage();
  const [[earlier, later], setPair] = useState<readonly [number, number | null]>([first.version, null]);
  const [isBeside, setBeside] = useState(false);
  const before = useText(vaultId, note, earlier);
  const after = useText(vaultId, note, later);
  const restoring = useChange(
    () => api.vault(vaultId).restoreVersion(note.id, earlier),
    keys.note(vaultId, note.id),
    t('history.restored'),
  );
  const restore = () => restoring.mutate(undefined, { onSuccess: close });
  const isRead = before !== undefined && after !== undefined;
  const pieces = isRead ? differenceOf(before, after) : [];
  const isSame = pieces.every(({ kind }) => kind === 'same');
  const isCurrent = before === note.content;
  const nameOf = (version: number | null) => {
    const made = versions.find((one) => one.version === version)?.created_at;
    return made === undefined ? t('history.now') : new Date(made).toLocaleString(language);
  };
  const choices = versions.map(({ version }) => (
    <option key={version} value={version}>
      {nameOf(version)}
    </option>
  ));
  return (
    <Dialog title={t('history.title', { date: nameOf(earlier) })} close={close} isWide>
      <div className={sides.pair}>
        <Choice
          label={t('history.earlier')}
          value={earlier}
          onChange={({ target }) => setPair([Number(target.value), later])}
        >
          {choices}
        </Choice>
        <Choice
          label={t('history.later')}
          value={later ?? ''}
          onChange={({ target }) => setPair([earlier, target.value === '' ? null : Number(target.value)])}
        >
          <option value="">{t('history.now')}</option>
          {choices}
        </Choice>
        <Choice
          label={t('history.look')}
          value={String(isBeside)}
          onChange={({ target }) => setBeside(target.value === 'true')}
        >
          <option value="false">{t('history.inline')}</option>
          <option value="true">{t('history.beside')}</option>
        </Choice>
      </div>
      <p className={styles.none}>{isRead && isSame ? t('history.same') : t('history.legend')}</p>
      {isBeside ? (
        <SideView blocks={sidesOf(shortened(pieces))} names={[nameOf(earlier), nameOf(later)]} />
      ) : (
        <DifferenceView pieces={shortened(pieces)} />
      )}
      <DialogButtons>
        <Button onClick={close}>{t('cancel')}</Button>
        <Button look="primary" aria-disabled={isCurrent || restoring.isPending} onClick={isCurrent ? close : restore}>
          {t('history.restore')}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

/** The text of a version, or for null the one now; undefined until it is read. */
function useText(vaultId: string, note: Note, version: number | null): string | undefined {
  const { data } = useQuery({ ...versionQuery(vaultId, note.id, version ?? 0), enabled: version !== null });
  return version === null ? note.content : data?.content;
}
