import { type CSSProperties, memo, useEffect, useRef, useSyncExternalStore } from 'react';
import { nameFault } from '../../data/tree/moves.ts';
import type { TreeRow } from '../../data/tree/rows.ts';
import { isNew, outboxState } from '../../device/outbox/outbox-state.ts';
import { useTexts } from '../../i18n/use-texts.ts';
import { Icon } from '../../ui/controls/icon.tsx';
import { showToast } from '../../ui/feedback/toast.ts';
import { draggableRow } from './drag.ts';
import styles from './tree-view.module.css';

/** State of a row besides its entry. */
export interface RowState {
  readonly isActive: boolean;
  readonly isSelected: boolean;
  readonly isCurrent: boolean;
  readonly isCut: boolean;
  readonly isRenamed: boolean;
  readonly isDropTarget: boolean;
  readonly canMove: boolean;
}

/** Events of a row. Each takes the key of its entry. */
export interface RowEvents {
  press(key: string, event: { readonly shiftKey: boolean; readonly metaKey: boolean; readonly ctrlKey: boolean }): void;
  pressMiddle(key: string): void;
  openMenu(key: string, at: { readonly x: number; readonly y: number }): void;
  rename(key: string, name: string): void;
  stopRenaming(): void;
}

interface RowProps extends RowState {
  readonly row: TreeRow;
  readonly id: string;
  readonly start: number;
  readonly events: RowEvents;
}

/** A row of the tree. It is no tab stop: the tree has the focus and names its active row. */
export const TreeRowView = memo(function TreeRowView({ row, id, start, events, ...state }: RowProps) {
  const t = useTexts('vault');
  const element = useRef<HTMLDivElement>(null);
  const { entry, level, setSize, position, isExpanded } = row;
  const { key } = entry;
  const isDraft = useSyncExternalStore(outboxState.subscribe, () => entry.kind === 'note' && isNew(key));
  const { canMove } = state;
  useEffect(
    () => (element.current === null || !canMove ? undefined : draggableRow(element.current, key)),
    [key, canMove],
  );
  const style = { transform: `translateY(${start}px)`, '--level': level - 1 } as CSSProperties;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus, see above
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree handles keys
    <div
      ref={element}
      id={id}
      role="treeitem"
      className={styles.row}
      style={style}
      aria-level={level}
      aria-setsize={setSize}
      aria-posinset={position}
      aria-selected={state.isSelected}
      aria-expanded={isExpanded ?? undefined}
      aria-description={
        entry.kind === 'folder' ? t('tree.notes', { count: entry.noteCount }) : isDraft ? t('outbox.draft') : undefined
      }
      aria-current={state.isCurrent ? 'page' : undefined}
      data-active={state.isActive ? '' : undefined}
      data-cut={state.isCut ? '' : undefined}
      data-target={state.isDropTarget ? '' : undefined}
      onClick={(event) => events.press(key, event)}
      onAuxClick={(event) => {
        if (event.button === 1) events.pressMiddle(key);
      }}
      onContextMenu={(event) => {
        event.preventDefault();
        events.openMenu(key, { x: event.clientX, y: event.clientY });
      }}
    >
      {level > 1 && entry.kind === 'note' ? null : <span className={styles.mark}>{markOf(row)}</span>}
      {state.isRenamed ? (
        <RenameInput name={entry.name} rename={(name) => events.rename(key, name)} stop={events.stopRenaming} />
      ) : (
        <span className={styles.name} dir="auto">
          {entry.name}
        </span>
      )}
      {isDraft ? <Icon name="offline" size={14} /> : null}
      {state.isRenamed ? null : (
        <button
          type="button"
          className={styles.more}
          tabIndex={-1}
          aria-hidden="true"
          onClick={(event) => {
            event.stopPropagation();
            const { left, bottom } = event.currentTarget.getBoundingClientRect();
            events.openMenu(key, { x: left, y: bottom });
          }}
        >
          <Icon name="more" size={16} />
        </button>
      )}
    </div>
  );
});

function markOf({ entry }: TreeRow) {
  if (entry.kind === 'folder') return <Icon name="chevron" size={14} />;
  return entry.kind === 'attachment' ? <Icon name="attachment" size={14} /> : null;
}

interface RenameInputProps {
  readonly name: string;
  readonly rename: (name: string) => void;
  readonly stop: () => void;
}

/** The name of an entry while it is changed: Enter keeps the new one, Escape the old one. */
function RenameInput({ name, rename, stop }: RenameInputProps) {
  const t = useTexts('vault');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
    const dot = name.lastIndexOf('.');
    input.current?.setSelectionRange(0, dot > 0 ? dot : name.length);
  }, [name]);
  const finish = (value: string) => {
    const fault = nameFault(value);
    if (fault === null && value.trim() !== name) return rename(value);
    if (fault !== null && fault !== 'empty') showToast({ kind: 'danger', text: t(`nameFault.${fault}`) });
    stop();
  };
  return (
    <input
      ref={input}
      className={styles.rename}
      defaultValue={name}
      aria-label={t('tree.newName')}
      onClick={(event) => event.stopPropagation()}
      onInput={({ currentTarget }) => {
        currentTarget.setAttribute('aria-invalid', String(nameFault(currentTarget.value) !== null));
      }}
      onBlur={({ currentTarget }) => finish(currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation();
        // Enter also ends the composition of an input method.
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Enter') event.currentTarget.blur();
        if (event.key !== 'Escape') return;
        event.currentTarget.value = name;
        event.currentTarget.blur();
      }}
    />
  );
}
