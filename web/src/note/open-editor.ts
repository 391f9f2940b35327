import type { EditorController, EditorFacts } from '../editor/index.ts';

/** The editor of the open note, for what is beside it: outline, palette, word count. Null while there is none. */
let current: EditorController | null = null;
const listeners = new Set<() => void>();
let endFacts: (() => void) | null = null;

export function openEditor(): EditorController | null {
  return current;
}

export function setOpenEditor(editor: EditorController | null): void {
  endFacts?.();
  current = editor;
  endFacts = editor?.onFacts(announce) ?? null;
  announce();
}

/** Calls the listener after each change of the editor's facts, and when another one is open. */
export function subscribeToEditor(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

export function editorFacts(): EditorFacts | null {
  return current?.facts() ?? null;
}

function announce(): void {
  for (const listener of [...listeners]) listener();
}
