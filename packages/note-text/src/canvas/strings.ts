import type { Edit } from '../diff/diff.ts';
import type { Span } from '../links/parsed-link.ts';
import { skipSpaces } from '../scan/destination.ts';

export function isCanvas(path: string): boolean {
  return /\.canvas$/i.test(path);
}

/** A string of a canvas that may name files: the path of a file node, or the markdown of a text node. */
export interface CanvasString {
  readonly kind: 'file' | 'text';
  readonly value: string;
  /** The JSON string without its quotes, in the canvas. */
  readonly source: Span;
}

/**
 * Returns the strings of a canvas (JSON Canvas 1.0) that may name files, in order; none for text that is no JSON. Takes
 * time linear in the length.
 */
export function canvasStrings(canvas: string): CanvasString[] {
  return isJson(canvas) ? new NodeReader(canvas).read() : [];
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text.replace(/^\ufeff/, ''));
    return true;
  } catch {
    return false;
  }
}

/** The depth of a node: in the root object, its list of nodes, and the node. */
const NODE_DEPTH = 3;

/** Finds the strings of the nodes in valid JSON. Of a key that an object has twice the last one counts, as for `JSON.parse`. */
class NodeReader {
  readonly #canvas: string;
  readonly #found: CanvasString[] = [];
  /** The last key of the root object. */
  #rootKey = '';
  #isInNodes = false;
  /** The strings of the node that is read, by key; null outside of nodes. */
  #node: Map<string, Span> | null = null;
  #key = '';

  constructor(canvas: string) {
    this.#canvas = canvas;
  }

  read(): CanvasString[] {
    const canvas = this.#canvas;
    let depth = 0;
    for (let at = 0; at < canvas.length; at++) {
      switch (canvas.charAt(at)) {
        case '{':
        case '[':
          depth++;
          this.#open(depth, canvas.charAt(at));
          break;
        case '}':
        case ']':
          if (depth === NODE_DEPTH) this.#endNode();
          depth--;
          break;
        case '"': {
          const end = stringEnd(canvas, at);
          this.#addString(depth, { start: at + 1, end: end - 1 });
          at = end - 1;
          break;
        }
      }
    }
    return this.#found;
  }

  #open(depth: number, bracket: string): void {
    if (depth === NODE_DEPTH - 1) this.#isInNodes = bracket === '[' && this.#rootKey === 'nodes';
    if (depth === NODE_DEPTH) this.#node = bracket === '{' && this.#isInNodes ? new Map() : null;
  }

  #addString(depth: number, source: Span): void {
    const isKey = this.#canvas.charAt(skipSpaces(this.#canvas, source.end + 1)) === ':';
    if (depth === 1 && isKey) this.#rootKey = this.#valueOf(source);
    if (depth !== NODE_DEPTH || this.#node === null) return;
    if (isKey) this.#key = this.#valueOf(source);
    else this.#node.set(this.#key, source);
  }

  #endNode(): void {
    const type = this.#node?.get('type');
    const kind = type === undefined ? '' : this.#valueOf(type);
    const source = this.#node?.get(kind);
    if ((kind === 'file' || kind === 'text') && source !== undefined)
      this.#found.push({ kind, value: this.#valueOf(source), source });
    this.#node = null;
  }

  #valueOf({ start, end }: Span): string {
    return String(JSON.parse(this.#canvas.slice(start - 1, end + 1)));
  }
}

/** Offset after the JSON string whose `"` is at `at`. */
function stringEnd(json: string, at: number): number {
  let i = at + 1;
  while (json.charAt(i) !== '"') i += json.charAt(i) === '\\' ? 2 : 1;
  return i + 1;
}

/** Returns edits of a string's value, in order, as edits of its canvas. */
export function inCanvas(canvas: string, { source }: CanvasString, edits: readonly Edit[]): Edit[] {
  let [at, unit] = [source.start, 0];
  const offsetOf = (wanted: number) => {
    for (; unit < wanted; unit++) at += canvas.charAt(at) !== '\\' ? 1 : canvas.charAt(at + 1) === 'u' ? 6 : 2;
    return at;
  };
  return edits.map(({ at: from, remove, insert }) => {
    const start = offsetOf(from);
    return { at: start, remove: offsetOf(from + remove) - start, insert: JSON.stringify(insert).slice(1, -1) };
  });
}
