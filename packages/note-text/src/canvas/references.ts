import { deriveNote } from '../derive.ts';
import { applyEdits, type Edit } from '../diff/diff.ts';
import { groupBy } from '../group-by.ts';
import { maxLinks } from '../links/parsed-link.ts';
import { type LinkChange, relink } from '../links/relink.ts';
import { type CanvasString, canvasStrings, inCanvas } from './strings.ts';

/** The path of a file node, or a wikilink in a text node. */
export interface CanvasReference {
  /** The index of the node's string among those of the canvas that may name files. */
  readonly string: number;
  /** The position of a wikilink among the links of its text; null for the path of a file node. */
  readonly ord: number | null;
  /** The target of a wikilink, decoded and without its anchor; or the path, as written. */
  readonly target: string;
}

/** A reference, and the target that it should have. */
export interface CanvasChange extends Omit<LinkChange, 'ord'>, Pick<CanvasReference, 'string' | 'ord'> {}

export interface RewrittenCanvas {
  readonly canvas: string;
  /** Number of changes that could not be written. */
  readonly left: number;
}

/** Returns what a canvas refers to, in order, at most 20,000 references; nothing for text that is no canvas. */
export function canvasReferences(canvas: string): CanvasReference[] {
  const references: CanvasReference[] = [];
  for (const [string, found] of canvasStrings(canvas).entries()) {
    if (found.kind === 'file') references.push({ string, ord: null, target: found.value });
    else for (const { ord, target } of wikilinksIn(found.value)) references.push({ string, ord, target });
    if (references.length >= maxLinks) break;
  }
  return references.slice(0, maxLinks);
}

function wikilinksIn(text: string): { readonly ord: number; readonly target: string }[] {
  if (!text.includes('[[')) return [];
  const { links } = deriveNote('', text);
  return links.flatMap(({ form, target }, ord) => (form === 'wikilink' ? [{ ord, target }] : []));
}

/** Gives references of a canvas new targets. Changes only their strings: every other byte stays. */
export function rewriteCanvas(canvas: string, changes: readonly CanvasChange[]): RewrittenCanvas {
  const strings = canvasStrings(canvas);
  const edits: Edit[] = [];
  let left = 0;
  for (const [index, group] of groupBy(changes, ({ string }) => string)) {
    const string = strings[index];
    const written = string === undefined ? null : editsOf(string, group);
    left += written?.left ?? group.length;
    if (string !== undefined && written !== null) edits.push(...inCanvas(canvas, string, written.edits));
  }
  return {
    canvas: applyEdits(
      canvas,
      edits.sort((a, b) => a.at - b.at),
    ),
    left,
  };
}

function editsOf({ kind, value }: CanvasString, changes: readonly CanvasChange[]) {
  if (kind === 'file') {
    const [change] = changes;
    return { edits: change === undefined ? [] : [{ at: 0, remove: value.length, insert: change.target }], left: 0 };
  }
  const relinked = changes.flatMap(({ ord, ...change }) => (ord === null ? [] : [{ ...change, ord }]));
  const edits = relink('', value, relinked);
  const now = deriveNote('', applyEdits(value, edits)).links;
  return { edits, left: relinked.filter(({ ord, target }) => now[ord]?.target !== target).length };
}
