import type { SyntaxNode } from '@lezer/common';
import { normalizeLabel } from '@notevault/note-text/scan/definitions.ts';
import { readWikilink } from '@notevault/note-text/scan/wikilink.ts';
import { type Destination, readDestinationUrl } from './destination.ts';

/** A link at a node of the tree. */
export interface NodeLink {
  readonly destination: Destination;
  /** The text shown in place of the destination; empty without one. */
  readonly label: string;
}

type ReadText = (from: number, to: number) => string;

/** Reads the wikilink or embed at a node. */
export function readWikilinkNode(node: SyntaxNode, text: ReadText): NodeLink | null {
  const source = text(node.from, node.to);
  const { link } = readWikilink(source, source.startsWith('!') ? 1 : 0);
  if (link === null) return null;
  const target = { target: link.target, anchor: link.anchor, form: 'wikilink' } as const;
  return { destination: { kind: 'note', link: target }, label: link.alias };
}

/** Finds the destination that a reference link at a node has; null for none. */
export type FindDefinition = (node: SyntaxNode, label: string, text: ReadText) => string | null;

/** Reads a markdown link, image or autolink; null when it has no destination. */
export function readLinkNode(node: SyntaxNode, text: ReadText, define: FindDefinition = definitionOf): NodeLink | null {
  const url = node.getChild('URL');
  const marks = node.getChildren('LinkMark');
  const [open, close] = marks;
  const label = open && close ? text(open.to, close.from) : '';
  if (url !== null) return { destination: readDestinationUrl(text(url.from, url.to)), label };
  const name = node.getChild('LinkLabel');
  const reference = name === null ? label : text(name.from + 1, name.to - 1) || label;
  const definition = define(node, reference, text);
  return definition === null ? null : { destination: readDestinationUrl(definition), label };
}

/** Returns the destination that `[label]: destination` defines; null without one. Looked for at the top of the note. */
export function definitionOf(node: SyntaxNode, label: string, text: ReadText): string | null {
  let top = node;
  while (top.parent !== null) top = top.parent;
  const wanted = normalizeLabel(label);
  for (const reference of top.getChildren('LinkReference')) {
    const name = reference.getChild('LinkLabel');
    const url = reference.getChild('URL');
    if (name === null || url === null) continue;
    if (normalizeLabel(text(name.from + 1, name.to - 1)) === wanted) return text(url.from, url.to);
  }
  return null;
}
