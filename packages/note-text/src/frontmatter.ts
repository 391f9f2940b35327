import { isMap, isScalar, isSeq } from 'yaml';
import { parseTimestamp } from './frontmatter/dates.ts';
import { findFrontmatter } from './frontmatter/fence.ts';
import { readPropertyLinks } from './frontmatter/property-link.ts';
import {
  keysIn,
  type ParseCode,
  parseMapping,
  type YamlFault,
  type YamlMapping,
  type YamlNode,
} from './frontmatter/yaml.ts';
import { maxLinks, type ParsedLink } from './links/parsed-link.ts';

export type { ParseCode } from './frontmatter/yaml.ts';

/** Why a frontmatter is degraded. It never repeats a value, because the note's text is private to its owner. */
export interface ParseReason {
  readonly code: ParseCode;
  readonly message: string;
  readonly detail: {
    /** The key at fault, when it is known. */
    readonly key: string | null;
    /** Line number in the note, from 1. */
    readonly line: number;
    /** `key:`, or the fence when there is no key. */
    readonly snippet: string;
  };
}

export interface Frontmatter {
  readonly status: 'ok' | 'degraded';
  /** Null exactly when the status is `ok`. */
  readonly reason: ParseReason | null;
  /** UTF-16 offset where the body begins: 0 without frontmatter, and when it is unterminated. */
  readonly bodyStart: number;
  readonly title: string | null;
  readonly description: string | null;
  /** Milliseconds since the Unix epoch, from `created` or `date`. */
  readonly created: number | null;
  /** Milliseconds since the Unix epoch, from `timestamp`, `modified` or `updated`. */
  readonly timestamp: number | null;
  readonly resource: string | null;
  readonly type: string | null;
  /** Tags as written, without `#`, possibly with duplicates. */
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  /** Values, and items of lists, that are wikilinks; form `property`, offsets in the content. */
  readonly links: readonly ParsedLink[];
}

const none: Omit<Frontmatter, 'status' | 'reason' | 'bodyStart'> = {
  title: null,
  description: null,
  created: null,
  timestamp: null,
  resource: null,
  type: null,
  tags: [],
  aliases: [],
  links: [],
};

/**
 * Reads the frontmatter of a note (YAML 1.2). Never throws and never rejects a note. With the codes `unterminated`,
 * `yaml_syntax`, `not_a_mapping` and `too_large`, none of it is used; with `duplicate_key` and `bad_value`, all keys
 * but the one at fault are used.
 */
export function readFrontmatter(content: string): Frontmatter {
  const fence = findFrontmatter(content);
  if (fence.kind === 'none') return { ...none, status: 'ok', reason: null, bodyStart: 0 };
  if (fence.kind === 'unterminated') {
    const message = 'Frontmatter is opened by --- on the first line and never closed.';
    const detail = { key: null, line: 1, snippet: '---' };
    return { ...none, status: 'degraded', reason: { code: 'unterminated', message, detail }, bodyStart: 0 };
  }
  const { yamlStart, yamlEnd, bodyStart } = fence;
  const mapping = parseMapping(content.slice(yamlStart, yamlEnd));
  const reasonOf = (fault: YamlFault) => toReason(content, yamlStart, fault);
  if ('code' in mapping) return { ...none, status: 'degraded', reason: reasonOf(mapping), bodyStart };
  const fields = new FieldReader(mapping);
  const read = {
    bodyStart,
    title: fields.text('title')?.replace(/\s+/g, ' ') ?? null,
    description: fields.text('description'),
    created: fields.moment('created', 'date'),
    timestamp: fields.moment('timestamp', 'modified', 'updated'),
    resource: fields.text('resource'),
    type: fields.text('type'),
    tags: fields.tags(),
    aliases: fields.aliases(),
    links: propertyLinks(content, yamlStart, mapping),
  };
  const fault = mapping.duplicate ?? fields.fault;
  return { ...read, status: fault ? 'degraded' : 'ok', reason: fault ? reasonOf(fault) : null };
}

function propertyLinks(content: string, yamlStart: number, mapping: YamlMapping): ParsedLink[] {
  const links: ParsedLink[] = [];
  for (const scalar of mapping.strings) {
    if (links.length < maxLinks) links.push(...readPropertyLinks(content, yamlStart, scalar));
  }
  return links.slice(0, maxLinks);
}

/** Reads the known fields and remembers the first value whose type does not fit its field. */
class FieldReader {
  readonly #mapping: YamlMapping;
  fault: YamlFault | null = null;

  constructor(mapping: YamlMapping) {
    this.#mapping = mapping;
  }

  text(key: string): string | null {
    const field = this.#find(key);
    if (!field) return null;
    if (isMap(field.node) || isSeq(field.node)) this.#reject(key, field.at);
    return scalarText(field.node);
  }

  /** Returns the time that the first readable one of the keys names. An unreadable value is not an error. */
  moment(...keys: string[]): number | null {
    for (const key of keys) {
      const text = scalarText(this.#find(key)?.node ?? null);
      const moment = text === null ? null : parseTimestamp(text);
      if (moment !== null) return moment;
    }
    return null;
  }

  tags(): string[] {
    const written = [...this.#list('tags', /[,\s]+/), ...this.#list('tag', /[,\s]+/)];
    return written.map((tag) => tag.replace(/^#+/, '')).filter((tag) => tag !== '');
  }

  aliases(): string[] {
    return [...new Set([...this.#list('aliases', /,/), ...this.#list('alias', /,/)])];
  }

  /** Returns the items of lists, or of strings split at `separator`, under a key in any case. */
  #list(key: string, separator: RegExp): string[] {
    return keysIn(this.#mapping, key).flatMap((written) => this.#listAt(written, separator));
  }

  #listAt(key: string, separator: RegExp): string[] {
    const field = this.#find(key);
    if (!field) return [];
    if (isMap(field.node)) this.#reject(key, field.at);
    if (!isSeq(field.node)) return (scalarText(field.node) ?? '').split(separator).map(trim).filter(isNotEmpty);
    const texts: string[] = [];
    for (const item of field.node.items) {
      const node = this.#mapping.resolve(item as YamlNode);
      const text = scalarText(node);
      if (text !== null) texts.push(text);
      else if (isMap(node) || isSeq(node)) this.#reject(key, field.at);
    }
    return texts;
  }

  #find(key: string): { readonly node: YamlNode; readonly at: number } | null {
    const field = this.#mapping.values.get(key);
    return field ? { node: this.#mapping.resolve(field.node), at: field.at } : null;
  }

  #reject(key: string, at: number): void {
    this.fault ??= { code: 'bad_value', message: 'Frontmatter has a value of the wrong kind.', key, at };
  }
}

/**
 * Returns the text of a scalar as written, trimmed: `1.0` stays `1.0`. Null for an empty value and for a value that is
 * no scalar.
 */
function scalarText(node: YamlNode): string | null {
  if (!isScalar(node) || node.value === null) return null;
  const text = typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
  // YAML escapes can produce characters that stored text must not contain.
  return text.toWellFormed().replaceAll('\0', '\ufffd').trim() || null;
}

function trim(text: string): string {
  return text.trim();
}

function isNotEmpty(text: string): boolean {
  return text !== '';
}

const maxKeyLength = 100;

function toReason(content: string, yamlStart: number, fault: YamlFault): ParseReason {
  const at = yamlStart + fault.at;
  const line = content.slice(0, at).split('\n').length;
  const key = (fault.key ?? (fault.code === 'yaml_syntax' ? keyAbove(content, yamlStart, at) : null))
    ?.slice(0, maxKeyLength)
    .toWellFormed();
  return {
    code: fault.code,
    message: fault.message,
    detail: { key: key ?? null, line, snippet: key === undefined ? '---' : `${key}:` },
  };
}

/**
 * Returns the nearest key at or above the offset that starts its line without indentation, so that it is no part of a
 * value.
 */
function keyAbove(content: string, yamlStart: number, at: number): string | undefined {
  const lines = content.slice(yamlStart, lineEnd(content, at)).split('\n');
  return lines
    .reverse()
    .map((line) => /^([\p{L}\p{N}_][\p{L}\p{N} _.-]{0,63}):(?:\s|$)/u.exec(line)?.[1])
    .find((key) => key !== undefined);
}

function lineEnd(content: string, at: number): number {
  const newline = content.indexOf('\n', at);
  return newline < 0 ? content.length : newline;
}
