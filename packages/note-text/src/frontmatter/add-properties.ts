import { isMap, isScalar, parseDocument, stringify } from 'yaml';
import { readFrontmatter } from '../frontmatter.ts';
import { findFrontmatter } from './fence.ts';
import { parseMapping } from './yaml.ts';

type Value = string | boolean | readonly string[];
export type Properties = Readonly<Record<string, Value>>;

/**
 * Adds properties to a note. A key that has a value, in any case of letters, keeps it, and tags join the note's tags.
 * Frontmatter that cannot be used becomes a part of the body, below a new one.
 */
export function addProperties(content: string, properties: Properties): string {
  const fence = findFrontmatter(content);
  const yaml = fence.kind === 'closed' ? content.slice(fence.yamlStart, fence.yamlEnd) : '';
  if (fence.kind !== 'closed' || 'code' in parseMapping(yaml)) {
    return isEmpty(properties) ? content : `---\n${toYaml(properties)}---\n${content}`;
  }
  const document = parseDocument(yaml, { uniqueKeys: false, version: '1.2' });
  const pairs = isMap(document.contents) ? document.contents.items : [];
  const keys = pairs.map(({ key }) => (isScalar(key) ? String(key.value) : ''));
  const find = (key: string) => keys.find((each) => each.toLowerCase() === key);
  const added: Record<string, Value> = {};
  const changed: Record<string, Value> = {};
  for (const [key, value] of Object.entries(properties)) {
    const known = find(key) ?? (key === 'tags' ? find('tag') : undefined);
    if (known === undefined) added[key] = value;
    else if (key === 'tags') Object.assign(changed, withTags(known, readFrontmatter(content).tags, value));
    else if ((document.get(known) ?? null) === null) changed[known] = value;
  }
  const isFlow = isMap(document.contents) && document.contents.flow === true;
  // The library formats what it prints, so that is done only where a line cannot be added.
  const printed = () => {
    for (const [key, value] of Object.entries({ ...changed, ...added })) document.set(key, value);
    return document.toString({ lineWidth: 0 });
  };
  const edited = isFlow || !isEmpty(changed) ? printed() : yaml + toYaml(added);
  return content.slice(0, fence.yamlStart) + edited + content.slice(fence.yamlEnd);
}

function withTags(key: string, tags: readonly string[], more: Value): Properties {
  const known = new Set(tags.map((tag) => tag.toLowerCase()));
  const missing = [more].flat().filter((tag) => !known.has(String(tag).toLowerCase()));
  return missing.length === 0 ? {} : { [key]: [...tags, ...missing.map(String)] };
}

function toYaml(properties: Properties): string {
  return isEmpty(properties) ? '' : stringify(properties, { lineWidth: 0 });
}

function isEmpty(properties: Properties): boolean {
  return Object.keys(properties).length === 0;
}
