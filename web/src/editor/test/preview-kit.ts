import { ensureSyntaxTree } from '@codemirror/language';
import { EditorSelection, EditorState } from '@codemirror/state';
import type { Decoration } from '@codemirror/view';
import { type EditorMode, editorMode } from '../core/modes.ts';
import { INLINE_RENDERERS } from '../preview/preview.ts';
import { interaction } from '../preview/preview-state.ts';
import { buildDecorations } from '../preview/visible-walk.ts';
import { noteLanguage } from '../syntax/markdown-language.ts';

/** A state of the preview with the focus, without a view. `‸` in the text is the cursor, if it is there. */
export function previewState(marked: string, mode: EditorMode = 'preview'): EditorState {
  const cursor = marked.indexOf('‸');
  const doc = cursor < 0 ? marked : marked.slice(0, cursor) + marked.slice(cursor + 1);
  return stateOf(doc, cursor, mode);
}

/** A state with the cursor at an offset; -1 leaves the editor without focus. */
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

/** Everything that the inline renderers draw over the whole document, in order. */
export function drawnIn(state: EditorState): Drawn[] {
  const { decorations } = buildDecorations(state, [{ from: 0, to: state.doc.length }], INLINE_RENDERERS);
  const drawn: Drawn[] = [];
  for (const at = decorations.iter(); at.value !== null; at.next()) {
    drawn.push({ from: at.from, to: at.to, spec: at.value.spec });
  }
  return drawn;
}

/** The text as the preview shows it: without what is hidden, with `⟨⟩` for widgets. */
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

/** The classes of the text that contains an offset, and of its line. */
export function classesAt(state: EditorState, at: number): string {
  const line = state.doc.lineAt(at).from;
  const names = drawnIn(state)
    .filter(({ from, to }) => (from <= at && to > at) || (from === to && from === line))
    .map(({ spec }) => spec.class)
    .filter((name) => name !== undefined);
  return names.join(' ');
}
