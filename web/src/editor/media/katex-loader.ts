import 'katex/dist/katex.min.css';
import katex, { type KatexOptions } from 'katex';

/** Renders a formula. In a file of its own, loaded with the first formula. */
export function renderFormula(formula: string, parent: HTMLElement, options: KatexOptions): void {
  katex.render(formula, parent, options);
}
