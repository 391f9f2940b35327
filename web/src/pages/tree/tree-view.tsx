import { defaultRangeExtractor, useVirtualizer } from '@tanstack/react-virtual';
import { useCallback, useEffect, useRef } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { droppableTree } from './drag.ts';
import { TreeRowView } from './tree-row.tsx';
import styles from './tree-view.module.css';
import type { TreeState } from './use-tree-state.ts';

const ROW_PX = 28;
const TOUCH_ROW_PX = 44;
const OVERSCAN = 10;

/** A tree without anything in it would be a broken one. */
const WITHOUT_ROWS = { role: 'group', 'aria-multiselectable': undefined } as const;

/** The tree of a vault: only the rows in view exist, and the active one always does. */
export function TreeView({ tree }: { readonly tree: TreeState }) {
  const t = useTexts('vault');
  const element = useRef<HTMLDivElement>(null);
  const { rows, activeIndex } = tree;
  const rowPx = matchMedia('(pointer: coarse)').matches ? TOUCH_ROW_PX : ROW_PX;
  // With another one, the places of all rows are computed again, which a frame of a large tree has no time for.
  const keyOf = useCallback((index: number) => rows[index]?.entry.key ?? index, [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => element.current,
    estimateSize: () => rowPx,
    overscan: OVERSCAN,
    getItemKey: keyOf,
    // Otherwise the tree would name a row as active that does not exist.
    rangeExtractor: (range) => withIndex(defaultRangeExtractor(range), activeIndex),
  });
  useEffect(() => {
    if (activeIndex >= 0) virtual.scrollToIndex(activeIndex, { align: 'auto' });
  }, [activeIndex, virtual]);
  const folderAt = useDrop(element, tree, rowPx);
  const rowId = (index: number) => `tree-row-${rows[index]?.entry.key}`;
  return (
    <div
      ref={element}
      data-tree=""
      role="tree"
      aria-multiselectable="true"
      {...(rows.length === 0 ? WITHOUT_ROWS : {})}
      className={styles.tree}
      tabIndex={0}
      aria-label={t('tree.label')}
      aria-activedescendant={activeIndex < 0 ? undefined : rowId(activeIndex)}
      data-target={tree.dropFolder === '' ? '' : undefined}
      onKeyDown={tree.press}
      onFocus={tree.enter}
      onDragOver={(event) => {
        if (!tree.canWrite || !event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        tree.dragOver(folderAt(event.clientY));
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) tree.dragOver(null);
      }}
      onDrop={(event) => {
        if (!tree.canWrite || !event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        tree.dragOver(null);
        tree.dropFiles(event.dataTransfer, folderAt(event.clientY));
      }}
    >
      {rows.length === 0 ? <p className={styles.empty}>{t(tree.canWrite ? 'tree.empty' : 'shared.empty')}</p> : null}
      <div className={styles.space} role="presentation" style={{ blockSize: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start, key }) => {
          const row = rows[index];
          if (row === undefined) return null;
          return (
            <TreeRowView
              key={key}
              row={row}
              id={rowId(index)}
              start={start}
              events={tree.events}
              {...tree.stateOf(row)}
            />
          );
        })}
      </div>
    </div>
  );
}

function withIndex(indexes: number[], index: number): number[] {
  if (index < 0 || indexes.includes(index)) return indexes;
  return [...indexes, index].sort((a, b) => a - b);
}

/**
 * Lets rows be dropped on the tree. Returns what finds the folder under the pointer: the one of a row, or the one that a
 * row is in.
 */
function useDrop(
  element: React.RefObject<HTMLDivElement | null>,
  tree: TreeState,
  rowPx: number,
): (clientY: number) => string {
  const latest = useRef(tree);
  useEffect(() => {
    latest.current = tree;
  }, [tree]);
  const folderAt = useCallback(
    (clientY: number) => {
      const { current } = element;
      if (current === null) return '';
      const index = Math.floor((clientY - current.getBoundingClientRect().top + current.scrollTop - 4) / rowPx);
      const entry = latest.current.rows[index]?.entry;
      return entry === undefined ? '' : entry.kind === 'folder' ? entry.path : entry.parent;
    },
    [element, rowPx],
  );
  useEffect(() => {
    const { current } = element;
    if (current === null) return;
    return droppableTree(current, {
      folderAt,
      over: (folder) => latest.current.dragOver(folder),
      drop: (key, folder) => latest.current.drop(key, folder),
    });
  }, [element, folderAt]);
  return folderAt;
}
