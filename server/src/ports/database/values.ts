import type { Compiled } from './statement.ts';

export type Bindable = null | number | string | Uint8Array;

/**
 * The values a statement binds, refused here when the engines would store them differently: SQLite turns NaN and
 * undefined into NULL and takes text with NUL, PostgreSQL refuses or writes `NaN`, `true`, `{…}`.
 */
export function valuesOf(compiled: Compiled, params: unknown, items: readonly unknown[]): Bindable[] {
  const values = compiled.bind(params as object, items);
  for (let index = 0; index < values.length; index++) {
    if (!isBindable(values[index])) {
      throw new TypeError(`value ${index + 1} of a statement is ${kindOf(values[index])}: ${compiled.sql}`);
    }
  }
  return values as Bindable[];
}

function isBindable(value: unknown): value is Bindable {
  if (typeof value === 'string') return !value.includes('\0');
  if (typeof value === 'number') return !Number.isNaN(value);
  return value === null || value instanceof Uint8Array;
}

/** Names the kind and never the value, which may be someone's text. */
function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'text with a NUL character';
  if (typeof value === 'number') return 'not a number';
  return value === undefined ? 'undefined' : `a ${typeof value}`;
}
