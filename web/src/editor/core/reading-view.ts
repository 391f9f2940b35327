import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { foldClosedCallouts } from '../preview/callout-folds.ts';
import { type DrawNote, drawNote, embedDepth } from '../preview/nested.ts';
import { livePreview } from '../preview/preview.ts';
import { createLanguage, sharedExtensions } from './base-extensions.ts';
import { modeExtensions } from './modes.ts';
import { services } from './services.ts';

/** Draws a text as it is read: an embedded note, a hover preview. */
export const drawReadingView: DrawNote = (parent, text, app, depth) => {
  const view = new EditorView({
    parent,
    state: EditorState.create({
      doc: text,
      extensions: [
        services.of(app),
        drawNote.of(drawReadingView),
        embedDepth.of(depth),
        EditorState.lineSeparator.of('\n'),
        createLanguage(),
        sharedExtensions,
        modeExtensions('reading', false, livePreview),
      ],
    }),
  });
  foldClosedCallouts(view);
  return { [Symbol.dispose]: () => view.destroy() };
};
