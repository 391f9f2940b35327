import type { PropertyScalar } from '@notevault/note-text/properties.ts';
import { propertyKey } from '../analysis/note-facts.ts';
import { type Kind, type TypedValue, typedText, typedValues } from './typed-value.ts';
import { spanOf, type Zone } from './zone.ts';

export type ConditionOp = 'is' | 'is_not' | 'contains' | 'lt' | 'lte' | 'gt' | 'gte' | 'exists' | 'missing';

export interface Condition {
  /** See `propertyKey`. */
  readonly property: string;
  readonly op: ConditionOp;
  /** Null for `exists` and `missing`. */
  readonly value: PropertyScalar | null;
}

/** Whether a note passes; null stands for a note without the property. */
export type Test = (values: readonly TypedValue[] | null) => boolean;

/** Compiles a condition. A list passes where any of its items does; unlike types never match. */
export function testOf({ property, op, value }: Condition, zone: Zone): Test {
  if (op === 'exists') return (values) => values !== null;
  if (op === 'missing' || value === null) return (values) => values === null;
  if (op === 'contains') return containing(value, zone);
  const { kind, holds } = comparison(nameOf(property, value), op, zone);
  if (op !== 'is_not') return (values) => values?.some((own) => own.kind === kind && holds(own.key)) ?? false;
  return (values) => {
    // A note without the property has not the value either.
    if (values === null) return true;
    const alike = values.filter((own) => own.kind === kind);
    return alike.length > 0 && alike.every((own) => holds(own.key));
  };
}

function containing(value: PropertyScalar, zone: Zone): Test {
  if (typeof value !== 'string') {
    const [wanted] = typedValues(value, zone);
    return (values) => values?.some(({ kind, key }) => kind === wanted?.kind && key === wanted.key) ?? false;
  }
  const part = propertyKey(value);
  return (values) => values?.some(({ kind, key }) => kind === 'text' && `${key}`.includes(part)) ?? false;
}

/** Compares the key of a value of the same kind. */
function comparison(
  value: PropertyScalar,
  op: ConditionOp,
  zone: Zone,
): { kind: Kind; holds: (key: number | string) => boolean } {
  const span = typeof value === 'string' ? spanOf(value, zone) : null;
  if (span === null) {
    const [{ kind, key } = typedText('')] = typedValues(value, zone);
    return { kind, holds: (own) => compares(op, own, key, key) };
  }
  // A day ends before its last instant.
  return { kind: 'date', holds: (own) => compares(op, own, span.start, span.end - 1) };
}

function compares(op: ConditionOp, own: number | string, first: number | string, last: number | string): boolean {
  switch (op) {
    case 'lt':
      return own < first;
    case 'lte':
      return own <= last;
    case 'gt':
      return own > last;
    case 'gte':
      return own >= first;
    case 'is_not':
      return own < first || own > last;
    default:
      return own >= first && own <= last;
  }
}

/** Names of notes are given with `.md` or without, and tags with `#` or without. */
function nameOf(property: string, value: PropertyScalar): PropertyScalar {
  if (typeof value !== 'string') return value;
  if (property === 'file.tags') return value.replace(/^#/, '');
  if (property === 'file.name') return value.replace(/\.md$/i, '');
  return value;
}
