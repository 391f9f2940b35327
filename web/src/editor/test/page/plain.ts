import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { markdown } from '@codemirror/lang-markdown';
import { defaultHighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, highlightSpecialChars, keymap } from '@codemirror/view';

/* What the editor of the app is compared with: the smallest set-up that CodeMirror names, and the language. */

declare global {
  interface Window {
    /** Shows a text. */
    openPlain(text: string): void;
  }
}

window.openPlain = (doc) => {
  const extensions = [
    history(),
    drawSelection(),
    highlightSpecialChars(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    markdown(),
    syntaxHighlighting(defaultHighlightStyle),
    EditorView.lineWrapping,
    EditorView.theme({ '&': { height: '100vh' }, '.cm-scroller': { overflow: 'auto' } }),
  ];
  new EditorView({ parent: document.body, state: EditorState.create({ doc, extensions }) });
};
