import type { EditorCommand, EditorController } from '../../editor/index.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Icon, type IconName } from '../../ui/controls/icon.tsx';
import styles from './touch-tools.module.css';

const TOOLS: readonly (readonly [EditorCommand & ToolName, IconName])[] = [
  ['insert', 'add'],
  ['undo', 'undo'],
  ['heading-2', 'heading'],
  ['bold', 'bold'],
  ['italic', 'italic'],
  ['highlight', 'highlight'],
  ['bullet-list', 'list'],
  ['toggle-task', 'task'],
  ['note-link', 'note'],
  ['link', 'link'],
];
type ToolName =
  | 'insert'
  | 'undo'
  | 'heading-2'
  | 'bold'
  | 'italic'
  | 'highlight'
  | 'bullet-list'
  | 'toggle-task'
  | 'note-link'
  | 'link';

/** On a phone, above the keyboard while one types, in place of the places. */
export function TouchTools({ editor }: { readonly editor: EditorController }) {
  const t = useTexts('vault');
  return (
    <div className={styles.tools} role="toolbar" aria-label={t('note.tools')}>
      {TOOLS.map(([command, icon]) => (
        <button
          key={command}
          type="button"
          aria-label={t(`action.${command}`)}
          // The press must not take the focus, and with it the keyboard, from the text.
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => editor.run(command)}
        >
          <Icon name={icon} size={19} />
        </button>
      ))}
      <button
        type="button"
        aria-label={t('note.hideKeys')}
        onClick={() => document.activeElement instanceof HTMLElement && document.activeElement.blur()}
      >
        <Icon name="down" size={19} />
      </button>
    </div>
  );
}
