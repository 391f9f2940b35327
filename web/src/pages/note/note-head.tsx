import { getRouteApi, useCanGoBack, useNavigate, useRouter } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { noteName, parentOf } from '../../data/tree/tree-index.ts';
import type { EditorSession } from '../../editor/index.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useObservable } from '../../platform/use-observable.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import type { OpenNote } from '../../workspace/open-note.ts';
import styles from './note-head.module.css';
import { People } from './people.tsx';

const route = getRouteApi('/vaults/$vaultId/notes/$noteId');

interface NoteHeadProps {
  readonly path: string;
  /** Whether it is the note of the page, and not the one beside that. */
  readonly isMain: boolean;
  readonly open: OpenNote;
  readonly session: EditorSession;
  readonly isStarred: boolean;
  readonly star: () => void;
  /** Opens the share dialog; null for members who cannot share. */
  readonly share: (() => void) | null;
  /** Links to the previous and next daily note. */
  readonly days: ReactNode;
  /** Whether it is saved. */
  readonly state: ReactNode;
  /** Menu of further actions. */
  readonly menu: ReactNode;
}

/** Bar above a note: its path, the people in it, and the most frequent actions. */
export function NoteHead({ path, isMain, open, session, isStarred, star, share, days, state, menu }: NoteHeadProps) {
  const t = useTexts('editor');
  const inVault = useTexts('vault');
  const isReading = useObservable(open.isReading);
  const navigate = route.useNavigate();
  const { panel } = route.useSearch();
  const Heading = isMain ? 'h1' : 'h2';
  return (
    <header className={styles.head}>
      <BackButton />
      <Heading className={styles.path} dir="auto">
        {parentOf(path) === ''
          ? null
          : parentOf(path)
              .split('/')
              .map((folder) => `${folder} / `)}
        <span>{noteName(path)}</span>
      </Heading>
      {days}
      {state}
      <People session={session} />
      {share === null ? null : (
        <Button className={styles.share ?? ''} title={inVault('action.share')} onClick={share}>
          <Icon name="people" />
          <span>{inVault('note.share')}</span>
        </Button>
      )}
      <Button
        look="quiet"
        isIcon
        className={styles.star ?? ''}
        aria-label={inVault('note.star')}
        aria-pressed={isStarred}
        title={inVault('note.star')}
        onClick={star}
      >
        <Icon name="star" />
      </Button>
      <Button
        look="quiet"
        isIcon
        aria-label={t('mode.reading')}
        aria-pressed={isReading}
        title={t('mode.reading')}
        onClick={() => open.toggleMode('reading')}
      >
        <Icon name="read" />
      </Button>
      {menu ?? <span className={styles.space} />}
      <Button
        look="quiet"
        isIcon
        aria-label={inVault('note.beside')}
        aria-pressed={panel !== undefined}
        title={inVault('note.beside')}
        onClick={() => void navigate({ search: { panel: panel === undefined ? 'outline' : undefined } })}
      >
        <Icon name="panel" />
      </Button>
    </header>
  );
}

/** On a phone, to where one came from. */
function BackButton() {
  const t = useTexts('vault');
  const { history } = useRouter();
  const canGoBack = useCanGoBack();
  const navigate = useNavigate();
  const { vaultId } = route.useParams();
  const goBack = () =>
    canGoBack ? history.back() : void navigate({ to: '/vaults/$vaultId', params: { vaultId }, replace: true });
  return (
    <Button look="quiet" isIcon className={styles.back ?? ''} aria-label={t('note.back')} onClick={goBack}>
      <Icon name="back" size={20} />
    </Button>
  );
}
