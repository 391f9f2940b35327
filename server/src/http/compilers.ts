import { AjvCompiler } from '@fastify/ajv-compiler';
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler';

/*
 * What Fastify compiles the schemas of routes with, made once for all servers of the process: the schemas do not change,
 * and compiling those of all routes is most of the work of building a server. Tests build hundreds.
 */

type Validators = ReturnType<typeof AjvCompiler>;
type Serializers = ReturnType<typeof SerializerSelector>;

const validators: Validators = AjvCompiler();
const serializers: Serializers = SerializerSelector();

/** What was compiled, by everything that it was made from. */
const validating = new Map<string, ReturnType<ReturnType<Validators>>>();
const serializing = new Map<string, ReturnType<ReturnType<Serializers>>>();

export const buildValidator: Validators = (externalSchemas, options) => {
  const compile = validators(externalSchemas, options);
  return (route) => remembered(validating, [externalSchemas, options, schemaOf(route)], () => compile(route));
};

export const buildSerializer: Serializers = (externalSchemas, options) => {
  const compile = serializers(externalSchemas, options);
  return (route) => remembered(serializing, [externalSchemas, options, schemaOf(route)], () => compile(route));
};

/** Fastify gives the route with its schema, whatever the compilers' types say. */
function schemaOf(route: unknown): unknown {
  return (route as { readonly schema?: unknown }).schema;
}

function remembered<Compiled>(known: Map<string, Compiled>, madeFrom: unknown, compile: () => Compiled): Compiled {
  const key = JSON.stringify(madeFrom);
  const compiled = known.get(key) ?? compile();
  known.set(key, compiled);
  return compiled;
}
