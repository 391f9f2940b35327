import type { ActivityItem } from '@notevault/protocol/activity.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { activityItemQuery, meQuery } from '../../data/queries.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { actorText } from '../../page/actor-text.ts';
import { Failed, Waiting } from '../../page/states.tsx';
import { Avatar } from '../../ui/controls/avatar.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { timeOfDay } from '../../ui/text/day-of.ts';
import styles from './activity.module.css';
import { activityText, pathsText } from './activity-text.ts';
import { ChangeList } from './change-list.tsx';

interface ActivityRowProps {
  readonly vaultId: string;
  readonly item: ActivityItem;
  readonly undo: (item: ActivityItem) => void;
}

/** An activity item: who did what and where; its differences on demand, and undo for who may. */
export function ActivityRow({ vaultId, item, undo }: ActivityRowProps) {
  const t = useTexts('activity');
  const common = useTexts('vault');
  const language = useLanguage();
  const { data: me } = useQuery(meQuery);
  const [isOpen, setOpen] = useState(false);
  const { actor, at, paths, undone_by: undone, undoable } = item;
  const isMine = actor.display_name === undefined;
  const name = actor.client ?? (isMine ? (me?.display_name ?? '') : (actor.display_name ?? common('shared.noName')));
  const who =
    isMine && actor.kind === 'session' && actor.client === undefined ? t('yourself') : actorText(common, actor);
  const what = activityText(t, item);
  const places = pathsText(item);
  return (
    <li className={styles.item}>
      <Avatar name={name} tone={actor.client === undefined && isMine ? undefined : name} />
      <div className={styles.what}>
        <p>
          <b dir="auto">{who}</b> · <span>{what}</span>
          {undone === null ? null : <em>{t('undone')}</em>}
        </p>
        {places === null ? null : (
          <p className={styles.paths} dir="auto">
            {places}
          </p>
        )}
      </div>
      <time className={styles.time} dateTime={at} title={new Date(at).toLocaleString(language)}>
        {timeOfDay(new Date(at), language)}
      </time>
      <span className={styles.buttons}>
        {undoable ? (
          <Button look="quiet" aria-label={`${common('undo')}: ${what}, ${places ?? ''}`} onClick={() => undo(item)}>
            <Icon name="undo" size={14} />
            {common('undo')}
          </Button>
        ) : null}
        {paths.length === 0 ? null : (
          <Button
            look="quiet"
            isIcon
            aria-expanded={isOpen}
            aria-label={`${t('changes')}: ${what}, ${places ?? ''}`}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? 'down' : 'chevron'} size={14} />
          </Button>
        )}
      </span>
      {isOpen ? <Changes vaultId={vaultId} id={item.id} /> : null}
    </li>
  );
}

function Changes({ vaultId, id }: { readonly vaultId: string; readonly id: string }) {
  const query = useQuery(activityItemQuery(vaultId, id));
  return (
    <div className={styles.changes}>
      {query.isPending ? <Waiting /> : null}
      {query.error === null ? null : <Failed error={query.error} again={() => void query.refetch()} />}
      {query.data == null ? null : <ChangeList vaultId={vaultId} changes={query.data.changes ?? []} />}
    </div>
  );
}
