import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';

/*
 * The schema compilers of Fastify. A schema is compiled when the first request needs it: those of all routes would be a
 * large part of a start and of a server's memory, and few servers use all. What is compiled is shared by all servers of
 * the process, of which tests build hundreds.
 */

type Validators = ReturnType<typeof AjvCompiler>;
type Serializers = ReturnType<typeof SerializerSelector>;

const validators: Validators = AjvCompiler();
const serializers: Serializers = SerializerSelector();

type Validator = ReturnType<ReturnType<Validators>>;
type Serializer = ReturnType<ReturnType<Serializers>>;

/** What was compiled, by all its inputs. */
const validating = new Map<string, Validator>();
const serializing = new Map<string, Serializer>();

export const buildValidator: Validators = (externalSchemas, options) => {
  const compile = validators(externalSchemas, options);
  return (route) => {
    let compiled: Validator | undefined;
    const isOpen = fitsEveryObject(schemaOf(route));
    const validate = ((...data: Parameters<Validator>) => {
      if (isOpen && isObject(data[0])) {
        validate.errors = null;
        return true;
      }
      compiled ??= remembered(validating, [externalSchemas, options, schemaOf(route)], () => compile(route));
      const isValid = compiled(...data);
      // Fastify reads them from the function that it called.
      validate.errors = compiled.errors ?? null;
      return isValid;
    }) as Validator;
    // Tells Fastify to pass on where the value is, as for what Ajv has compiled.
    const marks: object = { schemaEnv: true };
    return Object.assign(validate, marks);
  };
};

export const buildSerializer: Serializers = (externalSchemas, options) => {
  const compile = serializers(externalSchemas, options);
  return (route) => {
    let compiled: Serializer | undefined;
    return (data: unknown) => {
      compiled ??= remembered(serializing, [externalSchemas, options, schemaOf(route)], () => compile(route));
      return compiled(data);
    };
  };
};

/** The keywords that say nothing about which values are valid. */
const ANNOTATIONS = new Set(['title', 'description', 'deprecated', 'examples']);

/**
 * Whether a schema only names and describes fields, such as that of a query whose only parameter may be anything. It
 * is not compiled: the first schema of a process takes Ajv 8 ms.
 */
function fitsEveryObject(schema: unknown): boolean {
  if (!isObject(schema) || schema.type !== 'object') return false;
  const { type: _type, properties = {}, ...others } = schema;
  const isAnnotated = (fields: object) => Object.keys(fields).every((keyword) => ANNOTATIONS.has(keyword));
  return (
    isAnnotated(others) &&
    isObject(properties) &&
    Object.values(properties).every((field) => isObject(field) && isAnnotated(field))
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Fastify passes the route together with its schema, although the types of the compilers say otherwise. */
function schemaOf(route: unknown): unknown {
  return (route as { readonly schema?: unknown }).schema;
}

function remembered<Compiled>(known: Map<string, Compiled>, madeFrom: unknown, compile: () => Compiled): Compiled {
  const key = JSON.stringify(madeFrom);
  const compiled = known.get(key) ?? compile();
  known.set(key, compiled);
  return compiled;
}
