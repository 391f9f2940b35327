import { useEffect, useRef, useState } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import { importOrReload } from '../../page/import-or-reload.ts';
import { Notice } from '../../ui/feedback/notice.tsx';
import styles from './graph.module.css';
import type { Emphasis, GraphView } from './graph-view.ts';
import type { GraphPart } from './model/graph-index.ts';

interface GraphCanvasProps {
  readonly part: GraphPart;
  /** Of the notes, by their places; that of all others where it is missing. */
  readonly colors?: readonly (string | undefined)[];
  readonly emphasis: Emphasis;
  readonly open: (id: string, newTab: boolean) => void;
}

/** Canvas of a graph. A list beside it has the same content for keys and screen readers. */
export function GraphCanvas({ part, colors, emphasis, open }: GraphCanvasProps) {
  const t = useTexts('graph');
  const place = useRef<HTMLDivElement>(null);
  const { view, isRefused } = useGraphView(place, open);
  useEffect(() => void view?.show(part, colors), [view, part, colors]);
  useEffect(() => view?.emphasize(emphasis), [view, emphasis]);
  const { chosen, isAround } = emphasis;
  useEffect(() => {
    if (chosen !== null && isAround !== true) view?.lookAt(chosen);
  }, [view, chosen, isAround]);
  const [notes, links] = [part.notes.length, part.edges.length / 2];
  return (
    <div className={styles.canvas}>
      {isRefused ? <Notice kind="danger">{t('noWebGl')}</Notice> : null}
      <div ref={place} className={styles.place} role="img" aria-label={t('picture', { notes, links })} />
    </div>
  );
}

/** The view in an element, once its code is loaded. */
function useGraphView(place: React.RefObject<HTMLDivElement | null>, open: GraphCanvasProps['open']) {
  const [view, setView] = useState<GraphView | null>(null);
  const [isRefused, setRefused] = useState(false);
  const latest = useRef(open);
  useEffect(() => {
    latest.current = open;
  }, [open]);
  useEffect(() => {
    const parent = place.current;
    if (parent === null) return;
    const stop = new AbortController();
    let made: GraphView | null = null;
    const start = async () => {
      const { GraphView } = await importOrReload(() => import('./graph-view.ts'));
      if (stop.signal.aborted) return;
      made = new GraphView(parent, { open: (id, newTab) => latest.current(id, newTab) });
      setView(made);
    };
    start().catch(() => setRefused(true));
    return () => {
      stop.abort();
      setView(null);
      made?.[Symbol.dispose]();
    };
  }, [place]);
  return { view, isRefused };
}
