import { foldEffect, unfoldEffect } from '@codemirror/language';
import { type EditorState, StateEffect, StateField, type Transaction } from '@codemirror/state';
import { EditorView, ViewPlugin } from '@codemirror/view';
import { editorMode } from '../core/modes.ts';
import type { RevealState } from './reveal.ts';

/** Rebuilds every decoration of the preview. */
export const refreshPreview = StateEffect.define<null>();
const setFocus = StateEffect.define<boolean>();
const setPressed = StateEffect.define<boolean>();

interface Interaction {
  readonly hasFocus: boolean;
  /** Whether a mouse button is down: text must not move under the pointer. */
  readonly isPressed: boolean;
}

/** State of focus and pointer that the preview depends on. */
export const interaction = StateField.define<Interaction>({
  create: () => ({ hasFocus: false, isPressed: false }),
  update(value, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setFocus)) value = { ...value, hasFocus: effect.value };
      if (effect.is(setPressed)) value = { ...value, isPressed: effect.value };
    }
    return value;
  },
});

/** Returns whether a transaction changes what is revealed by other means than document and selection. */
export function changesInteraction({ effects }: Transaction): boolean {
  return effects.some(
    (effect) =>
      effect.is(setFocus) ||
      effect.is(setPressed) ||
      effect.is(refreshPreview) ||
      effect.is(foldEffect) ||
      effect.is(unfoldEffect),
  );
}

/** Returns whether decorations may only be mapped now and must be rebuilt later. */
export function isFrozen(state: EditorState): boolean {
  return state.field(interaction, false)?.isPressed === true;
}

/** Returns whether an input method is composing. Changing decorations around a composition would garble the text. */
export function isComposing(transaction: Transaction): boolean {
  return transaction.isUserEvent('input.type.compose');
}

export function revealState(state: EditorState): RevealState {
  const isActive = state.facet(editorMode) !== 'reading' && state.field(interaction, false)?.hasFocus === true;
  return {
    isActive,
    selection: state.selection.ranges,
    linesOf: ({ from, to }) => ({ from: state.doc.lineAt(from).from, to: state.doc.lineAt(to).to }),
  };
}

const focusEffect = EditorView.focusChangeEffect.of((_state, focusing) => setFocus.of(focusing));

/** Reports presses of the mouse, and the end of compositions, to the state. */
const pointer = ViewPlugin.define(
  (view) => {
    const release = () => {
      if (isFrozen(view.state)) view.dispatch({ effects: setPressed.of(false) });
    };
    window.addEventListener('mouseup', release);
    window.addEventListener('dragend', release);
    window.addEventListener('blur', release);
    return {
      destroy() {
        window.removeEventListener('mouseup', release);
        window.removeEventListener('dragend', release);
        window.removeEventListener('blur', release);
      },
    };
  },
  {
    eventObservers: {
      pointerdown(event, view) {
        // A finger selects nothing while it is down, and the browser places the cursor after it was lifted. A change of
        // the view in that moment would put the cursor back, because the editor has not yet read where it is.
        const isHeld = event.pointerType === 'mouse' && event.button === 0;
        if (isHeld && !isFrozen(view.state)) view.dispatch({ effects: setPressed.of(true) });
      },
      compositionend(_event, view) {
        // The editor reads the change that ends a composition after this event.
        setTimeout(() => view.dom.isConnected && view.dispatch({ effects: refreshPreview.of(null) }), 0);
      },
    },
  },
);

export const previewState = [interaction, focusEffect, pointer];
