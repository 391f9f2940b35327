import { isScalar, parseDocument, stringify } from 'yaml';
import { type Property, readProperties, type ScalarSource } from './model.ts';

/** A change of the YAML, with UTF-16 offsets into it. All other bytes stay the same. */
export interface YamlEdit {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

/** Sets the value of a property that has one value. */
export function setValue(property: Property, text: string): YamlEdit {
  const { scalar, valueStart } = property;
  if (scalar === null) return { from: valueStart, to: valueStart, insert: ` ${printScalar(text, 'plain', 'block')}` };
  return { from: scalar.from, to: scalar.to, insert: printScalar(text, scalar.style, 'block') };
}

/** Sets an item of a list; null if there is no such item. */
export function setItem(property: Property, index: number, text: string): YamlEdit | null {
  const item = property.items[index];
  if (item === undefined || property.list === null) return null;
  return { from: item.from, to: item.to, insert: printScalar(text, item.style, property.list.style) };
}

/** Adds an item at the end of a list, in the style of the last one. */
export function addItem(yaml: string, property: Property, text: string): YamlEdit | null {
  const { list, items } = property;
  if (list === null) return null;
  const last = items.at(-1);
  const printed = printScalar(text, lastStyle(last), list.style);
  if (list.style === 'flow') {
    const at = last === undefined ? list.from + 1 : last.to;
    return { from: at, to: at, insert: last === undefined ? printed : `, ${printed}` };
  }
  if (last === undefined) return null;
  const lineStart = yaml.lastIndexOf('\n', last.from - 1) + 1;
  const indent = /^[ \t]*-[ \t]*/.exec(yaml.slice(lineStart, last.from))?.[0] ?? '- ';
  const end = yaml.indexOf('\n', last.to);
  const at = end < 0 ? yaml.length : end;
  return { from: at, to: at, insert: `\n${indent}${printed}` };
}

function lastStyle(last: ScalarSource | undefined): ScalarSource['style'] {
  return last === undefined || last.style === 'block' ? 'plain' : last.style;
}

/** Removes an item of a list; the list remains, empty if it was the last. */
export function removeItem(yaml: string, property: Property, index: number): YamlEdit | null {
  const { list, items } = property;
  const item = items[index];
  if (list === null || item === undefined) return null;
  if (items.length === 1) return { ...spanOfList(yaml, property), insert: ' []' };
  if (list.style === 'flow') {
    const next = items[index + 1];
    const before = items[index - 1];
    if (next !== undefined) return { from: item.from, to: next.from, insert: '' };
    return before === undefined ? null : { from: before.to, to: item.to, insert: '' };
  }
  const from = yaml.lastIndexOf('\n', item.from - 1) + 1;
  const end = yaml.indexOf('\n', item.to);
  if (end >= 0) return { from, to: end + 1, insert: '' };
  return { from: Math.max(0, from - 1), to: yaml.length, insert: '' };
}

function spanOfList(yaml: string, { valueStart, list }: Property): { from: number; to: number } {
  const to = list === null ? valueStart : list.to;
  // A block sequence's range includes the line end of its last item, which must stay.
  return { from: valueStart, to: yaml.charAt(to - 1) === '\n' ? to - 1 : to };
}

/** Adds a property without a value after the last one; null for a name that is in use or empty. */
export function addProperty(yaml: string, key: string): YamlEdit | null {
  const properties = readProperties(yaml);
  const name = key.trim();
  if (properties === null || name === '' || properties.some((one) => one.key === name)) return null;
  const at = properties.at(-1)?.lines.to ?? yaml.length;
  const needsLine = at > 0 && yaml.charAt(at - 1) !== '\n';
  return { from: at, to: at, insert: `${needsLine ? '\n' : ''}${printKey(name)}:\n` };
}

/** Renames a property; null for a name that is in use or empty. */
export function renameProperty(yaml: string, property: Property, key: string): YamlEdit | null {
  const name = key.trim();
  const isTaken = readProperties(yaml)?.some((one) => one.key === name) ?? true;
  if (name === '' || isTaken) return null;
  return { ...property.keySpan, insert: printKey(name) };
}

/** Removes a property with its lines. */
export function removeProperty({ lines }: Property): YamlEdit {
  return { ...lines, insert: '' };
}

function printKey(name: string): string {
  return printScalar(name, 'plain', 'flow').replace(/^(?=[^"'].*: )(.*)$/, (plain) => JSON.stringify(plain));
}

export function applyEdit(yaml: string, { from, to, insert }: YamlEdit): string {
  return yaml.slice(0, from) + insert + yaml.slice(to);
}

/** Context of a scalar: in `flow` (inside `[…]`), commas and brackets end it. */
type ScalarContext = 'flow' | 'block';

/**
 * Writes a text as a scalar on one line, in its previous style, or in double quotes if that style cannot hold the text.
 */
function printScalar(text: string, style: ScalarSource['style'], context: ScalarContext): string {
  if (style === 'single' && !/[\n\r\t]|[^\P{C}]/u.test(text)) return `'${text.replaceAll("'", "''")}'`;
  if (style === 'plain' && isPlain(text, context)) return text;
  return stringify(text, {
    defaultStringType: 'QUOTE_DOUBLE',
    doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER,
    lineWidth: 0,
  }).trimEnd();
}

/** Returns whether a text can be written without quotes and is still read as the same text. */
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
