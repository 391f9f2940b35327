import { EditorState, type Extension, Facet } from '@codemirror/state';
import { EditorView } from '@codemirror/view';

/** `preview` hides the marks of markdown where the cursor is not; `source` shows the text; `reading` cannot edit. */
export type EditorMode = 'preview' | 'source' | 'reading';

/** The mode of a state; `source` unless a mode was given. */
export const editorMode = Facet.define<EditorMode, EditorMode>({ combine: (values) => values[0] ?? 'source' });

/** Whether the note may be changed, also where its text cannot be typed into: a box is ticked while reading too. */
export const canWriteNote = Facet.define<boolean, boolean>({ combine: (values) => values[0] ?? false });

const READ_ONLY = { 'aria-readonly': 'true' };
const READING = { role: 'document', ...READ_ONLY };

/**
 * The extensions that differ between modes.
 *
 * @param canWrite whether the text may be edited at all.
 * @param keepsKeys whether keys are still taken, and change nothing: without it, Space would scroll the page.
 */
export function modeExtensions(mode: EditorMode, canWrite: boolean, preview: Extension, keepsKeys = false): Extension {
  const isEditable = canWrite && mode !== 'reading';
  return [
    editorMode.of(mode),
    canWriteNote.of(canWrite),
    EditorState.readOnly.of(!isEditable),
    // Without it the phone's keyboard would open for a text that cannot be typed into.
    EditorView.editable.of(isEditable || (keepsKeys && mode !== 'reading')),
    EditorView.editorAttributes.of({ class: `nv-mode-${mode}` }),
    // The scrolling element around it has no focus of its own.
    EditorView.contentAttributes.of({ tabindex: '0', ...(mode === 'reading' ? READING : canWrite ? {} : READ_ONLY) }),
    mode === 'source' ? [] : preview,
  ];
}
