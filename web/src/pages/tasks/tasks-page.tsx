import type { TaskState } from '@notevault/protocol/tasks.ts';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { tagsQuery, tasksQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Page } from '../../page/page.tsx';
import { TASK_ORDERS, type TaskOrder, type TaskParams } from '../../page/search-params.ts';
import { Empty, Failed, Waiting } from '../../page/states.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Select } from '../../ui/controls/select.tsx';
import { TaskList } from './task-list.tsx';
import styles from './tasks.module.css';
import { withTicked } from './ticked-tasks.ts';
import { useTicks } from './use-ticks.ts';

const route = getRouteApi('/vaults/$vaultId/tasks');

/** Page with the tasks of all notes of a vault. The filter is in the address. */
export function TasksPage() {
  const { vaultId } = route.useParams();
  const { state = 'open', tag = '' } = route.useSearch();
  // Ticked tasks stay in their list while it is shown.
  return <Tasks key={`${vaultId} ${state} ${tag}`} vaultId={vaultId} state={state} />;
}

interface TasksProps {
  readonly vaultId: string;
  readonly state: TaskState;
}

function Tasks({ vaultId, state }: TasksProps) {
  const t = useTexts('tasks');
  const common = useTexts('vault');
  const { tag, by = 'due' } = route.useSearch();
  const query = useInfiniteQuery({ ...tasksQuery(vaultId, state, tag), placeholderData: keepPreviousData });
  const { data: listed, error, hasNextPage, isFetching, isFetchingNextPage, isPending } = query;
  const ticks = useTicks(vaultId);
  const shown = withTicked(listed ?? [], ticks.touched);
  const count = shown.filter((task) => task.state === state).length;
  return (
    <Page title={t('title')}>
      <Filters
        vaultId={vaultId}
        state={state}
        count={listed === undefined ? null : `${count}${hasNextPage ? '+' : ''}`}
      />
      {error === null ? null : <Failed error={error} again={() => void query.refetch()} isOld={listed !== undefined} />}
      {isPending ? <Waiting /> : null}
      {shown.length > 0 ? (
        <TaskList vaultId={vaultId} tasks={shown} by={by} state={state} ticks={ticks} isOld={isFetching} />
      ) : null}
      {listed !== undefined && !hasNextPage && shown.length === 0 ? (
        <Empty
          icon="task"
          title={tag !== undefined ? t('noneTagged', { tag }) : t(state === 'done' ? 'noneDone' : 'noneOpen')}
        >
          {tag === undefined ? <p>{t(state === 'done' ? 'noneDoneText' : 'how')}</p> : null}
        </Empty>
      ) : null}
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
    </Page>
  );
}

interface FiltersProps extends TasksProps {
  /** How many are listed; null while that is not known. */
  readonly count: string | null;
}

function Filters({ vaultId, state, count }: FiltersProps) {
  const t = useTexts('tasks');
  const params = route.useSearch();
  const navigate = route.useNavigate();
  const { data: tags = [] } = useQuery(tagsQuery(vaultId));
  const known = tags.some(({ name }) => name === params.tag) || params.tag === undefined;
  const change = (next: Partial<Record<keyof TaskParams, string | undefined>>) =>
    void navigate({ search: (now) => clean({ ...now, ...next }), replace: true });
  return (
    <div className={styles.filters}>
      {(['open', 'done'] as const).map((one) => (
        <Link
          key={one}
          to="/vaults/$vaultId/tasks"
          params={{ vaultId }}
          search={clean({ ...params, state: one === 'done' ? one : undefined })}
          className={styles.choice}
          aria-current={one === state ? 'true' : undefined}
        >
          {t(one)} {one === state && count !== null ? <span>{count}</span> : null}
        </Link>
      ))}
      <Select
        className={styles.select}
        aria-label={t('tag')}
        value={params.tag ?? ''}
        onChange={({ target }) => change({ tag: target.value })}
      >
        <option value="">{t('anyTag')}</option>
        {known ? null : <option value={params.tag}>#{params.tag}</option>}
        {tags.map(({ name }) => (
          <option key={name} value={name}>
            #{name}
          </option>
        ))}
      </Select>
      <Select
        className={`${styles.select} ${styles.end}`}
        aria-label={t('order')}
        value={params.by ?? 'due'}
        onChange={({ target }) => change({ by: target.value === 'due' ? undefined : (target.value as TaskOrder) })}
      >
        {TASK_ORDERS.map((order) => (
          <option key={order} value={order}>
            {t(`by.${order}`)}
          </option>
        ))}
      </Select>
    </div>
  );
}

function clean(params: Partial<Record<keyof TaskParams, string | undefined>>): TaskParams {
  return Object.fromEntries(Object.entries(params).filter(([, value]) => value !== undefined && value !== ''));
}
