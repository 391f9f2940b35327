import { getRouteApi, useCanGoBack, useNavigate, useRouter } from '@tanstack/react-router';
import { type ReactNode, useSyncExternalStore } from 'react';
import type { EditorSession } from '../editor/index.ts';
import { useTexts } from '../i18n/use-texts.ts';
import { useObservable } from '../platform/use-observable.ts';
import { noteName, parentOf } from '../tree/model/tree-index.ts';
import { Avatar } from '../ui/controls/avatar.tsx';
import { Button } from '../ui/controls/button.tsx';
import { Icon } from '../ui/controls/icon.tsx';
import type { OpenNote } from '../workspace/open-note.ts';
import styles from './note-head.module.css';

const route = getRouteApi('/vaults/$vaultId/notes/$noteId');

interface NoteHeadProps {
  readonly path: string;
  readonly open: OpenNote;
  readonly session: EditorSession;
  readonly isStarred: boolean;
  readonly star: () => void;
  /** Whether it is saved. */
  readonly state: ReactNode;
  /** What else can be done. */
  readonly menu: ReactNode;
}

/** Above a note: where it is, who is here, and what is done most. */
export function NoteHead({ path, open, session, isStarred, star, state, menu }: NoteHeadProps) {
  const t = useTexts('editor');
  const inVault = useTexts('vault');
  const isReading = useObservable(open.isReading);
  const navigate = route.useNavigate();
  const { panel } = route.useSearch();
  return (
    <header className={styles.head}>
      <BackButton />
      <h1 className={styles.path} dir="auto">
        {parentOf(path) === ''
          ? null
          : parentOf(path)
              .split('/')
              .map((folder) => `${folder} / `)}
        <span>{noteName(path)}</span>
      </h1>
      {state}
      <People session={session} />
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

const SHOWN = 4;

/** The others that have the note open. */
function People({ session }: { readonly session: EditorSession }) {
  const t = useTexts('vault');
  const people = useSyncExternalStore(
    (listener) => {
      session.awareness?.on('change', listener);
      return () => session.awareness?.off('change', listener);
    },
    () => namesOf(session),
  );
  if (people === '') return null;
  const all = people.split('\n').map((line) => line.split('\t'));
  return (
    <span
      className={styles.people}
      role="img"
      aria-label={t('note.here', { names: all.map(([name]) => name).join(', ') })}
    >
      {all.slice(0, SHOWN).map(([name = '', color = ''], at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two may have one name
        <Avatar key={at} name={name} color={color} />
      ))}
    </span>
  );
}

/** A line for each of the others, so that a cursor that moves draws nothing. */
function namesOf({ awareness }: EditorSession): string {
  if (awareness === null) return '';
  const lines: string[] = [];
  for (const [id, state] of awareness.getStates()) {
    const user = (state as { user?: { name?: unknown; color?: unknown } }).user;
    if (id === awareness.clientID || typeof user?.name !== 'string' || typeof user.color !== 'string') continue;
    lines.push(`${user.name.replace(/[\t\n]/g, ' ')}\t${user.color}`);
  }
  return lines.join('\n');
}
