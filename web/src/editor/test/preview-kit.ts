import { ensureSyntaxTree } from '@codemirror/language';
import { EditorSelection, EditorState } from '@codemirror/state';
import type { Decoration } from '@codemirror/view';
import { type EditorMode, editorMode } from '../core/modes.ts';
import { INLINE_RENDERERS } from '../preview/preview.ts';
import { interaction } from '../preview/preview-state.ts';
import { buildDecorations } from '../preview/visible-walk.ts';
import { noteLanguage } from '../syntax/markdown-language.ts';

/** Returns a focused preview state without a view. `‸` in the text marks the cursor. */
export function previewState(marked: string, mode: EditorMode = 'preview'): EditorState {
  const cursor = marked.indexOf('‸');
  const doc = cursor < 0 ? marked : marked.slice(0, cursor) + marked.slice(cursor + 1);
  return stateOf(doc, cursor, mode);
}

/** Returns a state with the cursor at an offset; -1 leaves the editor unfocused. */
export function stateOf(doc: string, cursor: number, mode: EditorMode = 'preview'): EditorState {
  const state = EditorState.create({
    doc,
    selection: EditorSelection.cursor(Math.max(0, cursor)),
    extensions: [
      EditorState.lineSeparator.of('\n'),
      noteLanguage(null),
      editorMode.of(mode),
      interaction.init(() => ({ hasFocus: cursor >= 0, isPressed: false })),
    ],
  });
  ensureSyntaxTree(state, doc.length, 5_000);
  return state;
}

export interface Drawn {
  readonly from: number;
  readonly to: number;
  readonly spec: Decoration['spec'];
}

/** Returns all inline decorations of the whole document, in order. */
export function drawnIn(state: EditorState): Drawn[] {
  const { decorations } = buildDecorations(state, [{ from: 0, to: state.doc.length }], INLINE_RENDERERS);
  const drawn: Drawn[] = [];
  for (const at = decorations.iter(); at.value !== null; at.next()) {
    drawn.push({ from: at.from, to: at.to, spec: at.value.spec });
  }
  return drawn;
}

/** Returns the visible text of the preview, with `⟨⟩` for widgets. */
export function shownText(state: EditorState): string {
  let shown = '';
  let at = 0;
  for (const { from, to, spec } of drawnIn(state)) {
    if (spec.class !== undefined || from < at || from === to) continue;
    shown += state.doc.sliceString(at, from) + (spec.widget === undefined ? '' : '⟨⟩');
    at = to;
  }
  return shown + state.doc.sliceString(at);
}

/** Returns the classes of the text at an offset, and of its line. */
export function classesAt(state: EditorState, at: number): string {
  const line = state.doc.lineAt(at).from;
  const names = drawnIn(state)
    .filter(({ from, to }) => (from <= at && to > at) || (from === to && from === line))
    .map(({ spec }) => spec.class)
    .filter((name) => name !== undefined);
  return names.join(' ');
}
