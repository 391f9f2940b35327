import { useState } from 'react';
import { nameFault, type PathMove, renamedPath } from '../../data/tree/moves.ts';
import type { TreeEntry } from '../../data/tree/tree-index.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Field } from '../../ui/controls/field.tsx';
import { Dialog, DialogButtons } from '../../ui/dialogs/dialog.tsx';

interface RenameDialogProps {
  readonly entry: TreeEntry;
  readonly move: (moves: readonly PathMove[]) => void;
  readonly close: () => void;
}

/** Gives a note another name, where its title is a heading of its text. */
export function RenameDialog({ entry, move, close }: RenameDialogProps) {
  const t = useTexts('vault');
  const [name, setName] = useState(entry.name);
  const fault = nameFault(name);
  return (
    <Dialog title={t('action.rename')} close={close}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (fault !== null) return;
          close();
          if (name.trim() !== entry.name) move([{ kind: 'note', from: entry.path, to: renamedPath(entry, name) }]);
        }}
      >
        <Field
          label={t('tree.newName')}
          value={name}
          onChange={({ target }) => setName(target.value)}
          onFocus={({ target }) => target.select()}
          error={fault === null ? undefined : t(`nameFault.${fault}`)}
          autoFocus
        />
        <DialogButtons>
          <Button onClick={close}>{t('cancel')}</Button>
          <Button type="submit" look="primary">
            {t('action.rename')}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  );
}
