import type { PropertyScalar, PropertyValue } from '@notevault/note-text/properties.ts';
import { isList, propertyKey } from '../analysis/note-facts.ts';
import { spanOf, type Zone } from './zone.ts';

export type Kind = 'date' | 'number' | 'text' | 'boolean';

/** A value by which notes are compared; values of different kinds are unlike. */
export interface TypedValue {
  readonly kind: Kind;
  /** Epoch milliseconds, the number, 0 or 1, or the text without regard to case. */
  readonly key: number | string;
}

/** Returns the items of a list, or the one value. */
export function typedValues(value: PropertyValue, zone: Zone): TypedValue[] {
  return isList(value) ? value.map((item) => typedScalar(item, zone)) : [typedScalar(value, zone)];
}

function typedScalar(value: PropertyScalar, zone: Zone): TypedValue {
  if (typeof value === 'number') return { kind: 'number', key: value };
  if (typeof value === 'boolean') return { kind: 'boolean', key: value ? 1 : 0 };
  const span = spanOf(value, zone);
  return span === null ? typedText(value) : { kind: 'date', key: span.start };
}

export function typedText(text: string): TypedValue {
  return { kind: 'text', key: propertyKey(text) };
}
