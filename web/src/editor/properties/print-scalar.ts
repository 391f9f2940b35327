import { isScalar, parseDocument, stringify } from 'yaml';
import type { ScalarSource } from './model.ts';

/** Where a scalar stands: inside `[…]`, commas and brackets end it. */
export type ScalarContext = 'flow' | 'block';

/**
 * Writes a text as a scalar on one line, in the style it had. A style that cannot hold the text gives way to double
 * quotes.
 */
export function printScalar(text: string, style: ScalarSource['style'], context: ScalarContext): string {
  if (style === 'single' && !/[\n\r\t]|[^\P{C}]/u.test(text)) return `'${text.replaceAll("'", "''")}'`;
  if (style === 'plain' && isPlain(text, context)) return text;
  return stringify(text, {
    defaultStringType: 'QUOTE_DOUBLE',
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
    lineWidth: 0,
  }).trimEnd();
}

/** Whether a text means itself when it is written without quotes. */
function isPlain(text: string, context: ScalarContext): boolean {
  if (text === '' || text !== text.trim() || /[\n\r\t]|[^\P{C}]/u.test(text)) return false;
  if (/^(?:null|~)$/i.test(text)) return false;
  const source = context === 'flow' ? `k: [${text}]` : `k: ${text}`;
  const document = parseDocument(source, { prettyErrors: false, logLevel: 'silent', version: '1.2' });
  if (document.errors.length > 0 || document.warnings.length > 0) return false;
  const node = document.getIn(context === 'flow' ? ['k', 0] : ['k'], true);
  if (context === 'flow' && document.hasIn(['k', 1])) return false;
  return isScalar(node) && node.type === 'PLAIN' && node.source === text && !node.comment && document.comment === null;
}
