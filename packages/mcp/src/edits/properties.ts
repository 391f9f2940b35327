import { findFrontmatter } from '@notevault/note-text/frontmatter/fence.ts';
import { readFrontmatter } from '@notevault/note-text/frontmatter.ts';
import { tagKey } from '@notevault/note-text/tags.ts';
import { type Document, isMap, isScalar, type Pair, parseDocument, type Range, stringify } from 'yaml';
import { EditFailure } from './edit.ts';

const YAML_BYTES_MAX = 64 * 1024;

/** Sets one key of the frontmatter, which is made if there is none; all other lines stay as they are. */
export function setProperty(content: string, key: string, value: unknown): string {
  const entry = stringify({ [key]: listOf(content, key, value) }, { lineWidth: 0 });
  const fence = findFrontmatter(content);
  const newline = content.includes('\r\n') ? '\r\n' : '\n';
  const written = entry.replaceAll('\n', newline);
  if (fence.kind === 'none') return `---${newline}${written}---${newline}${content}`;
  const { yaml, yamlStart, yamlEnd } = readable(content);
  const found = spanOf(yaml, key);
  const changed =
    found === null ? endedLine(yaml, newline) + written : yaml.slice(0, found.start) + written + yaml.slice(found.end);
  const edited = content.slice(0, yamlStart) + changed + content.slice(yamlEnd);
  verify(yaml, edited, key, true);
  return edited;
}

/** Removes one key of the frontmatter. Throws EditFailure when there is no such key. */
export function removeProperty(content: string, key: string): string {
  const { yaml, yamlStart, yamlEnd } = readable(content);
  const found = spanOf(yaml, key);
  if (found === null) {
    throw new EditFailure('The frontmatter has no such key.', keysOf(yaml), 'Name one of its keys.');
  }
  const edited =
    content.slice(0, yamlStart) + yaml.slice(0, found.start) + yaml.slice(found.end) + content.slice(yamlEnd);
  verify(yaml, edited, key, false);
  return edited;
}

/** Returns the value of a key of the frontmatter; undefined if it has none. Throws EditFailure if it cannot be read. */
export function propertyOf(content: string, key: string): unknown {
  if (findFrontmatter(content).kind === 'none') return undefined;
  return valuesOf(readable(content).yaml)?.[key];
}

/**
 * Adds tags to the frontmatter and removes tags from it. Tags are compared as the vault does; other tags keep their order
 * and spelling. Throws EditFailure if the frontmatter cannot be edited.
 */
export function changeTags(content: string, add: readonly string[], remove: readonly string[]): string {
  const names = (tags: readonly string[]) => tags.map((tag) => tag.replace(/^#/, ''));
  const present = readFrontmatter(content).tags;
  const removed = new Set(names(remove).map(tagKey));
  const kept = present.filter((tag) => !removed.has(tagKey(tag)));
  const known = new Set(kept.map(tagKey));
  const added = names(add).filter((tag) => !known.has(tagKey(tag)));
  if (added.length === 0 && kept.length === present.length) return content;
  const key = tagsKeyOf(content);
  const tags = [...kept, ...new Set(added)];
  return tags.length === 0 ? removeProperty(content, key) : setProperty(content, key, tags);
}

/** The key that holds the tags, in its spelling: `Tags` and `TAGS` count too. */
function tagsKeyOf(content: string): string {
  if (findFrontmatter(content).kind === 'none') return 'tags';
  return keysOf(readable(content).yaml).find((key) => key.toLowerCase() === 'tags') ?? 'tags';
}

const LIST_KEYS: ReadonlySet<string> = new Set(['tags', 'aliases', 'cssclasses']);

/** Parses a list that was sent as JSON text, as models do, for a key that holds a list. Throws EditFailure for others. */
function listOf(content: string, key: string, value: unknown): unknown {
  if (typeof value !== 'string' || !/^\s*\[.*\]\s*$/s.test(value)) return value;
  let parsed: unknown;
  try {
    parsed = JSON.parse(value);
  } catch {
    // Text in brackets, such as a wikilink.
    return value;
  }
  if (!Array.isArray(parsed)) return value;
  if (LIST_KEYS.has(key.toLowerCase()) || Array.isArray(propertyOf(content, key))) return parsed;
  throw new EditFailure('The value is a list as JSON text.', [], 'Send the list itself, without quotes.');
}

interface Readable {
  readonly yaml: string;
  readonly yamlStart: number;
  readonly yamlEnd: number;
}

function readable(content: string): Readable {
  const fence = findFrontmatter(content);
  if (fence.kind === 'none') throw new EditFailure('The note has no frontmatter.', [], 'Use set_property to make it.');
  const advice = 'Repair the frontmatter with replace_text first.';
  if (fence.kind === 'unterminated') throw new EditFailure('The frontmatter is not closed by a line ---.', [], advice);
  const { yamlStart, yamlEnd } = fence;
  const yaml = content.slice(yamlStart, yamlEnd);
  if (yaml.length > YAML_BYTES_MAX) throw new EditFailure('The frontmatter is larger than 64 KB.', [], advice);
  return { yaml, yamlStart, yamlEnd };
}

/** Returns the lines of a key with its value; null when the mapping does not have it. */
function spanOf(yaml: string, key: string): { readonly start: number; readonly end: number } | null {
  const pair = pairsOf(parsed(yaml)).find((each) => nameOf(each) === key);
  if (pair === undefined) return null;
  const name = pair.key as { range?: Range | null };
  const value = pair.value as { range?: Range | null } | null;
  const from = name.range?.[0] ?? 0;
  const to = Math.max(value?.range?.[1] ?? 0, name.range?.[1] ?? 0);
  const start = yaml.lastIndexOf('\n', from - 1) + 1;
  // The end of a block value is already the start of the next line.
  if (to > start && yaml.charAt(to - 1) === '\n') return { start, end: to };
  const newline = yaml.indexOf('\n', to);
  return { start, end: newline < 0 ? yaml.length : newline + 1 };
}

function parsed(yaml: string): Document.Parsed {
  const document = parseDocument(yaml, { prettyErrors: false, logLevel: 'silent', version: '1.2' });
  const broken = document.errors.length > 0 || !(document.contents === null || isMap(document.contents));
  if (broken || (isMap(document.contents) && document.contents.flow === true)) {
    const advice = 'Repair the frontmatter with replace_text first.';
    throw new EditFailure('The frontmatter is not a YAML mapping with one key a line.', [], advice);
  }
  return document;
}

function pairsOf(document: Document.Parsed): readonly Pair[] {
  return isMap(document.contents) ? (document.contents.items as unknown as Pair[]) : [];
}

function nameOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : '';
}

function keysOf(yaml: string): string[] {
  return pairsOf(parsed(yaml)).map(nameOf);
}

/** Throws EditFailure unless all other keys have kept their values, such as one that refers to an anchor. */
function verify(before: string, edited: string, key: string, isSet: boolean): void {
  const was = valuesOf(before);
  const now = valuesOf(readable(edited).yaml);
  const others = (values: Readonly<Record<string, unknown>>) => JSON.stringify({ ...values, [key]: undefined });
  if (was !== null && now !== null && others(was) === others(now) && Object.hasOwn(now, key) === isSet) return;
  const advice = 'Edit the frontmatter with replace_text.';
  throw new EditFailure('This key cannot be changed without changing other keys.', [], advice);
}

function valuesOf(yaml: string): Readonly<Record<string, unknown>> | null {
  try {
    return (parsed(yaml).toJS({ maxAliasCount: 100 }) ?? {}) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof EditFailure) throw error;
    return null;
  }
}

function endedLine(text: string, newline: string): string {
  return text === '' || text.endsWith('\n') ? text : text + newline;
}
