import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/use-texts.ts';
import styles from './graph.module.css';
import type { GraphNote, Neighbours } from './model/graph-index.ts';

interface NeighbourListProps {
  readonly neighbours: Neighbours;
  /** How one of the notes is shown: a link, a button. */
  readonly item: (note: GraphNote) => ReactNode;
}

/** The notes that a note links to, and those that link to it. */
export function NeighbourList({ neighbours: { to, from }, item }: NeighbourListProps) {
  const t = useTexts('graph');
  return (
    <>
      <NoteGroup title={t('to', { count: to.length })} notes={to} item={item} />
      <NoteGroup title={t('from', { count: from.length })} notes={from} item={item} />
    </>
  );
}

function NoteGroup({ title, notes, item }: Pick<NeighbourListProps, 'item'> & NoteGroupProps) {
  if (notes.length === 0) return null;
  return (
    <section className={styles.group}>
      <h3>{title}</h3>
      <ul>
        {notes.map((note) => (
          <li key={note.id}>{item(note)}</li>
        ))}
      </ul>
    </section>
  );
}

interface NoteGroupProps {
  readonly title: string;
  readonly notes: readonly GraphNote[];
}
