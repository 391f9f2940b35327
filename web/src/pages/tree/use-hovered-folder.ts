import { useRef, useState } from 'react';
import type { Expanded } from './use-expanded.ts';

const OPEN_ON_HOVER_MS = 500;

/** The folder under what is dragged, which opens when it is waited over; null while nothing is dragged. */
export function useHoveredFolder(expanded: Expanded) {
  const [folder, setFolder] = useState<string | null>(null);
  const hover = useRef<{ folder: string | null; timer: ReturnType<typeof setTimeout> | undefined }>({
    folder: null,
    timer: undefined,
  });
  return {
    folder,
    over(next: string | null) {
      if (next === hover.current.folder) return;
      clearTimeout(hover.current.timer);
      const timer =
        next === null || next === '' ? undefined : setTimeout(() => expanded.expand([next]), OPEN_ON_HOVER_MS);
      hover.current = { folder: next, timer };
      setFolder(next);
    },
  };
}
