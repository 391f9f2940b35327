import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { markdown } from '@codemirror/lang-markdown';
import { defaultHighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { EditorView, keymap } from '@codemirror/view';

/* What the editor of the app is compared with: CodeMirror as its own pages show it, with the language, in one column. */

declare global {
  interface Window {
    /** Shows a text. */
    openPlain(text: string): void;
  }
}

window.openPlain = (doc) => {
  const extensions = [
    history(),
    keymap.of([...defaultKeymap, ...historyKeymap]),
    markdown(),
    syntaxHighlighting(defaultHighlightStyle),
    EditorView.lineWrapping,
    EditorView.theme({ '&': { height: '100vh' }, '.cm-scroller': { overflow: 'auto' } }),
  ];
  new EditorView({ parent: document.body, state: EditorState.create({ doc, extensions }) });
};
