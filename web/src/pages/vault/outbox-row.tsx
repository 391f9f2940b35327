import type { VaultTree } from '@notevault/protocol/sync.ts';
import { Link } from '@tanstack/react-router';
import { keys } from '../../data/keys.ts';
import { queryClient } from '../../data/query-client.ts';
import { freeName } from '../../data/tree/tree-edit.ts';
import { nameOf, noteName, parentOf } from '../../data/tree/tree-index.ts';
import { currentOutbox, draftText, forgetDraft } from '../../device/outbox/current-outbox.ts';
import { isEdit } from '../../device/outbox/entry-facts.ts';
import { type Operation, type OutboxEntry, pathOf } from '../../device/outbox/operation.ts';
import { problemText } from '../../device/outbox/problem-text.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { saveFile } from '../../ui/controls/save-file.ts';
import { errorText } from '../../ui/feedback/error-text.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import styles from './unsent-badge.module.css';

/** Row of a pending or refused operation, with its actions. */
export function OutboxRow({ entry, opened }: { readonly entry: OutboxEntry; readonly opened: () => void }) {
  const t = useTexts('vault');
  const { id, vault, operation, problem, delay } = entry;
  const path = pathOf(operation);
  const name = noteName(path) || t('outbox.restore');
  const attempt = (action: () => Promise<void>) => () =>
    void action().catch((error: unknown) => showToast({ kind: 'danger', text: errorText(t, error) }));
  const discard = async () => {
    const text = await draftText(entry);
    const outbox = await currentOutbox();
    await outbox.discard(id);
    if (operation.kind === 'note') await forgetDraft(operation.noteId);
    const made = { attempt: null, sent: operation.kind === 'note' && isEdit(operation) ? operation.sent : null };
    const undone = operation.kind === 'note' ? { ...operation, content: text, ...made } : operation;
    showToast({
      kind: 'plain',
      text: t('outbox.discarded', { name }),
      action: { label: t('undo'), run: () => void outbox.run(vault, undone) },
    });
  };
  const isOvertaken = problem?.reason === 'changed' || problem?.reason === 'moved';
  const canRename =
    problem?.reason === 'taken' && (operation.kind === 'note' || operation.kind === 'file') && !isEdit(operation);
  return (
    <li>
      {operation.kind === 'note' ? (
        <Link
          to="/vaults/$vaultId/notes/$noteId"
          params={{ vaultId: vault, noteId: operation.noteId }}
          onClick={opened}
          dir="auto"
        >
          {name}
        </Link>
      ) : (
        <span dir="auto">{name}</span>
      )}
      <small dir="auto">
        {[
          t(isEdit(operation) ? 'outbox.edit' : `outbox.${operation.kind}`),
          parentOf(path),
          problem === null ? t('outbox.waiting') : '',
          problem !== null ? problemText(t, problem) : delay !== undefined ? problemText(t, delay) : '',
        ]
          .filter(Boolean)
          .join(' · ')}
      </small>
      <div className={styles.buttons}>
        {canRename ? (
          <Button aria-label={`${t('outbox.otherName')}: ${name}`} onClick={attempt(() => renamed(entry))}>
            {t('outbox.otherName')}
          </Button>
        ) : problem === null ? null : (
          <Button
            aria-label={`${t(isOvertaken ? 'outbox.force' : 'outbox.retry')}: ${name}`}
            onClick={attempt(async () => (await currentOutbox()).retry(id, { isForced: isOvertaken }))}
          >
            {t(isOvertaken ? 'outbox.force' : 'outbox.retry')}
          </Button>
        )}
        {operation.kind === 'note' || operation.kind === 'file' ? (
          <Button aria-label={`${t('unsent.download')}: ${name}`} onClick={attempt(() => download(entry))}>
            {t('unsent.download')}
          </Button>
        ) : null}
        <Button look="danger" aria-label={`${t('unsent.discard')}: ${name}`} onClick={attempt(discard)}>
          {t('unsent.discard')}
        </Button>
      </div>
    </li>
  );
}

/** Retries all failed entries. */
export async function retryAll(entries: readonly OutboxEntry[]): Promise<void> {
  const outbox = await currentOutbox();
  for (const { id, problem } of entries) if (problem !== null) await outbox.retry(id);
  outbox.check();
}

async function download(entry: OutboxEntry): Promise<void> {
  const { operation } = entry;
  const name = nameOf(pathOf(operation));
  if (operation.kind === 'file') saveFile(name, operation.bytes);
  else saveFile(name, new Blob([await draftText(entry)], { type: 'text/markdown' }));
}

/** Creates a note or file under a free name beside the existing one. */
async function renamed({ id, vault, operation }: OutboxEntry): Promise<void> {
  if (operation.kind !== 'note' && operation.kind !== 'file') return;
  const tree = queryClient.getQueryData<VaultTree>(keys.tree(vault));
  if (tree === undefined) return;
  const name = nameOf(operation.path);
  const dot = name.lastIndexOf('.') > 0 ? name.lastIndexOf('.') : name.length;
  const others = {
    ...tree,
    notes: [...tree.notes, { id: '', path: operation.path, created_at: '', updated_at: '' }],
  };
  const path = freeName(others, parentOf(operation.path), name.slice(0, dot), name.slice(dot));
  const changed: Operation = { ...operation, path };
  await (await currentOutbox()).retry(id, { operation: changed });
}
