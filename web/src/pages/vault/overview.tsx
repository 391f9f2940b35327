import { ApiError } from '@notevault/client/transport.ts';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Suspense, useState } from 'react';
import { dueQuery, meQuery, recentQuery, treeQuery } from '../../data/queries.ts';
import { useCanWrite, useVaultId } from '../../data/use-vault.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { CrashBarrier } from '../../page/crash-barrier.tsx';
import { useWindowTitle } from '../../page/page.tsx';
import { Waiting } from '../../page/states.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { dayOf } from '../../ui/text/day-of.ts';
import { useFolders } from '../../workspace/folders.ts';
import { useVaultActions } from '../commands/vault-actions.ts';
import { partOfDay } from './greeting.ts';
import { NoteList } from './note-list.tsx';
import styles from './overview.module.css';

/** Home page: first steps, damaged entries, and the notes changed last. */
export function Overview() {
  const t = useTexts('vault');
  const vaultId = useVaultId();
  const { data: me } = useSuspenseQuery(meQuery);
  const language = useLanguage();
  const [now] = useState(() => new Date());
  useWindowTitle(t('nav.home'));
  const { data, error } = useQuery({ ...recentQuery(vaultId), throwOnError: (thrown) => !isDamage(thrown) });
  const isEmpty = data?.length === 0;
  const canWrite = useCanWrite(vaultId);
  const greeting = t(`home.${partOfDay(now)}`);
  return (
    <div className={styles.home} data-empty={isEmpty || undefined}>
      <header>
        <h1>{me.display_name === null ? greeting : t('home.named', { greeting, name: me.display_name })}</h1>
        {isEmpty ? (
          <p>{t(canWrite ? 'overview.emptyText' : 'shared.empty')}</p>
        ) : (
          <p>
            {now.toLocaleDateString(language, { weekday: 'long', day: 'numeric', month: 'long' })}
            <Due vaultId={vaultId} day={dayOf(now)} />
          </p>
        )}
      </header>
      {canWrite ? <Beginnings vaultId={vaultId} now={now} isEmpty={isEmpty} /> : null}
      <CrashBarrier>
        <Suspense>
          <DamagedRows vaultId={vaultId} />
        </Suspense>
      </CrashBarrier>
      {isDamage(error) ? <p className={styles.hint}>{t('damaged.recent')}</p> : null}
      {data === undefined && error === null ? <Waiting /> : null}
      {data === undefined || isEmpty ? null : (
        <section aria-labelledby="recent">
          <h2 id="recent">{t('overview.title')}</h2>
          <NoteList notes={data} />
        </section>
      )}
    </div>
  );
}

/** How many tasks are due, behind the date; nothing if none is. */
function Due({ vaultId, day }: { readonly vaultId: string; readonly day: string }) {
  const t = useTexts('vault');
  const { data } = useQuery(dueQuery(vaultId, day));
  if (data === undefined || data.count === 0) return null;
  const { count, hasMore } = data;
  return (
    <>
      {' · '}
      <Link to="/vaults/$vaultId/tasks" params={{ vaultId }} className={styles.due}>
        {t('home.due', { count, shown: `${count}${hasMore ? '+' : ''}` })}
      </Link>
    </>
  );
}

interface BeginningsProps {
  readonly vaultId: string;
  readonly now: Date;
  readonly isEmpty: boolean;
}

/** Three things to begin with. */
function Beginnings({ vaultId, now, isEmpty }: BeginningsProps) {
  const t = useTexts('vault');
  const { daily } = useFolders(vaultId);
  const { createNote, openDaily } = useVaultActions();
  return (
    <ul className={styles.cards}>
      <li>
        <button type="button" onClick={createNote}>
          <Icon name="pen" size={18} />
          <b>{t('nav.newNote')}</b>
          <small>{t('home.newNote')}</small>
        </button>
      </li>
      <li>
        {isEmpty ? (
          <Link to="/vaults/$vaultId/import" params={{ vaultId }}>
            <Icon name="download" size={18} />
            <b>{t('action.import')}</b>
            <small>{t('home.import')}</small>
          </Link>
        ) : (
          <button type="button" onClick={() => openDaily()}>
            <Icon name="calendar" size={18} />
            <b>{t('home.today')}</b>
            <small dir="auto">{[daily, dayOf(now)].filter(Boolean).join(' / ')}</small>
          </button>
        )}
      </li>
      <li>
        <Link to="/settings/connections">
          <Icon name="plug" size={18} />
          <b>{t('home.connect')}</b>
          <small>{t('home.connectText')}</small>
        </Link>
      </li>
    </ul>
  );
}

/** Whether the list failed because of a damaged note among the newest. */
function isDamage(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'note_unreadable';
}

const LISTED = 20;

/** Names the notes and files of a vault whose stored data is damaged, and says what to do; nothing if there are none. */
function DamagedRows({ vaultId }: { readonly vaultId: string }) {
  const t = useTexts('vault');
  const { data: rows = [] } = useSuspenseQuery({ ...treeQuery(vaultId), select: ({ unreadable }) => unreadable });
  if (rows.length === 0) return null;
  const notes = rows.filter(({ type }) => type === 'note').length;
  const files = rows.length - notes;
  return (
    <section className={styles.section} aria-label={t('damaged.label')}>
      <Notice kind="danger">
        {notes > 0 ? <p>{t('damaged.notes', { count: notes })}</p> : null}
        {files > 0 ? <p>{t('damaged.files', { count: files })}</p> : null}
        <p>{t('damaged.help')}</p>
      </Notice>
      {/* Outside of what is announced at once: nobody wants to hear the ids. */}
      <ul className={styles.ids}>
        {rows.slice(0, LISTED).map(({ id, type }) => (
          <li key={id}>
            {t(`damaged.${type}`)} <code>{id}</code>
          </li>
        ))}
        {rows.length > LISTED ? <li>{t('damaged.more', { count: rows.length - LISTED })}</li> : null}
      </ul>
    </section>
  );
}
