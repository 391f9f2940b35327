import { EditorState, type Extension, Facet } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/**
 * Mode of an editor: `preview` hides markdown marks away from the cursor, `source` shows the text as it is, `reading`
 * does not edit.
 */
export type EditorMode = 'preview' | 'source' | 'reading';

/** The mode of a state; `source` unless a mode was given. */
export const editorMode = Facet.define<EditorMode, EditorMode>({ combine: (values) => values[0] ?? 'source' });

/** Whether the note may be changed, even in modes without typing: reading mode can tick tasks. */
export const canWriteNote = Facet.define<boolean, boolean>({ combine: (values) => values[0] ?? false });

const READ_ONLY = { 'aria-readonly': 'true' };
const READING = { role: 'document', ...READ_ONLY };

/**
 * The extensions that differ between modes.
 *
 * @param canWrite whether the text may be edited at all.
 * @param keepsKeys whether keys are swallowed while the text cannot be edited; otherwise Space would scroll the page.
 */
export function modeExtensions(mode: EditorMode, canWrite: boolean, preview: Extension, keepsKeys = false): Extension {
  const isEditable = canWrite && mode !== 'reading';
  return [
    editorMode.of(mode),
    canWriteNote.of(canWrite),
    EditorState.readOnly.of(!isEditable),
    // Without it, a phone would open its keyboard for a read-only text.
    EditorView.editable.of(isEditable || (keepsKeys && mode !== 'reading')),
    EditorView.editorAttributes.of({ class: `nv-mode-${mode}` }),
    // The scrolling element around it cannot be focused.
    EditorView.contentAttributes.of({ tabindex: '0', ...(mode === 'reading' ? READING : canWrite ? {} : READ_ONLY) }),
    mode === 'source' ? [] : preview,
  ];
}
