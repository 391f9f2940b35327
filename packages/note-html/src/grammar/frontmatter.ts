import type { BlockContext, MarkdownConfig } from '@lezer/markdown';
import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';

/** The longest frontmatter that is recognised; the server does not read a longer one either. */
export const MAX_FRONTMATTER = 70_000;

/** The YAML between `---` lines at the start of a note. */
export const frontmatterSyntax: MarkdownConfig = {
  defineNodes: [{ name: 'Frontmatter', block: true }],
  parseBlock: [
    {
      name: 'Frontmatter',
      before: 'HorizontalRule',
      parse(cx, line) {
        if (cx.lineStart !== 0 || !/^\ufeff?---/.test(line.text)) return false;
        const fence = findFrontmatter(readAhead(cx));
        if (fence.kind !== 'closed') return false;
        while (cx.lineStart < fence.yamlEnd && cx.nextLine()) {
          // The lines are the YAML, which is not markdown.
        }
        const end = cx.lineStart + line.text.length;
        cx.nextLine();
        cx.addElement(cx.elt('Frontmatter', 0, end));
        return true;
      },
    },
  ],
};

/**
 * Returns the text from the start of the document. A block parser of Lezer sees one line, and cannot go back from the
 * next; a fence that is never closed must not turn the whole note into frontmatter.
 */
function readAhead(cx: BlockContext): string {
  const { input } = cx as unknown as {
    readonly input: { readonly length: number; read(from: number, to: number): string };
  };
  return input.read(0, Math.min(input.length, MAX_FRONTMATTER));
}
