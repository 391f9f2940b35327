import type { Role } from '../../data/role.ts';
import type { EditorController } from '../../editor/index.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { useObservable, useObserved } from '../../platform/use-observable.ts';
import { Button } from '../../ui/controls/button.tsx';
import { Icon } from '../../ui/controls/icon.tsx';
import { Menu, type MenuItem } from '../../ui/controls/menu.tsx';
import { onApple, shownKeys } from '../../ui/text/shortcut.ts';
import { editorSettings } from '../../workspace/editor-settings.ts';
import type { NoteRequest, OpenNote } from '../../workspace/open-note.ts';

interface NoteMenuProps {
  readonly open: OpenNote;
  readonly editor: EditorController;
  readonly isStarred: boolean;
  readonly role: Role;
}

/** Menu of the open note: further actions, and its length. */
export function NoteMenu({ open, editor, isStarred, role }: NoteMenuProps) {
  const t = useTexts('editor');
  const inVault = useTexts('vault');
  const count = useObserved(editor.facts, ({ words }) => words);
  const selected = useObserved(editor.facts, ({ selectedWords }) => selectedWords);
  const { writing } = useObservable(editorSettings);
  const ask = (id: NoteRequest, icon: MenuItem['icon'], more: Partial<MenuItem> = {}): MenuItem => ({
    id,
    label: inVault(`action.${id}`),
    ...(icon === undefined ? {} : { icon }),
    ...more,
    run: () => open.ask(id),
  });
  const canWrite = role !== 'viewer';
  const isApple = onApple();
  return (
    <Menu
      align="end"
      trigger={
        <Button look="quiet" isIcon aria-label={inVault('note.more')} title={inVault('note.more')}>
          <Icon name="more" />
        </Button>
      }
      items={[
        ...(canWrite ? [ask('rename', 'pen'), ask('move', 'folder'), ask('duplicate', 'copy')] : []),
        ask('star', 'star', { label: inVault(isStarred ? 'note.unstar' : 'action.star') }),
        ask('copyLink', 'link', { beginsGroup: true }),
        ...(role === 'owner' ? [ask('publicLink', 'read')] : []),
        {
          id: 'properties',
          label: inVault('action.properties'),
          icon: 'tag',
          isDisabled: !editor.canRun('properties'),
          run: () => void editor.run('properties'),
        },
        {
          id: 'source',
          label: t('mode.source'),
          icon: 'file',
          keys: shownKeys('Alt+S', isApple),
          isChecked: writing === 'source',
          run: () => open.toggleMode('source'),
        },
        ask('download', 'download', { beginsGroup: true }),
        {
          id: 'print',
          label: inVault('action.print'),
          icon: 'print',
          keys: shownKeys('Mod+P', isApple),
          run: () => void editor.print(),
        },
        ...(canWrite ? [ask('deleteNote', 'trash', { isDangerous: true, beginsGroup: true })] : []),
      ]}
      foot={selected === 0 ? t('words', { count }) : t('wordsSelected', { selected, count })}
    />
  );
}
