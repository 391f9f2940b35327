import { nameOrder } from '@notevault/note-text/names/order.ts';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { graphQuery } from '../../data/queries.ts';
import { useLanguage, useTexts } from '../../i18n/use-texts.ts';
import { useTabs } from '../../workspace/use-tabs.ts';
import styles from './graph.module.css';
import { GraphCanvas } from './graph-canvas.tsx';
import { graphIndexOf } from './model/graph-index.ts';
import { NeighbourList } from './neighbour-list.tsx';
import { useGroupColors } from './use-group-colors.ts';

const STEPS = [1, 2, 3] as const;
const MOST = 300;

/** The notes around one, beside it. */
export function LocalGraph({ vaultId, noteId }: { readonly vaultId: string; readonly noteId: string }) {
  const t = useTexts('graph');
  const navigate = useNavigate();
  const tabs = useTabs(vaultId);
  const index = graphIndexOf(useSuspenseQuery(graphQuery(vaultId)).data);
  const [steps, setSteps] = useState<number>(1);
  const part = useMemo(() => index.around(noteId, steps, MOST), [index, noteId, steps]);
  // As the page of the graph does at first.
  const { colors } = useGroupColors(index, part, 'folder');
  const emphasis = useMemo(() => ({ found: null, chosen: noteId, isAround: true }), [noteId]);
  const open = (id: string, newTab: boolean) => {
    if (newTab) tabs.open(id, 'behind');
    else {
      const search = { panel: 'graph' as const };
      void navigate({ to: '/vaults/$vaultId/notes/$noteId', params: { vaultId, noteId: id }, search });
    }
  };
  return (
    <>
      <div className={styles.local}>
        <GraphCanvas part={part} colors={colors} emphasis={emphasis} open={open} />
      </div>
      <fieldset className={styles.steps} aria-label={t('steps')}>
        {STEPS.map((one) => (
          <button key={one} type="button" aria-pressed={one === steps} onClick={() => setSteps(one)}>
            {t('step', { count: one })}
          </button>
        ))}
      </fieldset>
      {part.notes.length < 2 ? <p className={styles.hint}>{t('noLinks')}</p> : null}
      <NeighbourList
        neighbours={index.neighboursOf(noteId, nameOrder(useLanguage()))}
        item={({ id, name }) => (
          <Link
            to="/vaults/$vaultId/notes/$noteId"
            params={{ vaultId, noteId: id }}
            search={{ panel: 'graph' }}
            className={styles.item}
            dir="auto"
          >
            {name}
          </Link>
        )}
      />
    </>
  );
}
