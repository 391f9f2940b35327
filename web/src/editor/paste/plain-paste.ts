import { EditorView } from '@codemirror/view';

/** The views in which Shift is held with the keys that paste. */
const plain = new WeakSet<EditorView>();

/** Notices Ctrl+Shift+V, because an event of pasting does not tell of its keys. */
export const plainPasteKeys = EditorView.domEventObservers({
  keydown({ key, shiftKey, ctrlKey, metaKey }, view) {
    if (key.toLowerCase() === 'v' && shiftKey && (ctrlKey || metaKey)) plain.add(view);
    else plain.delete(view);
  },
  keyup: (_event, view) => void plain.delete(view),
  blur: (_event, view) => void plain.delete(view),
});

/** Whether what is pasted now is meant as text only. */
export function isPlainPaste(view: EditorView): boolean {
  return plain.has(view);
}
