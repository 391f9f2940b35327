/**
 * Formulas are untrusted text: no links, no raw HTML, bounded macros and sizes. KaTeX builds elements and never parses
 * HTML.
 */
export const FORMULA_OPTIONS = {
  trust: false,
  strict: 'ignore',
  throwOnError: true,
  maxExpand: 200,
  maxSize: 20,
} as const;
