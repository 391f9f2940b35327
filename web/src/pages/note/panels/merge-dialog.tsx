import { ApiError } from '@notevault/client/transport.ts';
import { differenceOf } from '@notevault/note-text/diff/difference.ts';
import type { Note } from '@notevault/protocol/notes.ts';
import { useMemo, useState } from 'react';
import { api } from '../../../data/client.ts';
import { keys } from '../../../data/keys.ts';
import { queryClient } from '../../../data/query-client.ts';
import { useTexts } from '../../../i18n/use-texts.ts';
import { Button } from '../../../ui/controls/button.tsx';
import { Dialog, DialogButtons } from '../../../ui/dialogs/dialog.tsx';
import { errorText } from '../../../ui/feedback/error-text.ts';
import { showToast } from '../../../ui/feedback/toast.ts';
import { SideView } from './side-view.tsx';
import styles from './sides.module.css';
import { bothOf, type SideBlock, sidesOf, textOf } from './sides.ts';

/** A text that is to be kept, and the note on the server; null when it has none. */
export interface Comparison {
  readonly here: string;
  readonly there: Note | null;
}

interface MergeDialogProps {
  readonly vaultId: string | null;
  readonly name: string;
  /** Labels of the two texts and of the buttons that take one. */
  readonly words: Readonly<Record<'theirs' | 'ours' | 'takeTheirs' | 'takeOurs', string>>;
  readonly compared: Comparison;
  /** Removes the text that is not the note’s and says so, once the note has it; null when texts are only to be read. */
  readonly saved: (() => Promise<void>) | null;
  /** Compares again, because somebody else wrote. */
  readonly changed: () => void;
  readonly close: () => void;
}

/** Two texts side by side: for each block one takes either, both, or a text of one's own. */
export function MergeDialog(props: MergeDialogProps) {
  const { compared } = props;
  const blocks = useMemo(() => sidesOf(differenceOf(compared.there?.content ?? '', compared.here)), [compared]);
  // Another comparison has blocks of its own, with nothing chosen.
  return <Merge key={compared.there?.content_hash} {...props} blocks={blocks} />;
}

function Merge({
  vaultId,
  name,
  words,
  compared: { there },
  saved,
  changed,
  close,
  blocks,
}: MergeDialogProps & { readonly blocks: readonly SideBlock[] }) {
  const t = useTexts('vault');
  // Until something is chosen both stay: nothing is lost by not choosing.
  const [texts, setTexts] = useState(() => blocks.map((block) => (block.isSame ? textOf(block.after) : bothOf(block))));
  const choose = (at: number, text: string) => setTexts(texts.with(at, text));
  const save = async () => {
    if (vaultId === null || there === null || saved === null) return;
    try {
      const base = { path: there.path, base_hash: there.content_hash, mtime: Date.now() / 1000 };
      const note = await api.vault(vaultId).upsertNote({ ...base, content: texts.join('') });
      queryClient.setQueryData(keys.note(vaultId, note.id), note);
      await saved();
      close();
    } catch (error) {
      const isStale = error instanceof ApiError && error.status === 409;
      showToast({ kind: 'danger', text: isStale ? t('unsent.changed') : errorText(t, error) });
      if (isStale) changed();
    }
  };
  const below = (block: SideBlock, at: number) => (
    <>
      <div className={styles.choices}>
        <Button onClick={() => choose(at, textOf(block.before))}>{words.takeTheirs}</Button>
        <Button onClick={() => choose(at, textOf(block.after))}>{words.takeOurs}</Button>
        <Button onClick={() => choose(at, bothOf(block))}>{t('unsent.takeBoth')}</Button>
      </div>
      <textarea
        className={styles.text}
        aria-label={t('unsent.result')}
        dir="auto"
        rows={Math.min(8, (texts[at] ?? '').split('\n').length + 1)}
        value={texts[at]}
        onChange={({ target }) => choose(at, target.value)}
      />
    </>
  );
  const canSave = there !== null && saved !== null;
  return (
    <Dialog title={name} close={close} isWide>
      <SideView blocks={blocks} names={[words.theirs, words.ours]} {...(canSave ? { below } : {})} />
      <DialogButtons>
        <Button onClick={close}>{t('cancel')}</Button>
        {canSave ? (
          <Button look="primary" onClick={() => void save()}>
            {t('unsent.save')}
          </Button>
        ) : null}
      </DialogButtons>
    </Dialog>
  );
}
