import type { Note, NoteVersion } from '@notevault/protocol/notes.ts';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { api } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { meQuery, versionsQuery } from '../../../data/queries.ts';
import { queryClient } from '../../../data/query-client.ts';
import { useLanguage, useTexts } from '../../../i18n/use-texts.ts';
import { actorText } from '../../../page/actor-text.ts';
import { useChange } from '../../../page/use-change.ts';
import { Avatar } from '../../../ui/controls/avatar.tsx';
import { Button, buttonClass } from '../../../ui/controls/button.tsx';
import { errorText } from '../../../ui/feedback/error-text.ts';
import { showToast } from '../../../ui/feedback/toast.ts';
import { bytes } from '../../../ui/text/bytes.ts';
import { dayName, dayOf, timeOfDay } from '../../../ui/text/day-of.ts';
import styles from './history.module.css';

const route = getRouteApi('/vaults/$vaultId/notes/$noteId');

interface HistoryProps {
  readonly vaultId: string;
  readonly note: Note;
}

/** The versions of a note by day: when, by whom, and by how much it grew. One that is chosen is shown in place of the note. */
export function History({ vaultId, note }: HistoryProps) {
  const t = useTexts('vault');
  const language = useLanguage();
  const navigate = route.useNavigate();
  const { version: chosen } = route.useSearch();
  const { data: versions } = useSuspenseQuery(versionsQuery(vaultId, note.id));
  const choose = (version: number | null) =>
    void navigate({ search: { panel: 'history', ...(version === null ? {} : { version }) }, replace: true });
  const days = Map.groupBy(versions, ({ created_at: made }) => dayOf(new Date(made)));
  return (
    <>
      {[...days].map(([day, all]) => (
        <section key={day}>
          <h3 className={styles.day}>{dayName(new Date(all[0]?.created_at ?? day), new Date(), language)}</h3>
          <ul>
            {all.map((version) => (
              <li key={version.version}>
                <VersionRow
                  version={version}
                  before={versions[versions.indexOf(version) + 1]}
                  isNow={version.version === note.version}
                  isChosen={version.version === chosen}
                  choose={choose}
                />
                {version.version === chosen && version.version !== note.version ? (
                  <Restore vaultId={vaultId} note={note} version={version.version} restored={() => choose(null)} />
                ) : null}
              </li>
            ))}
          </ul>
        </section>
      ))}
      <Link
        to="/vaults/$vaultId/activity"
        params={{ vaultId }}
        search={{ note: note.id }}
        className={buttonClass('quiet', false, styles.activity)}
      >
        {t('history.activity')}
      </Link>
    </>
  );
}

interface VersionRowProps {
  readonly version: NoteVersion;
  /** The one before it, if that is kept. */
  readonly before: NoteVersion | undefined;
  readonly isNow: boolean;
  readonly isChosen: boolean;
  readonly choose: (version: number | null) => void;
}

function VersionRow({ version, before, isNow, isChosen, choose }: VersionRowProps) {
  const t = useTexts('vault');
  const language = useLanguage();
  const { data: me } = useQuery(meQuery);
  const { actor, created_at: made, reason, size_bytes: size } = version;
  const isMine = actor.display_name === undefined;
  const name = isMine ? (me?.display_name ?? '') : (actor.display_name ?? t('shared.noName'));
  const grown = before === undefined ? size : size - before.size_bytes;
  const about = [
    reasonText(t, reason),
    ...(grown === 0 ? [] : [`${grown > 0 ? '+' : '−'}${bytes(Math.abs(grown), language)}`]),
    ...(isNow ? [t('history.now')] : []),
  ];
  return (
    <button
      type="button"
      className={styles.version}
      aria-pressed={isChosen}
      onClick={() => choose(isChosen ? null : version.version)}
      onKeyDown={({ key }) => (key === 'Escape' && isChosen ? choose(null) : undefined)}
    >
      <Avatar
        name={actor.client ?? name}
        tone={actor.client === undefined && isMine ? undefined : (actor.client ?? name)}
      />
      <span dir="auto">{actorText(t, actor)}</span>
      <time dateTime={made}>{timeOfDay(new Date(made), language)}</time>
      <small>{about.join(' · ')}</small>
    </button>
  );
}

const REASONS = ['create', 'edit', 'merge', 'append', 'batch', 'agent', 'restore', 'link_rewrite'] as const;

function reasonText(t: ReturnType<typeof useTexts<'vault'>>, reason: string): string {
  const known = REASONS.find((name) => name === reason);
  return known === undefined ? reason : t(`history.reason.${known}`);
}

interface RestoreProps extends HistoryProps {
  readonly version: number;
  readonly restored: () => void;
}

/** Writes the text of a version as the text now; for some seconds that can be undone. */
function Restore({ vaultId, note, version, restored }: RestoreProps) {
  const t = useTexts('vault');
  const vault = api.vault(vaultId);
  const shown = keys.note(vaultId, note.id);
  const undo = async (made: number) => {
    // The text typed last was stored as a version of its own, right before the restored one.
    const versions = await vault.versionsOf(note.id);
    const before = versions.find((one) => one.version < made);
    if (before !== undefined) await vault.restoreVersion(note.id, before.version);
    await queryClient.invalidateQueries({ queryKey: shown });
  };
  const restoring = useChange(async () => {
    const { version: made } = await vault.restoreVersion(note.id, version);
    const failed = (error: unknown) => showToast({ kind: 'danger', text: errorText(t, error) });
    const action = { label: t('undo'), run: () => void undo(made).catch(failed) };
    showToast({ kind: 'plain', text: t('history.restored'), action });
  }, shown);
  return (
    <Button
      look="primary"
      className={styles.restore}
      aria-disabled={restoring.isPending}
      onClick={() => restoring.mutate(undefined, { onSuccess: restored })}
    >
      {t('history.restore')}
    </Button>
  );
}
