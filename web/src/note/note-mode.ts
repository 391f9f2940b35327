import type { EditorMode } from '../editor/index.ts';
import { changeEditorSettings, editorSettings } from './editor-settings.ts';

let isReading = false;
const listeners = new Set<() => void>();

/** The mode of the open note: the one in which notes are edited, unless this one is being read. */
export function noteMode(): EditorMode {
  return isReading ? 'reading' : editorSettings.get().writing;
}

/** Reading ends with the note; how notes are edited stays. */
export function setNoteMode(mode: EditorMode): void {
  isReading = mode === 'reading';
  if (mode !== 'reading') changeEditorSettings({ writing: mode });
  for (const listener of [...listeners]) listener();
}

/** Shows the note in a mode; if it is shown so, as it is edited: `preview` is the usual mode. */
export function toggleNoteMode(mode: EditorMode): void {
  if (noteMode() !== mode) setNoteMode(mode);
  else setNoteMode(mode === 'reading' ? editorSettings.get().writing : 'preview');
}

export function subscribeToMode(listener: () => void): () => void {
  listeners.add(listener);
  const stop = editorSettings.subscribe(listener);
  return () => {
    listeners.delete(listener);
    stop();
  };
}
