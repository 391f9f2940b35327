import type { QueryRequest } from '@notevault/protocol/queries.ts';
import { parse } from 'yaml';

export type QueryKind = 'query' | 'base';

/** One table that a block or a file asks for. */
export interface QueryView {
  readonly name: string;
  readonly request: QueryRequest;
  readonly isList: boolean;
  /** Titles of columns that are not called like their properties. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface QuerySource {
  readonly views: readonly QueryView[];
  /** Parts of the source without meaning here, verbatim. */
  readonly unread: readonly string[];
}

type Condition = NonNullable<QueryRequest['where']>[number];
type Raw = Readonly<Record<string, unknown>>;

interface Draft {
  where: Condition[];
  match: 'all' | 'any';
  folder?: string;
  tags?: string[];
  unread: string[];
}

const OPERATORS: Readonly<Record<string, string>> = {
  '==': 'is',
  '=': 'is',
  '!=': 'is_not',
  '<': 'lt',
  '<=': 'lte',
  '>': 'gt',
  '>=': 'gte',
};
const WORDS = ['is_not', 'is', 'contains', 'lte', 'lt', 'gte', 'gt', 'exists', 'missing'] as const;
const CONDITION = new RegExp(
  String.raw`^([\p{L}\p{N}_. -]+?)\s*(==|!=|<=|>=|=|<|>|\s(?:${WORDS.join('|')})(?=\s|$))\s*(.*)$`,
  'u',
);
/** Names of Obsidian's bases that are called otherwise here. */
const NAMES: Readonly<Record<string, string>> = { 'file.mtime': 'file.modified', 'file.ctime': 'file.created' };

/** Appearance settings of Obsidian's bases, which do not affect the rows. */
const LOOKS: ReadonlySet<string> = new Set([
  ...['columnSize', 'rowHeight', 'cardSize', 'image', 'imageFit', 'imageAspectRatio'],
  ...['indentProperties', 'markers', 'separator'],
]);

/** Reads the YAML of a block `query`, or of a base of Obsidian. Throws the error of a source that is no YAML. */
export function readQuery(kind: QueryKind, source: string): QuerySource {
  const value: unknown = parse(source);
  if (!isMap(value)) return { views: [], unread: [source.trim()] };
  return kind === 'query' ? readBlock(value) : readBase(value);
}

function readBlock({ where, match, folder, tags, columns, sort, limit, view, ...rest }: Raw): QuerySource {
  const draft: Draft = { where: [], match: match === 'any' ? 'any' : 'all', unread: Object.keys(rest) };
  if (view !== undefined && view !== 'table' && view !== 'list') draft.unread.push(`view: ${String(view)}`);
  for (const one of listOf(where)) addFilter(draft, one);
  if (typeof folder === 'string') draft.folder = folder;
  const named = texts(tags).map((tag) => tag.replace(/^#/, ''));
  if (named.length > 0) draft.tags = named;
  const shown = viewOf('', draft, { columns, sort, limit, type: view }, {});
  return { views: [shown], unread: draft.unread };
}

function readBase({ filters, views, properties, ...rest }: Raw): QuerySource {
  const unread = Object.keys(rest);
  const labels = labelsOf(properties);
  const read = listOf(views ?? [{ type: 'table' }]).flatMap((view): QueryView[] => {
    if (!isMap(view)) {
      unread.push(String(view));
      return [];
    }
    const { type, name, filters: own, order, sort, limit, ...more } = view;
    // Other views, such as cards, are shown as tables.
    if (type !== 'table' && type !== 'list') unread.push(`type: ${String(type)}`);
    unread.push(...Object.keys(more).filter((key) => !LOOKS.has(key)));
    const draft: Draft = { where: [], match: 'all', unread: [] };
    addFilter(draft, filters);
    addFilter(draft, own);
    const shown = viewOf(String(name ?? ''), draft, { columns: order, sort, limit, type }, labels);
    unread.push(...draft.unread);
    return [shown];
  });
  return { views: read, unread: [...new Set(unread)] };
}

function viewOf(
  name: string,
  draft: Draft,
  { columns, sort, limit, type }: Raw,
  labels: QueryView['labels'],
): QueryView {
  const known = texts(columns)
    .map(propertyOf)
    .filter((column) => column !== 'file.name' && isKnown(draft, column));
  const order = listOf(sort).flatMap((one) => {
    const by = isMap(one) ? (one.by ?? one.property) : one;
    const direction = isMap(one) ? String(one.dir ?? one.direction ?? 'asc').toLowerCase() : 'asc';
    return typeof by === 'string' && isKnown(draft, by)
      ? [{ by: propertyOf(by), dir: direction === 'desc' ? 'desc' : 'asc' }]
      : [];
  });
  const request: QueryRequest = {
    where: draft.where,
    match: draft.match,
    ...(draft.folder === undefined ? {} : { folder: draft.folder }),
    ...(draft.tags === undefined ? {} : { tags: draft.tags }),
    ...(known.length === 0 ? {} : { columns: known }),
    ...(order.length === 0 ? {} : { sort: order }),
    ...(typeof limit === 'number' ? { limit } : {}),
  };
  return { name, isList: type === 'list', request, labels };
}

/** Adds a condition, or those that are joined by `and`, or by `or` where nothing else is asked for. */
function addFilter(draft: Draft, filter: unknown): void {
  if (filter === undefined || filter === null) return;
  if (typeof filter === 'string') {
    addText(draft, filter);
    return;
  }
  if (!isMap(filter)) {
    draft.unread.push(JSON.stringify(filter));
    return;
  }
  if (typeof filter.property === 'string' && typeof filter.op === 'string') {
    draft.where.push({ property: filter.property, op: filter.op, value: filter.value });
    return;
  }
  const { and, or, ...rest } = filter;
  for (const key of Object.keys(rest)) draft.unread.push(`${key}: ${JSON.stringify(rest[key])}`);
  for (const one of listOf(and)) addFilter(draft, one);
  const either = listOf(or);
  if (either.length === 0) return;
  const apart: Draft = { where: [], match: 'any', unread: [] };
  for (const one of either) addFilter(apart, one);
  const isPlain = apart.unread.length === 0 && apart.folder === undefined && apart.tags === undefined;
  if (isPlain && draft.where.length === 0) Object.assign(draft, { where: apart.where, match: 'any' });
  else draft.unread.push(`or: ${JSON.stringify(either)}`);
}

function addText(draft: Draft, text: string): void {
  const [, method, inner = ''] = /^file\.(hasTag|inFolder)\((.*)\)$/.exec(text.trim()) ?? [];
  const given = inner.split(',').map((part) => String(scalar(part.trim())));
  if (method === 'hasTag' && draft.tags === undefined) draft.tags = given.map((tag) => tag.replace(/^#/, ''));
  else if (method === 'inFolder' && draft.folder === undefined) draft.folder = given[0] ?? '';
  else {
    const [, property = '', sign = '', value = ''] = (method === undefined ? CONDITION.exec(text.trim()) : null) ?? [];
    const op = OPERATORS[sign] ?? WORDS.find((word) => word === sign.trim());
    const needsValue = op !== 'exists' && op !== 'missing';
    if (op === undefined || needsValue === (value.trim() === '') || /[()]|&&|\|\||^formula\./.test(text))
      draft.unread.push(text);
    else
      draft.where.push({ property: propertyOf(property), op, ...(needsValue ? { value: scalar(value.trim()) } : {}) });
  }
}

/** Names a formula, of which notes have no value, as not understood. */
function isKnown(draft: Draft, property: string): boolean {
  const isFormula = property.startsWith('formula.');
  if (isFormula) draft.unread.push(property);
  return !isFormula;
}

function scalar(text: string): string | number | boolean {
  const [, quoted] = /^(?:"([^"]*)"|'([^']*)')$/.exec(text)?.filter((part) => part !== undefined) ?? [];
  if (quoted !== undefined) return quoted;
  if (text === 'true' || text === 'false') return text === 'true';
  return text !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function propertyOf(name: string): string {
  const plain = name.trim().replace(/^note\./, '');
  return NAMES[plain] ?? plain;
}

function labelsOf(properties: unknown): Record<string, string> {
  if (!isMap(properties)) return {};
  const named = Object.entries(properties).flatMap(([name, about]) =>
    isMap(about) && typeof about.displayName === 'string' ? [[propertyOf(name), about.displayName] as const] : [],
  );
  return Object.fromEntries(named);
}

function listOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function texts(value: unknown): string[] {
  return listOf(value).filter((one): one is string => typeof one === 'string');
}

function isMap(value: unknown): value is Raw {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
