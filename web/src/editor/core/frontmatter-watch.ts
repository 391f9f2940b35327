import type { Compartment, EditorState, Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import { MAX_FRONTMATTER } from '../syntax/frontmatter.ts';

/**
 * Parses the note anew when frontmatter begins or ends. The parser reuses what is before a change, and so would not see
 * that a fence, closed further down, makes the start of the note something else.
 */
export function frontmatterWatch(language: Compartment, create: () => Extension): Extension {
  return EditorView.updateListener.of((update) => {
    if (!update.docChanged || bodyStart(update.startState) > 0 === bodyStart(update.state) > 0) return;
    update.view.dispatch({ effects: language.reconfigure(create()) });
  });
}

function bodyStart({ doc }: EditorState): number {
  if (!/^\ufeff?---[ \t]*\r?$/.test(doc.line(1).text)) return 0;
  return findFrontmatter(doc.sliceString(0, Math.min(doc.length, MAX_FRONTMATTER))).bodyStart;
}
