import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../data/client.ts';
import { vaultsQuery } from '../../data/queries.ts';
import { roleOf } from '../../data/role.ts';
import { nameOf, noteName, parentOf } from '../../data/tree/tree-index.ts';
import type { OutboxEntry } from '../../device/outbox/operation.ts';
import { discardUnsent, unsentText, unstash } from '../../device/unsent-copies.ts';
import { sendNow, unsentChanged } from '../../device/unsent-state.ts';
import type { UnsentNote } from '../../editor/device.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { saveFile } from '../../ui/controls/save-file.ts';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { showToast } from '../../ui/feedback/toast.ts';
import { workspace } from '../../workspace/workspace.ts';
import { type Comparison, MergeDialog } from '../note/panels/merge-dialog.tsx';
import { OutboxRow, retryAll } from './outbox-row.tsx';
import styles from './unsent-badge.module.css';

interface UnsentDialogProps {
  readonly notes: readonly UnsentNote[];
  readonly entries: readonly OutboxEntry[];
  readonly close: () => void;
  /** Called when a note is opened from the list. */
  readonly opened: () => void;
}

/** Dialog with the notes that have unsent edits, and their actions. */
export function UnsentDialog({ notes, entries, close, opened }: UnsentDialogProps) {
  const t = useTexts('vault');
  const sendAll = () => {
    unsentChanged();
    void retryAll(entries);
  };
  return (
    <Dialog title={t('unsent.listTitle')} close={close}>
      <p>{t('unsent.listText')}</p>
      <ul className={styles.list}>
        {entries.map((entry) => (
          <OutboxRow key={entry.id} entry={entry} opened={opened} />
        ))}
        {notes.map((note) => (
          <UnsentRow key={note.id} note={note} opened={opened} />
        ))}
      </ul>
      <DialogButtons>
        <Button look="primary" onClick={sendAll}>
          {t('unsent.sendAll')}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}

function UnsentRow({ note, opened }: { readonly note: UnsentNote; readonly opened: () => void }) {
  const t = useTexts('vault');
  const { id, vaultId, path, problem, asideOf } = note;
  const noteId = asideOf ?? id;
  const [compared, setCompared] = useState<Comparison | null>(null);
  const { data: vaults = [] } = useQuery(vaultsQuery);
  const vault = vaults.find((one) => one.id === vaultId) ?? null;
  const canSend = roleOf(vault) !== 'viewer';
  const name = noteName(path ?? '') || t('unsent.unnamed');
  const { attempt, compare, download, copy, restore, discard } = useUnsentDeeds(note, setCompared);
  return (
    <li>
      {vaultId === null || vault === null ? (
        name
      ) : (
        <Link to="/vaults/$vaultId/notes/$noteId" params={{ vaultId, noteId }} onClick={opened} dir="auto">
          {name}
        </Link>
      )}
      <small dir="auto">
        {[parentOf(path ?? ''), asideOf && t('unsent.aside'), problem && t(`problem.${problem}`)]
          .filter(Boolean)
          .join(' · ')}
      </small>
      <div className={styles.buttons}>
        {!canSend ? null : asideOf === undefined ? (
          <Button aria-label={`${t('unsent.send')}: ${name}`} onClick={() => sendNow(id)}>
            {t('unsent.send')}
          </Button>
        ) : (
          <Button aria-label={`${t('unsent.bringBack')}: ${name}`} onClick={attempt(restore)}>
            {t('unsent.bringBack')}
          </Button>
        )}
        {canSend ? (
          <Button aria-label={`${t('unsent.compare')}: ${name}`} onClick={attempt(compare)}>
            {t('unsent.compare')}
          </Button>
        ) : (
          <Button aria-label={`${t('copy')}: ${name}`} onClick={attempt(copy)}>
            {t('copy')}
          </Button>
        )}
        <Button aria-label={`${t('unsent.download')}: ${name}`} onClick={attempt(download)}>
          {t('unsent.download')}
        </Button>
        {/* One that is open says itself what can be done: its document would bring the edits back. */}
        {workspace.isOpen(id) ? null : (
          <Button
            look="danger"
            aria-label={`${t('unsent.discard')}: ${name}`}
            onClick={attempt(() => discard(t('unsent.discarded', { name })))}
          >
            {t('unsent.discard')}
          </Button>
        )}
      </div>
      {compared === null ? null : (
        <MergeDialog
          vaultId={vaultId}
          name={name}
          words={{
            theirs: t('unsent.theirs'),
            ours: t('unsent.ours'),
            takeTheirs: t('unsent.takeTheirs'),
            takeOurs: t('unsent.takeOurs'),
          }}
          compared={compared}
          // The document of one that is open would bring the edits back.
          saved={workspace.isOpen(id) ? null : () => discard(t('unsent.merged', { name }))}
          changed={attempt(compare)}
          close={() => setCompared(null)}
        />
      )}
    </li>
  );
}

/** Returns the actions on a text that only this device has. */
function useUnsentDeeds(note: UnsentNote, show: (compared: Comparison) => void) {
  const t = useTexts('vault');
  const { id, vaultId, path, asideOf } = note;
  const noteId = asideOf ?? id;
  const attempt = (action: () => Promise<void>) => () =>
    void action().catch((error: unknown) => showToast({ kind: 'danger', text: errorText(t, error) }));
  const compare = async () => {
    const [here, there] = await Promise.all([
      unsentText(note),
      vaultId === null ? null : api.vault(vaultId).readNoteById(noteId),
    ]);
    if (here !== null) show({ here, there });
  };
  const download = async () => {
    const text = await unsentText(note);
    if (text !== null) saveFile(nameOf(path ?? '') || 'note.md', new Blob([text], { type: 'text/markdown' }));
  };
  const copy = async () => {
    const text = await unsentText(note);
    if (text === null) return;
    await navigator.clipboard.writeText(text);
    showToast({ kind: 'plain', text: t('copied') });
  };
  const restore = async () => {
    if (asideOf !== undefined) await unstash([{ ...note, asideOf }]);
  };
  const discard = async (text: string) => {
    const undo = await discardUnsent(note);
    if (undo === null) return;
    showToast({
      kind: 'plain',
      text,
      action: { label: t('undo'), run: attempt(undo) },
    });
  };
  return { attempt, compare, download, copy, restore, discard };
}
