import type { EditorController } from '../../../editor/index.ts';
import { useTexts } from '../../../i18n/use-texts.ts';
import { useObservable, useObserved } from '../../../platform/use-observable.ts';
import { workspace } from '../../../workspace/workspace.ts';
import styles from './panels.module.css';

/** The headings of the open note, as they are written. */
export function Outline({ noteId }: { readonly noteId: string }) {
  const editor = useObservable(workspace.note(noteId).editor);
  return editor === null ? <NoHeadings /> : <Headings editor={editor} />;
}

function NoHeadings() {
  return <p className={styles.none}>{useTexts('vault')('outline.none')}</p>;
}

function Headings({ editor }: { readonly editor: EditorController }) {
  const headings = useObserved(editor.facts, (facts) => facts.headings);
  if (headings.length === 0) return <NoHeadings />;
  return (
    <ul>
      {headings.map(({ level, text, from }) => (
        <li key={from}>
          <button
            type="button"
            className={styles.heading}
            style={{ paddingInlineStart: `${(level - 1) * 12 + 8}px` }}
            dir="auto"
            onClick={() => editor.goTo(from)}
          >
            {text}
          </button>
        </li>
      ))}
    </ul>
  );
}
