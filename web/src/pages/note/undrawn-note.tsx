import { noteName } from '../../data/tree/tree-index.ts';
import styles from './note-page.module.css';
import type { ShownNote } from './shown-note.ts';
import { PlainTitle } from './title-field.tsx';

interface UndrawnNoteProps {
  readonly note: ShownNote;
  /** Whether there is nothing above it yet, so that it leaves the space for that. */
  readonly isAlone?: boolean;
}

/** A note as it is written, in the place where the editor will draw it. */
export function UndrawnNote({ note: { path, content }, isAlone = false }: UndrawnNoteProps) {
  return (
    <div className={styles.undrawn} data-alone={isAlone || undefined}>
      <PlainTitle name={noteName(path)} text={content} />
      <pre className={styles.source} dir="auto">
        {content}
      </pre>
    </div>
  );
}
