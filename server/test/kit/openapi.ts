import assert from 'node:assert/strict';
import { type Answer, Caller, type Headed } from './person.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly description?: string;
}

interface Operation {
  readonly requestBody?: { readonly content?: Readonly<Record<string, { schema?: Schema }>> };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { schema?: Schema }>> }>>;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** What the checker understands of JSON Schema; a schema that says more must not pass for checked. */
const KEYWORDS = [
  ...['type', 'enum', 'anyOf', 'properties', 'required', 'additionalProperties', 'items', 'format'],
  ...['minimum', 'maximum', 'minItems', 'maxItems'],
];

const FORMATS: Readonly<Record<string, RegExp>> = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
};

/** The document that a server gives of itself, held against what it answers. */
export class ApiDocument {
  readonly #routes: { readonly path: RegExp; readonly weight: number; readonly operations: Paths[string] }[];

  constructor(paths: Paths) {
    this.#routes = Object.entries(paths)
      .map(([path, operations]) => ({
        path: new RegExp(`^${path.replace(/\{path\}$/, '.*').replace(/\{\w+\}/g, '[^/]*')}$`),
        weight: path.replace(/\{.*?\}/g, '').length,
        operations,
      }))
      .sort((a, b) => b.weight - a.weight);
  }

  /** Fails when an answer is of a status, or has a body, that the document does not tell of, or a request succeeds that it forbids. */
  check(method: string, path: string, { status, body, headers }: Answer, sent?: () => unknown): void {
    const url = `/api${path.split('?', 1)[0]}`;
    const found = this.#routes
      .filter((route) => route.path.test(url))
      .map((route) => route.operations[method.toLowerCase()]);
    // A route or method that is not there is documented by not being there.
    if (found[0] === undefined && [404, 405].includes(status)) return;
    // The most concrete path first, but what it has no method for may be meant for one with a parameter.
    const operation = found.find((each) => each !== undefined);
    assert.ok(operation !== undefined, `${method} ${path}: ${status}`);
    // What is answered with success must be a request that the document allows.
    const asked = operation.requestBody?.content?.['application/json']?.schema;
    if (status < 300 && asked !== undefined && sent !== undefined) {
      assert.deepEqual(
        faults({ ...asked, additionalProperties: true }, sent(), 'request'),
        [],
        `${method} ${path.slice(0, 80)}`,
      );
    }
    const response = operation.responses[status];
    const where = `${method} ${path.slice(0, 80)} → ${status}`;
    assert.ok(response !== undefined, `${where} is not documented: ${JSON.stringify(body)?.slice(0, 200)}`);
    // A file's bytes are of any type, JSON too.
    const isFile = headers.has('content-disposition');
    if (isFile && response.content?.['application/octet-stream'] !== undefined) return;
    const schema = response.content?.['application/json']?.schema;
    if (schema === undefined) assert.equal(body, null, `${where} has a body`);
    else assert.deepEqual(faults(schema, body, 'body'), [], where);
  }
}

function faults(schema: Schema, value: unknown, at: string): string[] {
  const unknown = Object.keys(schema).filter((key) => key !== 'description' && !KEYWORDS.includes(key));
  if (unknown.length > 0) return [`${at}: the checker does not know ${unknown.join(', ')}`];
  if (schema.anyOf !== undefined) {
    const tried = schema.anyOf.map((each) => faults(each, value, at));
    return tried.some((found) => found.length === 0) ? [] : tried.flat();
  }
  const types = schema.type === undefined ? [] : [schema.type].flat();
  if (types.length > 0 && !types.some((type) => hasType(type, value))) return [`${at}: is no ${types.join(' or ')}`];
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${at}: is none of ${schema.enum.join(', ')}`];
  if (typeof value === 'number' && (value < (schema.minimum ?? value) || value > (schema.maximum ?? value)))
    return [`${at}: is out of bounds`];
  if (typeof value === 'string') return formatFaults(schema, value, at);
  if (Array.isArray(value)) {
    const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
    if (value.length < minItems || value.length > maxItems) return [`${at}: has ${value.length} items`];
    return items === undefined ? [] : value.flatMap((item, index) => faults(items, item, `${at}[${index}]`));
  }
  if (typeof value === 'object' && value !== null) return objectFaults(schema, value as Record<string, unknown>, at);
  return [];
}

function hasType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value);
  return typeof value === type;
}

function formatFaults({ format }: Schema, value: string, at: string): string[] {
  if (format === undefined) return [];
  const pattern = FORMATS[format];
  if (pattern === undefined) return [`${at}: the checker does not know the format ${format}`];
  return pattern.test(value) ? [] : [`${at}: is no ${format}`];
}

function objectFaults(schema: Schema, value: Record<string, unknown>, at: string): string[] {
  const { properties = {}, required = [] } = schema;
  const anything = schema.type === undefined && schema.properties === undefined;
  if (anything) return [];
  return [
    ...required.filter((key) => !Object.hasOwn(value, key)).map((key) => `${at}.${key}: is missing`),
    ...Object.entries(value).flatMap(([key, field]) => {
      const known = properties[key];
      if (known !== undefined) return faults(known, field, `${at}.${key}`);
      return schema.additionalProperties === true ? [] : [`${at}.${key}: is not documented`];
    }),
  ];
}

/** A body as the server reads it: raw JSON parsed, fields that are undefined not there; undefined for raw bytes. */
function onTheWire(body: unknown): unknown {
  if (body === undefined || body instanceof Uint8Array) return undefined;
  return JSON.parse(typeof body === 'string' ? body : JSON.stringify(body));
}

/** Calls as another caller does, and holds every answer against the document. */
class CheckedCaller extends Caller {
  readonly #caller: Caller;
  readonly #document: ApiDocument;

  constructor(caller: Caller, document: ApiDocument) {
    super('');
    this.#caller = caller;
    this.#document = document;
  }

  override async call(method: string, path: string, body: unknown, headers: Headed): Promise<Answer> {
    const answer = await this.#caller.call(method, path, body, headers);
    // Not before the answer: a body that is no JSON may have been sent on purpose.
    this.#document.check(method, path, answer, body === undefined ? undefined : () => onTheWire(body));
    return answer;
  }
}

/** Makes callers whose every answer is held against the server's own OpenAPI document. */
export async function checkedCallers({ anyone }: { readonly anyone: Caller }): Promise<(caller: Caller) => Caller> {
  const { body } = await anyone.get('/openapi');
  const document = new ApiDocument(body.paths);
  return (caller) => new CheckedCaller(caller, document);
}
