import { EditorView } from '@codemirror/view';

/** Views in which Shift is held during a paste. */
const plain = new WeakSet<EditorView>();

/** Observes Ctrl+Shift+V, because paste events do not include the keys. */
export const plainPasteKeys = EditorView.domEventObservers({
  keydown({ key, shiftKey, ctrlKey, metaKey }, view) {
    if (key.toLowerCase() === 'v' && shiftKey && (ctrlKey || metaKey)) plain.add(view);
    else plain.delete(view);
  },
  keyup: (_event, view) => void plain.delete(view),
  blur: (_event, view) => void plain.delete(view),
});

/** Returns whether the current paste should insert plain text. */
export function isPlainPaste(view: EditorView): boolean {
  return plain.has(view);
}
