import { ObservableValue } from '../../platform/observable.ts';

/** A heading of the outline. */
export interface HeadingFact {
  readonly level: number;
  /** The heading's source without its `#` marks. */
  readonly text: string;
  /** UTF-16 offset. */
  readonly from: number;
}

export interface SelectionFact {
  readonly from: number;
  readonly to: number;
  /** Line of the cursor, starting at 1. */
  readonly line: number;
  readonly column: number;
  readonly selectedCharacters: number;
}

/** Facts about an editor that the app shows. Each part is replaced only when it has changed. */
export interface EditorFacts {
  /** Word count without the frontmatter. */
  readonly words: number;
  /** 0 without a selection. */
  readonly selectedWords: number;
  readonly characters: number;
  readonly headings: readonly HeadingFact[];
  readonly selection: SelectionFact;
  /** Whether the text was edited here since the editor was created. */
  readonly isDirty: boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}

export const NO_FACTS: EditorFacts = {
  words: 0,
  selectedWords: 0,
  characters: 0,
  headings: [],
  selection: { from: 0, to: 0, line: 1, column: 1, selectedCharacters: 0 },
  isDirty: false,
  canUndo: false,
  canRedo: false,
};

/** Store of the facts, which works without React. */
export class FactStore extends ObservableValue<EditorFacts> {
  constructor() {
    super(NO_FACTS);
  }

  update(changed: Partial<EditorFacts>): void {
    const facts = this.get();
    const names = Object.keys(changed) as (keyof EditorFacts)[];
    if (names.some((name) => !isSame(facts[name], changed[name]))) this.set({ ...facts, ...changed });
  }
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  return typeof one === 'object' && typeof other === 'object' && JSON.stringify(one) === JSON.stringify(other);
}
