import type { Compiled } from './statement.ts';

export type Bindable = null | number | string | Uint8Array;

/**
 * Returns the values that a statement binds. Throws TypeError for values that the engines would store differently:
 * SQLite turns NaN and undefined into NULL and accepts text with NUL; PostgreSQL refuses them or writes `NaN`, `true`,
 * `{…}`.
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

/** Names the type and never the value, which may be somebody's text. */
function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'text with a NUL character';
  if (typeof value === 'number') return 'not a number';
  return value === undefined ? 'undefined' : `a ${typeof value}`;
}
