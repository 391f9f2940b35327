import type { Adapter, AdapterFactory } from 'oidc-provider';
import { DatabaseError } from '../../../ports/database/database.ts';

const DESCRIPTION = 'the server is overloaded or cannot reach its storage';

/** The part of the provider's library that is used here; it is imported late. */
interface Library {
  readonly errors: {
    readonly TemporarilyUnavailable: new (
      description: string,
      options: { cause: unknown },
    ) => Error & { status: number; statusCode: number };
  };
}

/**
 * Converts failures of the database to RFC 6749's `temporarily_unavailable` with status 503. The provider would report
 * unknown errors to clients as its own fault, with status 500.
 */
export async function orUnavailable<T>({ errors }: Library, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    if (!(cause instanceof DatabaseError) || cause.damaged) throw cause;
    const error = new errors.TemporarilyUnavailable(DESCRIPTION, { cause });
    throw Object.assign(error, { status: 503, statusCode: 503 });
  }
}

/** Wraps adapters, so that their methods fail as in `orUnavailable`. */
export function adaptersOrUnavailable(library: Library, adapters: AdapterFactory): AdapterFactory {
  return (model) => {
    const adapter = adapters(model);
    const methods: (keyof Adapter)[] = ['upsert', 'find', 'findByUserCode', 'findByUid', 'consume', 'destroy'];
    const pinned = methods.map((name) => {
      const method = adapter[name] as (...args: unknown[]) => Promise<unknown>;
      return [name, (...args: unknown[]) => orUnavailable(library, method(...args))] as const;
    });
    return { ...adapter, ...Object.fromEntries(pinned) };
  };
}
