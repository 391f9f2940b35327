import type { ActivityItem } from '@notevault/protocol/activity.ts';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { meQuery, treeQuery } from '../../data/queries.ts';
import { noteName } from '../../data/tree/tree-index.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { ACTIVITY_KINDS } from '../../page/search-params.ts';
import { Icon } from '../../ui/controls/icon.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { membersQuery } from '../sharing/sharing-api.ts';
import styles from './activity.module.css';

const route = getRouteApi('/vaults/$vaultId/activity');

interface ActivityFiltersProps {
  readonly vaultId: string;
  /** The items that are listed, which name people who have left. */
  readonly items: readonly ActivityItem[];
}

export function ActivityFilters({ vaultId, items }: ActivityFiltersProps) {
  const t = useTexts('activity');
  const { actor = '', action = '', note } = route.useSearch();
  const navigate = route.useNavigate();
  const people = usePeople(vaultId, items);
  const change = (next: { readonly actor?: string; readonly action?: string; readonly note?: undefined }) =>
    void navigate({
      search: (now) => Object.fromEntries(Object.entries({ ...now, ...next }).filter(([, value]) => value)),
      replace: true,
    });
  const isKnown = actor === '' || people.some(({ id }) => id === actor);
  return (
    <div className={styles.filters}>
      <Select
        className={styles.select}
        aria-label={t('person')}
        value={actor}
        onChange={({ target }) => change({ actor: target.value })}
      >
        <option value="">{t('anyPerson')}</option>
        {isKnown ? null : <option value={actor}>{t('someone')}</option>}
        {people.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Select>
      <Select
        className={styles.select}
        aria-label={t('kind')}
        value={action}
        onChange={({ target }) => change({ action: target.value })}
      >
        <option value="">{t('anyKind')}</option>
        {ACTIVITY_KINDS.map((one) => (
          <option key={one} value={one}>
            {t(`kinds.${one}`)}
          </option>
        ))}
      </Select>
      {note === undefined ? null : (
        <button type="button" className={styles.note} title={t('allNotes')} onClick={() => change({ note: undefined })}>
          <NoteName vaultId={vaultId} id={note} />
          <Icon name="close" size={12} />
        </button>
      )}
    </div>
  );
}

function NoteName({ vaultId, id }: { readonly vaultId: string; readonly id: string }) {
  const t = useTexts('activity');
  const { data } = useQuery({ ...treeQuery(vaultId), select: ({ notes }) => notes.find((one) => one.id === id)?.path });
  return <span dir="auto">{data === undefined ? t('oneNote') : noteName(data)}</span>;
}

/** Returns the members of a vault, and people who have left it but did something that is listed. */
function usePeople(vaultId: string, items: readonly ActivityItem[]): readonly { id: string; name: string }[] {
  const t = useTexts('activity');
  const common = useTexts('vault');
  const { data: me } = useQuery(meQuery);
  const { data } = useQuery(membersQuery(vaultId));
  const names = new Map((data?.members ?? []).map(({ user_id: id, display_name: name }) => [id, name]));
  for (const { actor } of items) {
    if (actor.user_id === undefined || actor.display_name === undefined || names.has(actor.user_id)) continue;
    names.set(actor.user_id, actor.display_name);
  }
  return [...names].map(([id, name]) => ({
    id,
    name: id === me?.id ? `${name ?? me.email} (${t('you')})` : (name ?? common('shared.noName')),
  }));
}
