import type { Extension } from '@codemirror/state';
import type { Command } from '@codemirror/view';
import { type CodeMirror, Vim, vim } from '@replit/codemirror-vim';
import { redo, undo } from '../collab/binding.ts';

// `:w` from habit must not be an error, although notes are saved as they are typed.
Vim.defineEx('write', 'w', () => undefined);

// Undo goes through Yjs, which vim does not know.
const repeated =
  (command: Command) =>
  (editor: CodeMirror, { repeat = 1 }: { repeat?: number }) => {
    for (let count = 0; count < repeat; count++) command(editor.cm6);
  };
Vim.defineAction('undo', repeated(undo));
Vim.defineAction('redo', repeated(redo));

/**
 * Returns vim key bindings, with the vim mode shown below the text. In a file of its own, because few users load it.
 */
export function vimKeys(): Extension {
  return vim({ status: true });
}
