import type { Extension } from '@codemirror/state';
import type { Command } from '@codemirror/view';
import { type CodeMirror, Vim, vim } from '@replit/codemirror-vim';
import { redo, undo } from '../collab/binding.ts';

// A note is saved as it is typed: writing it, as hands do, is no error.
Vim.defineEx('write', 'w', () => undefined);

// The history is Yjs', which vim does not know.
const repeated =
  (command: Command) =>
  (editor: CodeMirror, { repeat = 1 }: { repeat?: number }) => {
    for (let count = 0; count < repeat; count++) command(editor.cm6);
  };
Vim.defineAction('undo', repeated(undo));
Vim.defineAction('redo', repeated(redo));

/** The keys of vim, with their mode shown below the text. In a file of its own, which few load. */
export function vimKeys(): Extension {
  return vim({ status: true });
}
