import type { ActivityItem, ActivityUndone } from '@notevault/protocol/activity.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { undoPreviewQuery } from '../../data/queries.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Failed, Waiting } from '../../page/states.tsx';
import { Button } from '../../ui/controls/button.tsx';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { useAttempt } from '../../ui/feedback/use-attempt.ts';
import styles from './activity.module.css';
import { ChangeList } from './change-list.tsx';

interface UndoDialogProps {
  readonly vaultId: string;
  readonly item: ActivityItem;
  readonly close: () => void;
}

/** Shows what undoing an item would change and leave, as a dry run says, and undoes it on request. */
export function UndoDialog({ vaultId, item, close }: UndoDialogProps) {
  const t = useTexts('activity');
  const common = useTexts('vault');
  const queries = useQueryClient();
  const { data: plan, error, isFetching, refetch } = useQuery(undoPreviewQuery(vaultId, item.id));
  const attempt = useAttempt();
  const read = () => queries.invalidateQueries({ queryKey: keys.vault(vaultId) });
  const undoItem = async (id: string) => api.vault(vaultId).undoActivity(id).finally(read);
  const undo = () =>
    attempt.run(async () => {
      const { item: made, left } = await undoItem(item.id);
      const again = () =>
        void undoItem(made ?? '').catch((failure) => showToast({ kind: 'danger', text: errorText(common, failure) }));
      const text = left.length === 0 ? t('done') : t('doneLeft', { count: left.length });
      showToast({ kind: 'plain', text, ...(made === null ? {} : { action: { label: common('undo'), run: again } }) });
      close();
    });
  const canUndo = plan !== undefined && (plan.changes ?? []).length > 0 && !isFetching;
  return (
    <Dialog title={t('undoTitle')} close={close}>
      <p className={styles.about}>{t('undoAbout')}</p>
      {isFetching ? <Waiting /> : null}
      {error === null ? null : <Failed error={error} again={() => void refetch()} />}
      {plan === undefined || isFetching ? null : <Preview vaultId={vaultId} plan={plan} />}
      {attempt.error === null ? null : <Notice kind="danger">{errorText(common, attempt.error)}</Notice>}
      <DialogButtons>
        <Button onClick={close}>{common('cancel')}</Button>
        <Button look="primary" aria-disabled={!canUndo || attempt.isRunning} onClick={() => (canUndo ? undo() : null)}>
          {common('undo')}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function Preview({ vaultId, plan }: { readonly vaultId: string; readonly plan: ActivityUndone }) {
  const t = useTexts('activity');
  const { undone, merged, left, changes = [] } = plan;
  const more = undone - changes.length;
  const reasons = [...Map.groupBy(left, ({ reason }) => reason)];
  return (
    <div className={styles.preview}>
      <p role="status" className={styles.sum}>
        {changes.length === 0 ? t('nothing') : t('would', { count: undone })}
        {merged === 0 ? '' : ` ${t('merged', { count: merged })}`}
      </p>
      <ChangeList vaultId={vaultId} changes={changes} isPlan />
      {more > 0 && changes.length > 0 ? <p>{t('andMore', { count: more })}</p> : null}
      {reasons.map(([reason, entries]) => (
        <section key={reason} className={styles.left}>
          <h3>{t(`left.${reason}`)}</h3>
          <ul>
            {entries.slice(0, LEFT_SHOWN).map(({ path }) => (
              <li key={path} dir="auto">
                {path}
              </li>
            ))}
          </ul>
          {entries.length > LEFT_SHOWN ? <p>{t('andMore', { count: entries.length - LEFT_SHOWN })}</p> : null}
        </section>
      ))}
    </div>
  );
}

const LEFT_SHOWN = 20;
