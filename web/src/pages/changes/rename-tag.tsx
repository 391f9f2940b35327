import { useState } from 'react';
import { api } from '../../data/client.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';
import { errorText } from '../../ui/feedback/error-text.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { ChangePreview } from './change-preview.tsx';
import { type AskChange, usePlannedChange } from './use-planned-change.ts';

interface RenameTagProps {
  readonly vaultId: string;
  readonly tag: string;
  readonly close: () => void;
  /** Called with the new name. */
  readonly renamed: (to: string) => void;
}

/** Gives a tag another name in all notes, after showing where. */
export function RenameTag({ vaultId, tag, close, renamed }: RenameTagProps) {
  const t = useTexts('changes');
  const tVault = useTexts('vault');
  const [name, setName] = useState(tag);
  const { plan, isOther, isRunning, error, look, write, forget } = usePlannedChange(vaultId);
  const to = name.trim().replace(/^#/, '');
  const isSame = to === '' || to === tag;
  const ask: AskChange = (how) => api.vault(vaultId).renameTag({ from: tag, to, ...how });
  const submit = () => {
    if (isSame) return;
    if (plan === null) return look(ask);
    write(ask, ({ changed }) => {
      showToast({ kind: 'plain', text: t('renamed', { count: changed, tag: to }) });
      renamed(to);
      close();
    });
  };
  return (
    <Dialog title={t('renameTitle', { tag })} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field
          label={t('newName')}
          hint={t('renameAbout')}
          value={name}
          autoFocus
          autoCapitalize="none"
          spellCheck={false}
          onChange={({ target }) => {
            setName(target.value);
            forget();
          }}
        />
      </form>
      {error === null ? null : <Notice kind="danger">{errorText(tVault, error)}</Notice>}
      {plan === null ? null : <ChangePreview plan={plan} replacement={to} isOther={isOther} />}
      <DialogButtons>
        <Button onClick={close}>{tVault('cancel')}</Button>
        <Button look="primary" aria-disabled={isRunning || isSame || plan?.notes.length === 0} onClick={submit}>
          {plan === null ? t('look') : t('rename', { count: plan.notes.length })}
        </Button>
      </DialogButtons>
    </Dialog>
  );
}
