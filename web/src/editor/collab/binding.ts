import { EditorState, type Extension } from '@codemirror/state';
import { type Command, EditorView, keymap } from '@codemirror/view';
import { yCollab, yUndoManagerKeymap } from 'y-codemirror.next';
import type { Text, UndoManager } from 'yjs';
import { statesByPerson } from './presence.ts';
import { undoSteps } from './undo-steps.ts';

/** The part of Yjs awareness that the editor uses. */
export type AwarenessLike = NonNullable<Parameters<typeof yCollab>[1]>;

/**
 * Binds the editor to a text of Yjs, whose undo manager is the only history. Others' cursors are shown with their
 * names.
 *
 * Only line feeds end lines: otherwise the editor would count CRLF as one character and the Yjs text as two.
 */
export function textBinding(
  text: Text,
  history: UndoManager,
  awareness: AwarenessLike | null,
  noName: string,
): Extension {
  return [
    EditorState.lineSeparator.of('\n'),
    EditorView.clipboardInputFilter.of((pasted) => pasted.replace(/\r\n?/g, '\n')),
    undoSteps(history),
    yCollab(text, awareness === null ? null : shownByPerson(awareness, noName), { undoManager: history }),
    keymap.of([
      { key: 'Mod-z', run: undo, preventDefault: true },
      { key: 'Mod-y', mac: 'Mod-Shift-z', run: redo, preventDefault: true },
      { key: 'Mod-Shift-z', run: redo, preventDefault: true },
    ]),
  ];
}

/** Awareness in which each cursor has the name that the server gives its owner. */
function shownByPerson(awareness: AwarenessLike, noName: string): AwarenessLike {
  return {
    doc: awareness.doc,
    on: awareness.on.bind(awareness),
    off: awareness.off.bind(awareness),
    getLocalState: () => awareness.getLocalState(),
    setLocalStateField: (name: string, value: unknown) => awareness.setLocalStateField(name, value),
    getStates: () => statesByPerson(awareness, noName),
  };
}

const [libraryUndo, libraryRedo] = yUndoManagerKeymap;

/** Undoes the last local edit, never an edit of somebody else. */
export const undo: Command = (view) => !view.state.readOnly && (libraryUndo?.run?.(view) ?? false);

/** Redoes the last undone edit. */
export const redo: Command = (view) => !view.state.readOnly && (libraryRedo?.run?.(view) ?? false);
