import { syntaxTree } from '@codemirror/language';
import { type Range as DecorationRange, type EditorState, StateField, type Transaction } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, WidgetType } from '@codemirror/view';
import { type EditorMode, editorMode } from '../core/modes.ts';
import { topBlocks } from '../syntax/top-blocks.ts';
import { changesInteraction, isComposing, isFrozen, revealState } from './preview-state.ts';
import { isRevealed, type Range } from './reveal.ts';
import { noteTitle } from './title.ts';

/** A top-level block that can be rendered instead of its source. */
export interface BlockCandidate extends Range {
  readonly widget: WidgetType;
  /** Whether the widget stays visible below the source while the cursor is in the source. */
  readonly staysBelow: boolean;
  /** End of the line below which the widget is placed, if not in place of the block. */
  readonly below?: number | undefined;
}

/** Renderer of some kinds of blocks. */
export interface BlockRenderer {
  readonly nodes: readonly string[];
  /**
   * Returns the replacement of a block, or null if it stays text. Called for every such block of the note, so it must
   * be fast.
   */
  candidate(range: Range, state: EditorState, mode: EditorMode): Omit<BlockCandidate, 'from' | 'to'> | null;
}

/** The replaceable blocks of a document, and their current decorations. */
export interface BlockState {
  readonly tree: ReturnType<typeof syntaxTree>;
  readonly mode: EditorMode;
  readonly title: string;
  readonly candidates: readonly BlockCandidate[];
  readonly decorations: DecorationSet;
  /** Whether the decorations were only mapped and still have to be rebuilt. */
  readonly isStale: boolean;
}

/**
 * Returns the state field of the preview, with the blocks that are replaced as a whole. Only top-level blocks are
 * considered.
 */
export function blockField(renderers: readonly BlockRenderer[]) {
  const table = new Map(renderers.flatMap((renderer) => renderer.nodes.map((name) => [name, renderer] as const)));
  const field = StateField.define<BlockState>({
    create: (state) => build(state, readCandidates(state, table)),
    update: (value, transaction) => nextState(value, transaction, table),
    provide: (self) => [
      EditorView.decorations.from(self, ({ decorations }) => decorations),
      EditorView.atomicRanges.of((view) => view.state.field(self).decorations),
    ],
  });
  return field;
}

function nextState(value: BlockState, transaction: Transaction, table: ReadonlyMap<string, BlockRenderer>): BlockState {
  const { state } = transaction;
  const isMoved = transaction.docChanged || transaction.selection !== undefined || changesInteraction(transaction);
  const isParsed = syntaxTree(state) !== value.tree;
  const isOtherMode = state.facet(editorMode) !== value.mode || state.facet(noteTitle) !== value.title;
  if (!isMoved && !isParsed && !isOtherMode && !value.isStale) return value;
  if (isComposing(transaction) || isFrozen(state)) {
    return { ...value, decorations: value.decorations.map(transaction.changes), isStale: true };
  }
  const isSameText = !transaction.docChanged && !isParsed && !isOtherMode && !value.isStale;
  return build(state, isSameText ? value.candidates : readCandidates(state, table));
}

/** Returns the replaceable blocks, in order. */
export function readCandidates(state: EditorState, table: ReadonlyMap<string, BlockRenderer>): BlockCandidate[] {
  const mode = state.facet(editorMode);
  const candidates: BlockCandidate[] = [];
  for (const { name, from, to } of topBlocks(syntaxTree(state))) {
    const renderer = table.get(name);
    if (renderer === undefined) continue;
    const range = { from, to };
    const candidate = renderer.candidate(range, state, mode);
    if (candidate !== null) candidates.push({ ...wholeLines(state, range), ...candidate });
  }
  return candidates;
}

/** Extends a range to whole lines, because blocks are replaced line by line. */
function wholeLines({ doc }: EditorState, { from, to }: Range): Range {
  return { from: doc.lineAt(from).from, to: doc.lineAt(to).to };
}

/** Replaces a block that is rendered elsewhere. */
class EmptyWidget extends WidgetType {
  override eq(): boolean {
    return true;
  }
  override get estimatedHeight(): number {
    return 0;
  }
  toDOM(): HTMLElement {
    const element = document.createElement('div');
    element.className = 'nv-elsewhere';
    return element;
  }
}

const elsewhere = Decoration.replace({ widget: new EmptyWidget(), block: true });

function build(state: EditorState, candidates: readonly BlockCandidate[]): BlockState {
  const reveal = revealState(state);
  const placed: DecorationRange<Decoration>[] = [];
  for (const { from, to, widget, staysBelow, below } of candidates) {
    if (!isRevealed('block', { from, to }, reveal)) {
      placed.push((below === undefined ? Decoration.replace({ widget, block: true }) : elsewhere).range(from, to));
      if (below !== undefined) placed.push(Decoration.widget({ widget, block: true, side: 1 }).range(below));
    } else if (staysBelow) placed.push(Decoration.widget({ widget, block: true, side: 1 }).range(to));
  }
  return {
    tree: syntaxTree(state),
    mode: state.facet(editorMode),
    title: state.facet(noteTitle),
    candidates,
    decorations: Decoration.set(placed),
    isStale: false,
  };
}
