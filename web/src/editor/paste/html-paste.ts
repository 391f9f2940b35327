import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import type { SyntaxNode } from '@lezer/common';
import { insertFiles } from '../files/insert-files.ts';
import { drawnTableAt } from '../table/drawn-tables.ts';
import { isPlainPaste } from './plain-paste.ts';

/** Elements that change the result; HTML without them is pasted as plain text. */
const FORMATTED =
  /<(?:a|b|strong|i|em|s|del|strike|mark|code|pre|h[1-6]|ul|ol|table|blockquote|img|hr)[\s>]|style="[^"]*(?:font-weight|font-style|line-through)/i;
/** Maximum HTML that is converted, in characters; more is pasted as text, because conversion would take seconds. */
const MOST = 2_000_000;

/** Pastes formatted text of other programs as markdown. */
export const htmlPaste = EditorView.domEventHandlers({
  paste({ clipboardData }, view) {
    const html = clipboardData?.getData('text/html') ?? '';
    const text = clipboardData?.getData('text/plain') ?? '';
    const isCode = clipboardData?.types.includes('vscode-editor-data') === true || takesTextOnly(view.state);
    const isText = html.length > MOST || !FORMATTED.test(html) || isCode || isPlainPaste(view);
    if (isText || view.state.readOnly) return false;
    void pasteMarkdown(view, html, text);
    return true;
  },
});

const TEXT_ONLY: ReadonlySet<string> = new Set([
  'FencedCode',
  'CodeBlock',
  'InlineCode',
  'Frontmatter',
  'BlockMath',
  'InlineMath',
]);

function takesTextOnly(state: EditorState): boolean {
  const { head } = state.selection.main;
  if (drawnTableAt(state, head) !== null) return true;
  for (let node: SyntaxNode | null = syntaxTree(state).resolveInner(head, -1); node; node = node.parent) {
    if (TEXT_ONLY.has(node.name)) return true;
  }
  return false;
}

/** @param plain the text to paste if the HTML cannot be converted. */
async function pasteMarkdown(view: EditorView, html: string, plain: string): Promise<void> {
  const { text, images } = await import('./html-markdown.ts')
    .then(({ markdownOf }) => markdownOf(html))
    .catch(() => ({ text: plain.replace(/\r\n?/g, '\n'), images: [] }));
  if (!view.dom.isConnected || view.state.readOnly) return;
  const { from, to } = view.state.selection.main;
  const { lead, tail } = spaceAround(view.state, text, from, to);
  view.dispatch({
    changes: { from, to, insert: lead + text + tail },
    selection: { anchor: from + lead.length + text.length },
    scrollIntoView: true,
    userEvent: 'input.paste',
  });
  for (const { at, file } of images) void insertFiles(view, [file], from + lead.length + at);
}

/** Adds line breaks so that blocks pasted within a line get lines of their own. */
function spaceAround({ doc }: EditorState, text: string, from: number, to: number) {
  const before = doc.sliceString(doc.lineAt(from).from, from);
  const after = doc.sliceString(to, doc.lineAt(to).to);
  const isBlocks = text.includes('\n\n') || /^(?:#{1,6} |[-*] |\d+\. |> |`{3}|\| )/.test(text);
  const isInText = before.trim() !== '' && !/^\s*(?:[-*+>]|\d+[.)])\s*$/.test(before);
  return { lead: isBlocks && isInText ? '\n\n' : '', tail: isBlocks && after.trim() !== '' ? '\n\n' : '' };
}
