import {
  draggable,
  dropTargetForElements,
  monitorForElements,
} from '@atlaskit/pragmatic-drag-and-drop/element/adapter';

const KEY = 'key';

/** Lets a row be dragged; returns a function that ends it. */
export function draggableRow(element: HTMLElement, key: string): () => void {
  return draggable({ element, getInitialData: () => ({ [KEY]: key }) });
}

export interface TreeDrag {
  /** Whether the entry that is dragged may be dropped at a place of the tree; the place as a folder's path. */
  folderAt(clientY: number): string;
  /** Called while something is dragged: the folder under it, or null when it leaves the tree. */
  over(folder: string | null): void;
  drop(key: string, folder: string): void;
}

const EDGE_PX = 40;
const STEP_PX = 12;

/** Makes the tree a target for its rows; it scrolls when something is dragged near its edges. */
export function droppableTree(element: HTMLElement, drag: TreeDrag): () => void {
  const endTarget = dropTargetForElements({
    element,
    onDrag: ({ location }) => {
      const { clientY } = location.current.input;
      const { top, bottom } = element.getBoundingClientRect();
      if (clientY < top + EDGE_PX) element.scrollTop -= STEP_PX;
      if (clientY > bottom - EDGE_PX) element.scrollTop += STEP_PX;
      drag.over(drag.folderAt(clientY));
    },
    onDragLeave: () => drag.over(null),
  });
  const endMonitor = monitorForElements({
    onDrop: ({ source, location }) => {
      drag.over(null);
      if (location.current.dropTargets.length === 0) return;
      drag.drop(String(source.data[KEY]), drag.folderAt(location.current.input.clientY));
    },
  });
  return () => {
    endTarget();
    endMonitor();
  };
}
