import { bestMatches } from '@notevault/note-text/names/match.ts';
import { nameOrder } from '@notevault/note-text/names/order.ts';
import { useMemo, useState } from 'react';
import { movesInto, nameFault, type PathMove } from '../../data/tree/moves.ts';
import type { TreeEntry, TreeIndex } from '../../data/tree/tree-index.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { Icon } from '../../ui/controls/icon.tsx';
import { Picker } from '../../ui/controls/picker.tsx';
import { Dialog } from '../../ui/dialogs/dialog.tsx';

interface MoveDialogProps {
  readonly entries: readonly TreeEntry[];
  readonly index: TreeIndex;
  readonly move: (moves: readonly PathMove[]) => void;
  readonly close: () => void;
}

/** Chooses the folder to which entries move; a name that no folder has makes one. */
export function MoveDialog({ entries, index, move, close }: MoveDialogProps) {
  const t = useTexts('vault');
  const language = useLanguage();
  const [wanted, setWanted] = useState('');
  const folders = useMemo(
    () =>
      ['', ...index.folders().map(({ path }) => path)]
        .filter((path) => movesInto(entries, path) !== null)
        .sort(nameOrder(language))
        .map((name) => ({ name })),
    [entries, index, language],
  );
  const typed = wanted.trim().replace(/^\/+|\/+$/g, '');
  const found = bestMatches(folders, typed, Number.POSITIVE_INFINITY);
  const isNew = typed !== '' && !index.hasFolder(typed) && typed.split('/').every((name) => nameFault(name) === null);
  const choose = (folder: string) => {
    close();
    move(movesInto(entries, folder) ?? []);
  };
  return (
    <Dialog title={t('move.title', { count: entries.length, name: entries[0]?.name })} close={close} isFinder>
      <Picker
        label={t('move.search')}
        value={wanted}
        change={setWanted}
        none={t('move.none')}
        items={[
          ...found.map(({ name: path }) => ({
            id: `folder:${path}`,
            label: path === '' ? t('tree.root') : path,
            run: () => choose(path),
          })),
          ...(isNew ? [{ id: 'new', label: t('move.create', { name: typed }), run: () => choose(typed) }] : []),
        ]}
        icon={<Icon name="folder" size={16} />}
      />
    </Dialog>
  );
}
