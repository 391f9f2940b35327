import { StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view';

/** Highlights the range that the user jumped to. */
export const markPlace = StateEffect.define<{ readonly from: number; readonly to: number }>();

const mark = Decoration.mark({ class: 'nv-found' });

/** The highlighted range, until the text or the cursor changes. */
export const foundPlace = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(value, { effects, docChanged, selection }) {
    for (const effect of effects) {
      if (effect.is(markPlace)) return Decoration.set(mark.range(effect.value.from, effect.value.to));
    }
    return docChanged || selection !== undefined ? Decoration.none : value;
  },
  provide: (field) => EditorView.decorations.from(field),
});
