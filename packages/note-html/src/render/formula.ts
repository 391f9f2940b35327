import katex from 'katex';
import { FORMULA_OPTIONS } from '../formula-options.ts';
import { textElement } from './html-text.ts';

/** Longer formulas are shown as source. */
const LONGEST = 4_000;

/**
 * Renders a formula as MathML, which needs no fonts; its source where it cannot be read. Attributes for styles are
 * removed, which the policy of a page refuses: KaTeX escapes quotes in texts, so that nothing else matches.
 */
export function formulaHtml(formula: string, isDisplay: boolean): string {
  try {
    if (formula.length > LONGEST) throw new RangeError('too long');
    const options = { ...FORMULA_OPTIONS, displayMode: isDisplay, output: 'mathml' } as const;
    return katex.renderToString(formula, options).replace(/ style="[^"]*"/g, '');
  } catch {
    return textElement('code', { class: 'formula' }, formula);
  }
}
