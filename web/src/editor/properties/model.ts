import { isMap, isScalar, isSeq, type ParsedNode, parseDocument, type Scalar } from 'yaml';

/** How a property is edited. `other` has a structure that only text can show. */
export type PropertyKind = 'text' | 'number' | 'checkbox' | 'date' | 'list' | 'other';

/** A span of the YAML, in UTF-16 offsets. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A scalar of the YAML: its value as text, and how it is written. */
export interface ScalarSource extends Span {
  readonly text: string;
  readonly style: 'plain' | 'double' | 'single' | 'block';
}

/** One property of the frontmatter. */
export interface Property {
  readonly key: string;
  readonly kind: PropertyKind;
  /** Where the key is written. */
  readonly keySpan: Span;
  /** Offset at which a missing value would begin. */
  readonly valueStart: number;
  /** From the start of the key's line to the end of the value's last line, with its line end. */
  readonly lines: Span;
  /** The value; null for lists, for the kind `other`, and if there is none. */
  readonly scalar: ScalarSource | null;
  /** Items of a list; empty for other kinds. */
  readonly items: readonly ScalarSource[];
  /** Range and style of a list; null for other kinds. */
  readonly list: (Span & { readonly style: 'flow' | 'block' }) | null;
  /** Source of the value, for the kind `other`. */
  readonly source: string;
}

/** Reads the properties in the YAML between the fences, in order; null if it is not a mapping with unique keys. */
export function readProperties(yaml: string): Property[] | null {
  const document = parse(yaml);
  if (document === null || document.errors.length > 0) return null;
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null)) return [];
  if (!isMap(contents) || contents.flow === true) return null;
  const properties: Property[] = [];
  for (const { key, value } of contents.items) {
    if (!isScalar(key) || !key.range) return null;
    properties.push(readProperty(yaml, key as Scalar.Parsed, value as ParsedNode | null));
  }
  const names = new Set(properties.map(({ key }) => key));
  return names.size === properties.length ? properties : null;
}

function parse(yaml: string) {
  try {
    return parseDocument(yaml, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent', version: '1.2' });
  } catch {
    // The parser recurses into nested values, and input can overflow its stack.
    return null;
  }
}

function readProperty(yaml: string, key: Scalar.Parsed, value: ParsedNode | null): Property {
  const [keyFrom, keyTo] = key.range;
  const valueStart = yaml.indexOf(':', keyTo) + 1;
  const from = yaml.lastIndexOf('\n', keyFrom - 1) + 1;
  const end = value === null || isEmpty(value) ? valueStart : value.range[1];
  const lineEnd = yaml.indexOf('\n', end);
  const lines = { from, to: yaml.charAt(end - 1) === '\n' ? end : lineEnd < 0 ? yaml.length : lineEnd + 1 };
  const base = { key: keyText(key), keySpan: { from: keyFrom, to: keyTo }, valueStart, lines };
  const source = value === null ? '' : yaml.slice(value.range[0], value.range[1]);
  const none = { scalar: null, items: [], list: null, source };
  if (value === null || isEmpty(value)) return { ...base, ...none, kind: 'text' };
  if (isScalar(value)) {
    const scalar = readScalar(value);
    if (scalar !== null) return { ...base, ...none, kind: kindOf(value, scalar), scalar };
  }
  if (isSeq(value) && value.anchor === undefined && value.tag === undefined) {
    const items = value.items.map((item) => (isScalar(item) ? readScalar(item as Scalar.Parsed) : null));
    const whole = items.every((item) => item !== null);
    const style = value.flow === true ? 'flow' : 'block';
    if (whole)
      return { ...base, ...none, kind: 'list', items, list: { from: value.range[0], to: value.range[1], style } };
  }
  return { ...base, ...none, kind: 'other' };
}

/** Returns a key as written, even if YAML reads it as a number. */
function keyText({ value, source }: Scalar.Parsed): string {
  return typeof value === 'string' ? value : source;
}

function isEmpty(value: ParsedNode): boolean {
  return isScalar(value) && value.value === null && value.range[0] === value.range[1];
}

function readScalar(node: Scalar.Parsed): ScalarSource | null {
  // A value with an anchor or a tag such as `!!str` is more than its text.
  if (node.anchor !== undefined || node.tag !== undefined || node.type === undefined) return null;
  const [from, to] = node.range;
  const text = node.value === null ? 'null' : typeof node.value === 'string' ? node.value : (node.source ?? '');
  return { from, to, text, style: STYLES[node.type] ?? 'plain' };
}

const STYLES: Readonly<Record<string, ScalarSource['style']>> = {
  PLAIN: 'plain',
  QUOTE_DOUBLE: 'double',
  QUOTE_SINGLE: 'single',
  BLOCK_FOLDED: 'block',
  BLOCK_LITERAL: 'block',
};

function kindOf(node: Scalar.Parsed, { text, style }: ScalarSource): PropertyKind {
  if (style === 'block') return 'other';
  if (typeof node.value === 'boolean') return 'checkbox';
  if (typeof node.value === 'number') return 'number';
  return /^\d{4}-\d{2}-\d{2}$/.test(text) ? 'date' : 'text';
}
