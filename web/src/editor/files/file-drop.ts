import { EditorView } from '@codemirror/view';
import { insertFiles } from './insert-files.ts';

/** Uploads pasted or dropped files, and inserts links to them where they were dropped. */
export const fileDrop = EditorView.domEventHandlers({
  paste(event, view) {
    const files = filesOf(event.clipboardData);
    // A table copied from a spreadsheet is in the clipboard as text and as a picture; the text is pasted.
    if (files.length === 0 || hasText(event.clipboardData) || view.state.readOnly) return false;
    event.preventDefault();
    void insertFiles(view, files, view.state.selection.main.head);
    return true;
  },
  drop(event, view) {
    const files = filesOf(event.dataTransfer);
    if (files.length === 0 || view.state.readOnly) return false;
    event.preventDefault();
    const at = view.posAtCoords({ x: event.clientX, y: event.clientY }) ?? view.state.selection.main.head;
    void insertFiles(view, files, at);
    return true;
  },
});

function filesOf(data: DataTransfer | null): File[] {
  return data === null ? [] : [...data.files];
}

function hasText(data: DataTransfer | null): boolean {
  return data?.types.includes('text/plain') === true;
}
