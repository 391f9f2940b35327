import type { TrashItem } from '@notevault/protocol/trash.ts';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import i18next from 'i18next';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { trashQuery } from '../../data/queries.ts';
import { useRole } from '../../data/use-vault.ts';
import { outboxState } from '../../device/outbox/outbox-state.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { actorText } from '../../page/actor-text.ts';
import { ForEditors } from '../../page/for-editors.tsx';
import { Page } from '../../page/page.tsx';
import { Empty, Failed, Waiting } from '../../page/states.tsx';
import { useObservable } from '../../platform/use-observable.ts';
import { Button } from '../../ui/controls/button.tsx';
import { useConfirm } from '../../ui/dialogs/confirm.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { Time } from '../../ui/text/time.tsx';
import { useTreeActions } from '../tree/use-tree-actions.ts';
import styles from './lists.module.css';

const route = getRouteApi('/vaults/$vaultId/trash');

/** The trash page: deleted entries that can be restored. */
export function TrashPage() {
  const t = useTexts('vault');
  const { vaultId } = route.useParams();
  return useRole(vaultId) === 'viewer' ? <ForEditors title={t('nav.trash')} /> : <Trash vaultId={vaultId} />;
}

function Trash({ vaultId }: { readonly vaultId: string }) {
  const t = useTexts('vault');
  const query = useInfiniteQuery(trashQuery(vaultId));
  const { data, error, hasNextPage, fetchNextPage, isPending } = query;
  const { entries } = useObservable(outboxState);
  const restored = new Set(entries.flatMap(({ operation: one }) => (one.kind === 'restore' ? one.ids : [])));
  const items = (data ?? []).filter(({ id }) => !restored.has(id));
  const isEmpty = data !== undefined && items.length === 0;
  return (
    <Page title={t('nav.trash')}>
      {isEmpty ? (
        <Empty icon="trash" title={t('trash.empty')}>
          <p>{t('trash.emptyText')}</p>
        </Empty>
      ) : (
        <p className={styles.hint}>{t('trash.about')}</p>
      )}
      {error === null ? null : <Failed error={error} again={() => void query.refetch()} isOld={data !== undefined} />}
      {isPending ? <Waiting /> : null}
      <ul className={styles.rows}>
        {items.map((item) => (
          <Item key={item.id} vaultId={vaultId} item={item} />
        ))}
      </ul>
      {hasNextPage ? <Button onClick={() => void fetchNextPage()}>{t('more')}</Button> : null}
    </Page>
  );
}

function Item({ vaultId, item }: { readonly vaultId: string; readonly item: TrashItem }) {
  const t = useTexts('vault');
  const queries = useQueryClient();
  const { restore } = useTreeActions(vaultId);
  const confirm = useConfirm();
  const role = useRole(vaultId);
  const options = {
    onError: (error: Error) => showToast({ kind: 'danger', text: errorText(t, error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: keys.vault(vaultId) }),
  };
  const restoring = useMutation({
    ...options,
    mutationFn: () => restore([item.id], item.path),
  });
  const ending = useMutation({ ...options, mutationFn: () => api.vault(vaultId).deleteFromTrash(item.id) });
  // A second press while the first is under way would be refused.
  const isBusy = restoring.isPending || ending.isPending;
  const name = item.title ?? item.path;
  return (
    <li className={styles.row}>
      <span className={styles.name} dir="auto">
        {name}
      </span>
      <span className={styles.buttons}>
        <Button
          onClick={() => {
            if (!isBusy) restoring.mutate();
          }}
          aria-disabled={isBusy}
          aria-label={`${t('trash.restore')}: ${name}`}
        >
          {t('trash.restore')}
        </Button>
        {role === 'owner' ? (
          <Button
            look="danger"
            aria-label={`${t('trash.end')}: ${name}`}
            onClick={() =>
              confirm.ask({
                title: t('trash.endTitle', { name }),
                text: t('trash.endText'),
                yes: t('trash.end'),
                run: () => {
                  if (!isBusy) ending.mutate();
                },
              })
            }
          >
            {t('trash.end')}
          </Button>
        ) : null}
      </span>
      <span className={styles.about} dir="auto">
        {item.path} · <Time at={item.deleted_at} /> · {actorText(t, item.actor)} ·{' '}
        {t('trash.until', { date: new Date(item.expires_at).toLocaleDateString(i18next.language) })}
      </span>
      {confirm.dialog}
    </li>
  );
}
