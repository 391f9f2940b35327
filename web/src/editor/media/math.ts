import type { EditorView } from '@codemirror/view';
import { FORMULA_OPTIONS } from '@notevault/note-html/formula-options.ts';
import { BlockWidget, element, PreviewWidget } from '../preview/widget-base.ts';
import { stringsOf } from './inline-widgets.ts';

/** Renders a formula into an element; shows the source and a message if it cannot be parsed. */
export async function renderMath(
  parent: HTMLElement,
  formula: string,
  isDisplay: boolean,
  failed: string,
): Promise<void> {
  const { renderFormula } = await import('./katex-loader.ts');
  try {
    renderFormula(formula, parent, { ...FORMULA_OPTIONS, output: 'htmlAndMathml', displayMode: isDisplay });
  } catch {
    const source = element('code', 'nv-math-error', formula);
    source.title = failed;
    parent.replaceChildren(source);
  }
}

/** A formula within a line. */
export class MathWidget extends PreviewWidget {
  readonly key: string;
  readonly #formula: string;
  readonly #isDisplay: boolean;

  constructor(formula: string, isDisplay: boolean) {
    super();
    this.key = `${isDisplay} ${formula}`;
    this.#formula = formula;
    this.#isDisplay = isDisplay;
  }

  toDOM(view: EditorView): HTMLElement {
    // The source reserves the space until the formula is rendered.
    const node = element('span', 'nv-math', this.#formula);
    void renderMath(node, this.#formula, this.#isDisplay, stringsOf(view).mathFailed).then(() => view.requestMeasure());
    return node;
  }

  override ignoreEvent(): boolean {
    return false;
  }
}

/** A formula on lines of its own. */
export class MathBlockWidget extends BlockWidget {
  readonly key: string;
  protected readonly className = 'nv-math-block';

  /** @param key the formula without its marks. */
  constructor(key: string) {
    super();
    this.key = key;
  }

  protected async fill(parent: HTMLElement, view: EditorView): Promise<void> {
    await renderMath(parent, this.key, true, stringsOf(view).mathFailed);
  }

  /** A click moves the cursor into the formula. */
  override ignoreEvent(): boolean {
    return false;
  }
}
