import type { ActivityItem } from '@notevault/protocol/activity.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { activityQuery } from '../../data/queries.ts';
import { useRole } from '../../data/use-vault.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { ForEditors } from '../../page/for-editors.tsx';
import { Page } from '../../page/page.tsx';
import { Empty, Failed, Waiting } from '../../page/states.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { dayName, dayOf } from '../../ui/text/day-of.ts';
import styles from './activity.module.css';
import { ActivityFilters } from './activity-filters.tsx';
import { ActivityRow } from './activity-row.tsx';
import { UndoDialog } from './undo-dialog.tsx';

const route = getRouteApi('/vaults/$vaultId/activity');

/** Page with what people and assistants did in a vault. The filter is in the address. */
export function ActivityPage() {
  const t = useTexts('activity');
  const { vaultId } = route.useParams();
  return useRole(vaultId) === 'viewer' ? <ForEditors title={t('title')} /> : <Activity vaultId={vaultId} />;
}

function Activity({ vaultId }: { readonly vaultId: string }) {
  const t = useTexts('activity');
  const common = useTexts('vault');
  const filter = route.useSearch();
  const query = useInfiniteQuery(activityQuery(vaultId, filter));
  const { data: items = [], error, hasNextPage, isFetchingNextPage, isPending } = query;
  const [undoing, setUndoing] = useState<ActivityItem | null>(null);
  const isEmpty = !isPending && error === null && items.length === 0;
  return (
    <Page title={t('title')}>
      <p className={styles.about}>{t('about')}</p>
      <ActivityFilters vaultId={vaultId} items={items} />
      {error === null ? null : (
        <Failed error={error} again={() => void query.refetch()} isOld={query.data !== undefined} />
      )}
      {isPending ? <Waiting /> : null}
      {isEmpty ? <None isFiltered={Object.keys(filter).length > 0} hasMore={hasNextPage} /> : null}
      <Days vaultId={vaultId} items={items} undo={setUndoing} />
      {hasNextPage ? (
        <Button
          className={styles.more}
          aria-disabled={isFetchingNextPage}
          onClick={() => {
            if (!isFetchingNextPage) void query.fetchNextPage();
          }}
        >
          {common('more')}
        </Button>
      ) : null}
      {undoing === null ? null : <UndoDialog vaultId={vaultId} item={undoing} close={() => setUndoing(null)} />}
    </Page>
  );
}

/** @param hasMore whether the server has not searched everything yet. */
function None({ isFiltered, hasMore }: { readonly isFiltered: boolean; readonly hasMore: boolean }) {
  const t = useTexts('activity');
  if (hasMore) return <p role="status">{t('noneYet')}</p>;
  return (
    <Empty icon="history" title={t(isFiltered ? 'noneFiltered' : 'none')}>
      <p>{t(isFiltered ? 'noneFilteredText' : 'noneText')}</p>
    </Empty>
  );
}

interface DaysProps {
  readonly vaultId: string;
  readonly items: readonly ActivityItem[];
  readonly undo: (item: ActivityItem) => void;
}

function Days({ vaultId, items, undo }: DaysProps) {
  const language = useLanguage();
  const days = Map.groupBy(items, ({ at }) => dayOf(new Date(at)));
  return [...days].map(([day, own]) => (
    <section key={day}>
      <h2 className={styles.day}>{dayName(new Date(own[0]?.at ?? day), new Date(), language)}</h2>
      <ul>
        {own.map((item) => (
          <ActivityRow key={item.id} vaultId={vaultId} item={item} undo={undo} />
        ))}
      </ul>
    </section>
  ));
}
