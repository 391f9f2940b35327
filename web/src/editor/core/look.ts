import type { Extension } from '@codemirror/state';
import { EditorView, lineNumbers } from '@codemirror/view';
import type { EditorLook } from './controller.ts';

/** How the text looks and is typed, until the app says otherwise. */
export const DEFAULT_LOOK: EditorLook = { lineWidth: 'var(--measure)', hasLineNumbers: false, isSpellChecked: true };

/** The extensions of a look. */
export function lookExtensions({ lineWidth, hasLineNumbers, isSpellChecked }: EditorLook): Extension {
  return [
    EditorView.editorAttributes.of({ style: `--nv-measure: ${lineWidth}` }),
    EditorView.contentAttributes.of(
      isSpellChecked ? { spellcheck: 'true', autocorrect: 'on', autocapitalize: 'sentences' } : { spellcheck: 'false' },
    ),
    hasLineNumbers ? lineNumbers() : [],
  ];
}
