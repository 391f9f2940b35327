import { noteName } from '../tree/model/tree-index.ts';
import styles from './note-page.module.css';
import type { ShownNote } from './shown-note.ts';
import { PlainTitle } from './title-field.tsx';

/** A note as it is written, in the place where the editor will draw it. */
export function UndrawnNote({ note: { path, content } }: { readonly note: ShownNote }) {
  return (
    <div className={styles.undrawn}>
      <PlainTitle name={noteName(path)} text={content} />
      <pre className={styles.source} dir="auto">
        {content}
      </pre>
    </div>
  );
}
