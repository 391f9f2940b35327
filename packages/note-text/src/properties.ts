import { isAlias, isScalar, isSeq } from 'yaml';
import { findFrontmatter } from './frontmatter/fence.ts';
import { parseMapping, type YamlMapping, type YamlNode } from './frontmatter/yaml.ts';

/** A single value of a property. A date is a text: `parseTimestamp` reads it. */
export type PropertyScalar = string | number | boolean;
export type PropertyValue = PropertyScalar | readonly PropertyScalar[];

/** Maximum number of properties read from a note. */
const maxProperties = 100;

/**
 * Reads the properties of a note's frontmatter: texts, numbers, booleans and lists of them, by key as written. Empty
 * values and mappings are left out, and so is a frontmatter that cannot be used.
 */
export function propertiesOf(content: string): Map<string, PropertyValue> {
  const properties = new Map<string, PropertyValue>();
  const fence = findFrontmatter(content);
  if (fence.kind !== 'closed') return properties;
  const mapping = parseMapping(content.slice(fence.yamlStart, fence.yamlEnd));
  if ('code' in mapping) return properties;
  for (const [key, { node }] of mapping.values) {
    if (properties.size >= maxProperties) break;
    const value = propertyValue(mapping, mapping.resolve(node));
    if (value !== null) properties.set(key.toWellFormed(), value);
  }
  return properties;
}

function propertyValue(mapping: YamlMapping, node: YamlNode): PropertyValue | null {
  if (!isSeq(node)) return scalarOf(node);
  // Items are resolved one level deep, so that aliases of lists cost no more than their letters.
  const items = node.items.map((item) => scalarOf(isAlias(item) ? mapping.resolve(item as YamlNode) : item));
  const values = items.filter((item) => item !== null);
  return values.length === 0 ? null : values;
}

function scalarOf(node: unknown): PropertyScalar | null {
  if (!isScalar(node)) return null;
  const { value } = node;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value === null || value === undefined) return null;
  const text = typeof value === 'string' ? value : (node.source ?? String(value));
  // YAML escapes can produce characters that stored text must not contain.
  return text.toWellFormed().replaceAll('\0', '\ufffd').trim() || null;
}
